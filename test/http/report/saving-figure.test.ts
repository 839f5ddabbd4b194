import { expect } from 'chai'
import { toTrustedRealisation, comingMonths, ratesOf, realisationOf, savedIn } from '#http/report/saving/figure.ts'

const unit = 10n ** 14n
const weighed = (weighed_claims: number, weighed_estimated_usd: string, weighed_verified_usd: string) => ({
  weighed_claims,
  weighed_estimated_usd,
  weighed_verified_usd,
})

describe('what estimates of savings came to, and what goes on to be saved', () => {
  it('is verified by estimated, of all rows together, to four places; negative ones stay so', () => {
    expect(realisationOf([weighed(1, '5', '3.5')])).to.equal(0.7)
    expect(realisationOf([weighed(1, '5', '3.5'), weighed(2, '1', '1.5')])).to.equal(0.8333)
    expect(realisationOf([weighed(1, '4', '-1')])).to.equal(-0.25)
    expect(realisationOf([weighed(0, '0', '0')])).to.equal(null)
    expect(realisationOf([])).to.equal(null)
  })

  it('is believed of five claims and more', () => {
    expect(toTrustedRealisation(weighed(5, '10', '9'))).to.equal(0.9)
    expect(toTrustedRealisation(weighed(4, '10', '9'))).to.equal(undefined)
    expect(toTrustedRealisation(weighed(5, '0', '0'))).to.equal(undefined)
    expect(toTrustedRealisation(undefined)).to.equal(undefined)
  })

  it('has the mean of each weekday, and that of all days for weekdays that no proved day is', () => {
    // 2026-01-05 and 2026-01-12 are Mondays, 2026-01-06 is a Tuesday.
    const rates = ratesOf([
      { day: '2026-01-12', usd: '4' },
      { day: '2026-01-06', usd: '1' },
      { day: '2026-01-05', usd: '2' },
    ])
    expect(rates[1]).to.equal(3n * unit)
    expect(rates[2]).to.equal(unit)
    expect(rates[0]).to.equal((7n * unit) / 3n)
  })

  it('is of the rest of the month and of twelve whole ones, leap days and the turn of the year included', () => {
    const months = comingMonths('2027-11-24')
    expect(months.length).to.equal(13)
    expect([months[0], months[2], months[3], months[12]]).to.deep.equal([
      { period: '2027-11', from: '2027-11-24', to: '2027-11-30' },
      { period: '2028-01', from: '2028-01-01', to: '2028-01-31' },
      { period: '2028-02', from: '2028-02-01', to: '2028-02-29' },
      { period: '2028-11', from: '2028-11-01', to: '2028-11-30' },
    ])
  })

  it('counts each weekday as often as it comes, until the claim ends at the latest', () => {
    const onMondays = [0n, unit, 0n, 0n, 0n, 0n, 0n]
    const june = { period: '2026-06', from: '2026-06-01', to: '2026-06-30' }
    const claim = { from: '2026-01-05T00:00:00Z', until: null }
    expect(savedIn(claim, onMondays, june)).to.equal(5n * unit)
    // Twelve months are over at the beginning of 2026-06-15, which is the third Monday.
    expect(savedIn({ from: '2025-06-15T00:00:00Z', until: null }, onMondays, june)).to.equal(2n * unit)
    expect(savedIn({ from: '2025-01-05T00:00:00Z', until: null }, onMondays, june)).to.equal(0n)
  })
})
