/** What a policy would have made of a load, minute by minute: every figure worked out by hand. */
import { expect } from 'chai'
import fc from 'fast-check'
import { Points } from '#actors/autoscaling/policy/points.ts'
import { minutesOf, replay, type Minute, type ReplayedTerms } from '#actors/autoscaling/policy/what-if.ts'

const minuteMs = 60_000
const begin = Date.parse('2030-01-07T00:00:00Z')
const terms: ReplayedTerms = {
  min: 2,
  max: 10,
  targetCpuPercent: 60,
  cooldownSeconds: 300,
  triggers: [],
  adoption: null,
  step: null,
  maxHourlyUsd: null,
}

/** So many minutes of each load, with so many units there in fact. */
const minutes = (
  parts: readonly (readonly [minutes: number, load: number | null])[],
  units = 4,
  from = begin,
): Minute[] =>
  parts
    .flatMap(([count, load]) => Array.from({ length: count }, () => load))
    .map((load, n) => ({ at: from + n * minuteMs, load, units }))
const rounded = (value: object) =>
  JSON.parse(JSON.stringify(value), (_, one) => (typeof one === 'number' ? Math.round(one * 1e6) / 1e6 : one))

describe('a replay', () => {
  it('of a load that the units bear leaves them as they are', () => {
    expect(rounded(replay(terms, minutes([[60, 240]]), 0.2))).to.deep.equal({
      measuredHours: 1,
      writes: 0,
      capacityHours: 4,
      hoursAboveTarget: 0,
      hoursAboveFull: 0,
      costUsd: 0.8,
      recordedCapacityHours: 4,
    })
  })

  it('raises for a load beyond the target from the next minute on, once', () => {
    // 4 units at 90 % are 6 at 60 %: a minute of 4 and 59 of 6, 358 minutes of one unit.
    expect(rounded(replay(terms, minutes([[60, 360]]), 0.2))).to.deep.equal({
      measuredHours: 1,
      writes: 1,
      capacityHours: 5.966667,
      hoursAboveTarget: 0.016667,
      hoursAboveFull: 0,
      costUsd: 1.193333,
      recordedCapacityHours: 4,
    })
  })

  it('follows a load down as the mean of five minutes falls, no sooner than the cooldown allows', () => {
    // With 120 from minute 60 on the mean is 52 % (6 units still), then 44 %: 5 units from minute 62. Five minutes behind that write it is 24 % of 5: 2 units from 67.
    const made = replay(
      terms,
      minutes([
        [60, 360],
        [60, 120],
      ]),
      null,
    )
    expect([made.writes, made.costUsd]).to.deep.equal([3, null])
    expect(made.capacityHours * 60).to.be.closeTo(358 + 2 * 6 + 5 * 5 + 53 * 2, 1e-6)
  })

  it('changes by the clock whatever the cooldown', () => {
    const noon = Date.parse('2030-01-07T11:55:00Z')
    const trigger = { preset: 'peak-hours', timezone: 'UTC', start: '12:00', end: '12:10' } as const
    const said = { ...terms, cooldownSeconds: 86_400, triggers: [trigger] }
    // 2 units to 12:00, 6 from the minute behind it to 12:10, then 2.
    const made = replay(said, minutes([[20, 120]], 2, noon), null)
    expect([made.writes, made.hoursAboveTarget]).to.deep.equal([2, 0])
    expect(made.capacityHours * 60).to.be.closeTo(6 * 2 + 10 * 6 + 4 * 2, 1e-6)
  })

  it('counts what the units could not bear, as nothing can where there are none', () => {
    // Of 1,500 % the 10 units that are allowed bear 1,000: the first minute has 4 of them, and tells 100 % of each, so 7 are made.
    const made = replay(terms, minutes([[30, 1500]]), null)
    expect(rounded([made.hoursAboveTarget, made.hoursAboveFull])).to.deep.equal([0.5, 0.5])
    const none = replay({ ...terms, min: 0 }, minutes([[30, 30]], 0), null)
    expect(none).to.deep.include({ writes: 0, capacityHours: 0, hoursAboveTarget: 0.5, hoursAboveFull: 0.5 })
  })

  it('keeps to what an hour may cost', () => {
    const made = replay({ ...terms, maxHourlyUsd: 1 }, minutes([[60, 360]]), 0.2)
    // 5 units at most, and so the maximum is one from the first minute on.
    expect([made.writes, Math.round(made.capacityHours * 60)]).to.deep.equal([1, 4 + 59 * 5])
  })

  it('counts nothing where nothing was measured', () => {
    const made = replay(
      terms,
      minutes([
        [30, 240],
        [30, null],
      ]),
      1,
    )
    expect(made).to.deep.include({ measuredHours: 0.5, capacityHours: 2, recordedCapacityHours: 2, costUsd: 2 })
    expect(replay(terms, [], 1)).to.deep.equal({
      measuredHours: 0,
      writes: 0,
      capacityHours: 0,
      hoursAboveTarget: 0,
      hoursAboveFull: 0,
      costUsd: 0,
      recordedCapacityHours: 0,
    })
  })

  it('never has more units than the policy allows, nor fewer, nor writes more often than the cooldown lets it [ASC-30]', () => {
    const load = fc.array(fc.option(fc.integer({ min: 0, max: 1500 })), { minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(load, fc.integer({ min: 0, max: 3600 }), (loads, cooldownSeconds) => {
        const list = minutes(loads.map((one) => [1, one] as const))
        const { writes, capacityHours, measuredHours } = replay({ ...terms, cooldownSeconds }, list, null)
        expect(capacityHours).to.be.within(measuredHours * 2 - 1e-9, measuredHours * 10 + 1e-9)
        expect((writes - 1) * cooldownSeconds).to.be.at.most(loads.length * 60)
      }),
    )
  })
})

describe('the minutes of a recording', () => {
  const at = (minute: number) => begin + minute * minuteMs
  const loads = (recorded: Parameters<typeof minutesOf>[0], to: number) =>
    [...minutesOf(recorded, begin, at(to))].map(({ load }) => load)

  it('have each sample until the next one, for an hour at most', () => {
    const found = loads(
      [
        { at: at(0), cpuPercent: 50, units: 4 },
        { at: at(30), cpuPercent: 80, units: null },
      ],
      120,
    )
    const expected = [
      ...Array.from({ length: 30 }, () => 200),
      ...Array.from({ length: 30 }, () => 320),
      ...Array.from({ length: 60 }, () => null),
    ]
    expect(found).to.deep.equal(expected)
  })

  it('have no load without units, and none that is known without CPU or without their number', () => {
    expect(loads([{ at: at(0), cpuPercent: null, units: 0 }], 2)).to.deep.equal([0, 0])
    expect(loads([{ at: at(0), cpuPercent: null, units: 3 }], 2)).to.deep.equal([null, null])
    expect(loads([{ at: at(0), cpuPercent: 50, units: null }], 2)).to.deep.equal([null, null])
    expect(loads([], 2)).to.deep.equal([null, null])
  })

  it('begin on whole minutes within the range', () => {
    const found = [...minutesOf([], begin + 1, begin + 2 * minuteMs + 1)].map((minute) => minute.at)
    expect(found).to.deep.equal([at(1), at(2)])
  })
})

describe('the course of a replay', () => {
  const [from, hour] = [begin, 60 * minuteMs]
  const courseOf = (list: readonly Minute[], to: number, count: number) => {
    const points = new Points(from, to, count)
    replay(terms, list, null, (minute, units) => points.take(minute, units))
    return rounded(points.read()).map(({ at, cpuPercent, recordedUnits, units }: any) => [
      (at - from) / minuteMs,
      cpuPercent,
      recordedUnits,
      units,
    ])
  }

  it('is told in means of equal length: what was measured, and what the policy would have had', () => {
    // Half an hour of 4 units at 60 %, then 90 %. The mean of five minutes is 66 % at minute 30, which is near enough, and 72 % at 31: 5 units
    // from 32 on. Behind the cooldown, at 36, they work at 72 %: 6 units from 37 on. (2 x 4 + 5 x 5 + 23 x 6) / 30 = 5.7.
    const list = minutes([
      [30, 240],
      [30, 360],
    ])
    expect(courseOf(list, from + hour, 2)).to.deep.equal([
      [0, 60, 4, 4],
      [30, 90, 4, 5.7],
    ])
  })

  it('has no figures where nothing was measured, and points of whole minutes', () => {
    const list = minutes([
      [2, 240],
      [3, null],
    ])
    expect(courseOf(list, from + 5 * minuteMs, 3)).to.deep.equal([
      [0, 60, 4, 4],
      [2, null, 4, null],
      [4, null, 4, null],
    ])
  })
})
