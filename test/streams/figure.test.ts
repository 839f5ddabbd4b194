import { expect } from 'chai'
import fc from 'fast-check'
import { cents, centsText, percent, percentOf, shares, units } from '#streams/figure.ts'

describe('figures that are put out', () => {
  it('are to the cent, half away from zero, of text, numbers and exact counts alike G-07', () => {
    expect(['77.0850000001', '77.085', '-77.085', '0.00499999999999', '1e-10', '12'].map(cents)).to.deep.equal([
      77.09, 77.09, -77.09, 0, 0, 12,
    ])
    expect([77.085, 1.005, 145.3082559].map(cents)).to.deep.equal([77.09, 1.01, 145.31])
    expect([units('0.005'), units('-0.00499'), units('10000000000000.015')].map(cents)).to.deep.equal([
      0.01, 0, 10000000000000.02,
    ])
    expect([cents('-0.001'), cents('0')].map((zero) => Object.is(zero, 0))).to.deep.equal([true, true])
    expect([centsText(1.005), centsText('-2.5'), centsText(0)]).to.deep.equal(['1.01', '-2.50', '0.00'])
  })

  it('are percentages to two places G-07', () => {
    expect([145.3082559, 99.995, -0.004].map(percent)).to.deep.equal([145.31, 100, 0])
    expect([percentOf(units('799.99'), units(1000)), percentOf(1n, 3n), percentOf(5n, 0n)]).to.deep.equal([
      80, 33.33, 0,
    ])
  })

  it('are shares to two places that add up to 100, whatever is rounded [REP-29] G-07', () => {
    expect(shares([1n, 1n, 1n])).to.deep.equal([33.34, 33.33, 33.33])
    expect(shares([...Array(7).keys()].map(() => 1n))).to.deep.equal([14.29, 14.29, 14.29, 14.29, 14.28, 14.28, 14.28])
    expect(shares([100n, -50n])).to.deep.equal([200, -100])
    expect(shares([-100n, 50n])).to.deep.equal([200, -100])
    expect([shares([5n, -5n]), shares([])]).to.deep.equal([[0, 0], []])
    fc.assert(
      fc.property(fc.array(fc.bigInt(-(10n ** 20n), 10n ** 22n), { minLength: 1, maxLength: 60 }), (parts) => {
        const whole = parts.reduce((sum, part) => sum + part, 0n)
        const all = shares(parts)
        const sum = all.reduce((total, share) => total + BigInt(Math.round(share * 100)), 0n)
        return sum === (whole === 0n ? 0n : 10_000n)
      }),
    )
  })
})
