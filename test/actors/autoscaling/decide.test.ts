/** How many units a target shall have: S-21 and others, worked out by hand. */
import { expect } from 'chai'
import fc from 'fast-check'
import { cpuOf, decide, type DecideTerms, type ScalingState, type Wish } from '#actors/autoscaling/policy/decide.ts'
import { effectiveMin } from '#actors/autoscaling/policy/trigger.ts'
import type { Trigger } from '#streams/autoscaling.ts'

const terms: DecideTerms = {
  min: 2,
  max: 10,
  targetCpuPercent: 60,
  triggers: [],
  adoption: null,
  step: null,
  maxHourlyUsd: null,
}
const standing: ScalingState = { current: { min: 2, max: 10, desired: 4 }, cpu: null, need: null, unitUsd: null }
/** A Monday at noon in UTC. */
const monday = Date.parse('2030-01-07T12:00:00Z')

const wish = (said: Partial<DecideTerms>, known: Partial<ScalingState>, now = monday): Wish =>
  decide({ ...terms, ...said }, { ...standing, ...known }, now)
/** `min..max desired`, and whether it is a change. */
const told = ({ min, max, desired, isChange }: Wish) => `${min}..${max} ${desired}${isChange ? '' : ' stays'}`
const of = (known: Partial<ScalingState>, said: Partial<DecideTerms> = {}, now = monday) => told(wish(said, known, now))
const units = (desired: number, min = 2, max = 10) => ({ min, max, desired })

describe('the load', () => {
  it('sets the number: units times CPU by target, rounded up [ASC-30] [S-21]', () => {
    // 4 x 90 / 60 = 6
    expect(of({ cpu: 90 })).to.equal('6..10 6')
    // 4 x 91 / 60 = 6.07
    expect(of({ cpu: 91 })).to.equal('7..10 7')
    // 4 x 20 / 60 = 1.33, which is 2: the minimum that is, and fewer units than there are.
    expect(of({ cpu: 20 })).to.equal('2..10 2')
    expect(of({ cpu: 0 })).to.equal('2..10 2')
  })

  it('sets no more than the policy allows, and no less [ASC-30] [S-21]', () => {
    // 8 x 95 / 60 = 12.67
    expect(of({ current: units(8), cpu: 95 })).to.equal('10..10 10')
    expect(of({ current: units(3), cpu: 5 }, { min: 3 })).to.equal('3..10 3')
  })

  it('says nothing within a tenth of the target, ends included [S-21] [G-77]', () => {
    for (const cpu of [54, 60, 62, 66]) expect(of({ cpu }), String(cpu)).to.equal('2..10 4 stays')
    // 4 x 66.1 / 60 = 4.41 and 4 x 53.9 / 60 = 3.59, which is 4 already but for the minimum.
    expect(of({ cpu: 66.1 })).to.equal('5..10 5')
    expect(of({ cpu: 53.9 })).to.equal('4..10 4')
  })

  it('that is exact but for the last digit does not round up', () => {
    // 3 x 70 / 30 is 7.000000000000001 in the arithmetic of the machine.
    expect(of({ current: units(3), cpu: 70 }, { targetCpuPercent: 30 })).to.equal('7..10 7')
    expect(of({ current: units(5), cpu: 84 })).to.equal('7..10 7')
  })

  it('moves by the step at most, either way', () => {
    expect(of({ current: units(4), cpu: 100 }, { step: { up: 1 } })).to.equal('5..10 5')
    expect(of({ current: units(9), cpu: 6 }, { step: { down: 2 } })).to.equal('7..10 7')
    expect(of({ current: units(9), cpu: 6 }, { step: { up: 1 } })).to.equal('2..10 2')
    expect(of({ current: units(4), cpu: 100 }, { step: {} })).to.equal('7..10 7')
  })

  it('of nothing that runs says nothing: none stays none until the clock raises it', () => {
    expect(of({ current: units(0, 0), cpu: 50 }, { min: 0 })).to.equal('0..10 0 stays')
    const noon: Trigger = { preset: 'peak-hours', timezone: 'UTC', start: '12:00', end: '13:00' }
    expect(of({ current: units(0, 0) }, { min: 0, triggers: [noon] })).to.equal('5..10 5')
  })

  it('that was met is kept as what is needed, so that calm does not undo it [S-21]', () => {
    const first = wish({}, { cpu: 90 })
    expect([first.need, first.byLoad]).to.deep.equal([6, true])
    const calm = wish({}, { current: units(6, 6), cpu: 62, need: 6 })
    expect([told(calm), calm.need, calm.byLoad]).to.deep.equal(['6..10 6 stays', 6, false])
    const gone = wish({}, { current: units(6, 6), cpu: 20, need: 6 })
    expect([told(gone), gone.need]).to.deep.equal(['2..10 2', 2])
  })

  it('that nobody measured leaves what was needed, and the clock still works', () => {
    expect(of({ current: units(6, 6), need: 6 })).to.equal('6..10 6 stays')
    expect(of({ current: units(6, 6), need: null, byClock: true })).to.equal('2..10 2')
  })

  it('and the clock alone take units away: whoever else asks changes the bounds [ASC-30] [G-77]', () => {
    expect(of({ current: units(6, 6), need: null })).to.equal('2..10 6')
    expect(of({ current: units(5, 5, 12) }, { min: 3 })).to.equal('3..10 5')
    expect(of({ current: units(6, 6), cpu: 62 })).to.equal('2..10 6')
    expect(of({ current: units(1, 1) }, { min: 3 })).to.equal('3..10 3')
  })
})

describe('the clock', () => {
  const office: Trigger = { preset: 'business-hours', timezone: 'UTC' }
  const morning = Date.parse('2030-01-07T08:00:00Z')
  const evening = Date.parse('2030-01-07T18:00:00Z')

  it('raises the minimum, and gives it back [ASC-31] [S-21]', () => {
    const raised = wish({ triggers: [office] }, {}, morning)
    expect([told(raised), raised.byLoad, raised.reason]).to.deep.equal([
      '6..10 6',
      false,
      'A trigger raises the minimum to 6.',
    ])
    expect(of({ current: units(6, 6), byClock: true }, { triggers: [office] }, evening)).to.equal('2..10 2')
  })

  it('leaves a fleet that is larger than its minimum as it is', () => {
    expect(of({ current: units(8) }, { triggers: [office] }, morning)).to.equal('6..10 8')
    expect(of({ current: units(8, 6) }, { triggers: [office] }, evening)).to.equal('2..10 8')
  })

  it('keeps the load from going below what it raises to [ASC-31]', () => {
    expect(of({ current: units(6, 6), cpu: 10 }, { triggers: [office] }, morning)).to.equal('6..10 6 stays')
    expect(of({ current: units(6, 6), cpu: 95 }, { triggers: [office] }, morning)).to.equal('10..10 10')
  })

  it('lowers the minimum on weekends [ASC-33] [S-21]', () => {
    const weekend: Trigger = { preset: 'weekend-scale-down', timezone: 'America/New_York' }
    const saturday = Date.parse('2030-01-12T15:00:00Z')
    const lowered = wish({ triggers: [weekend] }, { current: units(2), byClock: true }, saturday)
    expect([told(lowered), lowered.reason]).to.deep.equal(['1..10 1', 'A trigger lowers the minimum to 1.'])
  })
})

describe('what an hour may cost', () => {
  it('is the most, where the price of a unit is known', () => {
    // 1.00 / 0.20 = 5
    expect(of({ cpu: 100, unitUsd: 0.2 }, { maxHourlyUsd: 1 })).to.equal('5..5 5')
    expect(of({ cpu: 100, unitUsd: 0.1 }, { maxHourlyUsd: 0.3 }), '0.3 / 0.1 is 2.9999999999999996').to.equal('3..3 3')
    expect(of({ cpu: 100, unitUsd: 0.01 }, { maxHourlyUsd: 1 })).to.equal('7..10 7')
  })

  it('comes behind the minimum', () => {
    expect(of({ cpu: 100, unitUsd: 5 }, { maxHourlyUsd: 1 })).to.equal('2..2 2')
  })

  it('limits nothing where nobody knows the price, which is said', () => {
    const unknown = wish({ maxHourlyUsd: 1 }, { cpu: 90 })
    expect([told(unknown), unknown.note]).to.deep.equal([
      '6..10 6',
      'The price of a unit is unknown, so the hourly cost limit is not applied.',
    ])
    expect(wish({ maxHourlyUsd: 1 }, { cpu: 90, unitUsd: 0.2 }).note).to.equal(undefined)
  })
})

describe('a target that keeps its own policies', () => {
  it('has its bounds changed and not its number of units [ASC-34]', () => {
    expect(of({ cpu: 90 }, { adoption: 'adopt' })).to.equal('6..10 6')
    expect(of({ current: units(8), cpu: 66.1 }, { adoption: 'adopt' })).to.equal('9..10 9')
    expect(of({ current: units(9), cpu: 20 }, { adoption: 'adopt' })).to.equal('3..10 9')
    // 9 x 13 / 60 = 1.95: the bounds are as they are to be.
    expect(of({ current: units(9), cpu: 13 }, { adoption: 'adopt' })).to.equal('2..10 9 stays')
  })
})

describe('CPU', () => {
  it('is the mean of the samples of the last five minutes, now included and five minutes ago not', () => {
    const at = (secondsAgo: number, value: number) => [monday - secondsAgo * 1000, value] as const
    expect(cpuOf([at(300, 0), at(299, 40), at(60, 60), at(0, 80), at(-1, 0)], monday)).to.equal(60)
    expect(cpuOf([at(300, 50)], monday)).to.equal(null)
    expect(cpuOf([], monday)).to.equal(null)
  })
})

describe('every decision', () => {
  const counts = fc.tuple(fc.nat(40), fc.nat(40)).map(([a, b]) => [Math.min(a, b), Math.max(a, b, 1)] as const)
  const trigger = fc.record({
    preset: fc.constantFrom('business-hours' as const, 'weekend-scale-down' as const, 'peak-hours' as const),
    timezone: fc.constantFrom('UTC', 'America/New_York', 'Asia/Kathmandu'),
    start: fc.constantFrom('00:00', '08:00', '22:30'),
    end: fc.constantFrom('02:00', '12:30', '23:59'),
    minCapacity: fc.nat(50),
  })
  const anyTerms = fc
    .record({
      bounds: counts,
      targetCpuPercent: fc.double({ min: 10, max: 90, noNaN: true }),
      triggers: fc.array(trigger, { maxLength: 3 }),
      adoption: fc.constantFrom(null, 'adopt' as const, 'replace' as const),
      step: fc.option(fc.record({ up: fc.integer({ min: 1, max: 9 }), down: fc.integer({ min: 1, max: 9 }) })),
      maxHourlyUsd: fc.option(fc.double({ min: 0.01, max: 20, noNaN: true })),
    })
    .map(({ bounds: [min, max], ...rest }): DecideTerms => ({ ...rest, min, max }))
  const anyStanding = fc
    .record({
      bounds: counts,
      desired: fc.nat(50),
      cpu: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
      need: fc.option(fc.nat(50)),
      unitUsd: fc.option(fc.double({ min: 0.001, max: 2, noNaN: true })),
    })
    .map(({ bounds: [min, max], desired, ...rest }): ScalingState => ({ ...rest, current: { min, max, desired } }))
  const anyMoment = fc.integer({ min: Date.UTC(2030, 0), max: Date.UTC(2031, 0) })

  it('lies between what the clock asks for and what the policy and its costs allow [ASC-30] [G-77]', () => {
    fc.assert(
      fc.property(anyTerms, anyStanding, anyMoment, (said, known, now) => {
        const { min, max, desired, isChange } = decide(said, known, now)
        const least = effectiveMin(said.triggers, said, now)
        expect([min, max, desired].every(Number.isInteger)).to.equal(true)
        expect(max).to.be.within(least, said.max)
        expect(min).to.be.within(least, max)
        expect(desired).to.be.within(min, max)
        const { current } = known
        if (!isChange) expect([min, max]).to.deep.equal([current.min, current.max])
        if (typeof said.maxHourlyUsd === 'number' && known.unitUsd !== null && max > least)
          expect(max * known.unitUsd).to.be.at.most(said.maxHourlyUsd * (1 + 1e-6))
      }),
      { numRuns: 2000 },
    )
  })

  it('once made is wanted no more: the same load as before asks for nothing else', () => {
    fc.assert(
      fc.property(anyTerms, anyStanding, anyMoment, (said, known, now) => {
        const { min, max, desired, need } = decide(said, known, now)
        // The cloud has done it, and its CPU is not known yet.
        const next = decide(said, { ...known, cpu: null, need, current: { min, max, desired } }, now)
        expect([next.isChange, next.min, next.max]).to.deep.equal([false, min, max])
      }),
      { numRuns: 2000 },
    )
  })

  it('is the same for any order of the samples', () => {
    const samples = fc.array(fc.tuple(fc.integer({ min: -600, max: 60 }), fc.integer({ min: 0, max: 100 })), {
      maxLength: 30,
    })
    fc.assert(
      fc.property(samples, fc.nat(), (list, seed) => {
        const points = list.map(([second, value]) => [monday + second * 1000, value] as const)
        const turned = points.toSorted(
          (a, b) => ((a[0] * 31 + a[1] * 7 + seed) % 97) - ((b[0] * 31 + b[1] * 7 + seed) % 97),
        )
        expect(cpuOf(turned, monday)).to.equal(cpuOf(points, monday))
        expect(of({ cpu: cpuOf(turned, monday) })).to.equal(of({ cpu: cpuOf(points, monday) }))
      }),
    )
  })
})
