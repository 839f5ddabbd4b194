/** What a target is to be for an event: the figures of S-19, and others, worked out by hand. */
import { expect } from 'chai'
import fc from 'fast-check'
import { calculate, factorOf } from '#actors/autoscaling/policy/calculate.ts'

const originals = { min: 2, max: 10, desired: 4 }
const of = (multiplier: number, averageCpu: number | null, targetCpuPercent = 70, from = originals) =>
  calculate(from, { multiplier, averageCpu, targetCpuPercent })

describe('what a target is to be for an event', () => {
  it('without CPU is worked out of 50 % of a target of 70 %, whatever the policy says [EVR-24] [S-19]', () => {
    const { scaled, factor, isEstimated } = of(3, null, 60)
    // 3 x 50 / 70 = 2.142857: 4.29, 21.43 and 8.57.
    expect([scaled, isEstimated]).to.deep.equal([{ min: 5, max: 22, desired: 9 }, true])
    expect(factor).to.be.closeTo(2.142857, 1e-6)
    // The other target of S-19 has 3: 6.43.
    expect(of(3, null, 70, { min: 1, max: 5, desired: 3 }).scaled).to.deep.equal({ min: 3, max: 11, desired: 7 })
  })

  it('with CPU is multiplier times CPU by target [EVR-02] [S-19]', () => {
    expect(of(4, 35)).to.deep.equal({ scaled: { min: 4, max: 20, desired: 8 }, factor: 2, isEstimated: false })
    expect(of(2.5, 35).scaled).to.deep.equal({ min: 3, max: 13, desired: 5 })
    expect(of(2, 45, 60)).to.deep.equal({ scaled: { min: 3, max: 15, desired: 6 }, factor: 1.5, isEstimated: false })
  })

  it('is never less than it was [S-19]', () => {
    expect(of(1, 35).scaled).to.deep.equal(originals)
    expect(of(1, 0).scaled).to.deep.equal(originals)
  })

  it('does not round up what is exact but for the last digit', () => {
    // 100 x 1.1 is 110.00000000000001.
    const hundred = { min: 100, max: 100, desired: 100 }
    expect(of(1.1, 70, 70, hundred).scaled).to.deep.equal({ min: 110, max: 110, desired: 110 })
  })

  it('has its number of units within its bounds', () => {
    expect(of(2, 70, 70, { min: 2, max: 4, desired: 9 }).scaled).to.deep.equal({ min: 4, max: 8, desired: 8 })
    expect(of(2, 70, 70, { min: 3, max: 4, desired: 0 }).scaled).to.deep.equal({ min: 6, max: 8, desired: 6 })
  })

  it('grows with the multiplier, and covers what it is to', () => {
    const counts = fc.tuple(fc.nat(500), fc.nat(500), fc.nat(500)).map(([a, b, desired]) => {
      const [min, max] = [Math.min(a, b), Math.max(a, b)]
      return { min, max, desired: Math.min(Math.max(desired, min), max) }
    })
    const load = fc.record({
      multiplier: fc.double({ min: 0.01, max: 100, noNaN: true }),
      averageCpu: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
      targetCpuPercent: fc.double({ min: 10, max: 90, noNaN: true }),
    })
    fc.assert(
      fc.property(counts, load, (from, one) => {
        const { scaled } = calculate(from, one)
        const more = calculate(from, { ...one, multiplier: one.multiplier * 2 }).scaled
        for (const name of ['min', 'max', 'desired'] as const) {
          expect(scaled[name]).to.be.at.least(from[name])
          expect(scaled[name]).to.be.at.least(from[name] * factorOf(one) - 1e-6)
          expect(more[name]).to.be.at.least(scaled[name])
        }
        expect(scaled.desired).to.be.within(scaled.min, scaled.max)
      }),
    )
  })
})
