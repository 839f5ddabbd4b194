import { expect } from 'chai'
import { forecastDays } from '../../http/console/web/view/costs/forecast.ts'

const day = (date: string, expectedUSD: number) => ({ date, expectedUSD, lowUSD: expectedUSD - 1, highUSD: null })
const answer = { settledThrough: '2026-01-29', days: [day('2026-01-30', 10), day('2026-01-31', 12)] } as never

describe('a forecast behind the days that are shown', () => {
  it('adds the rest of the month, with its range', () => {
    expect(forecastDays(['2026-01-28', '2026-01-29', '2026-01-30'], answer)).to.deep.equal({
      periods: ['2026-01-28', '2026-01-29', '2026-01-30', '2026-01-31'],
      overlay: { label: 'Forecast', values: [null, null, 10, 12], isDotted: true },
      band: { label: 'Forecast, 80% range', low: [null, null, 9, 11], high: [null, null, null, null] },
    })
  })

  it('leaves days free between them, and is left out a week before it begins', () => {
    expect(forecastDays(['2026-01-27'], answer)).to.deep.include({
      periods: ['2026-01-27', '2026-01-28', '2026-01-29', '2026-01-30', '2026-01-31'],
      overlay: { label: 'Forecast', values: [null, null, null, 10, 12], isDotted: true },
    })
    expect(forecastDays(['2026-01-21'], answer)).to.equal(undefined)
    expect(forecastDays([], answer)).to.equal(undefined)
  })
})
