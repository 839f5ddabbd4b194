/** What triggers make of the minimum, moment by moment: every figure worked out by hand. */
import { expect } from 'chai'
import fc from 'fast-check'
import { effectiveMin, nextEdgeOf } from '#actors/autoscaling/policy/trigger.ts'
import type { Trigger } from '#streams/autoscaling.ts'
import { amount } from '#test/harness/tier.ts'

const bounds = { min: 2, max: 10 }
const minuteMs = 60_000
const at = (iso: string): number => Date.parse(iso)
const min = (triggers: readonly Trigger[], iso: string, of = bounds) => effectiveMin(triggers, of, at(iso))

const office: Trigger = { preset: 'business-hours', timezone: 'America/New_York' }
const weekend: Trigger = { preset: 'weekend-scale-down', timezone: 'America/New_York' }
const noon: Trigger = { preset: 'peak-hours', timezone: 'UTC', start: '12:00', end: '14:00' }

describe('business-hours', () => {
  it('raise the minimum to half of min and max, Monday to Friday from 08:00 to 18:00 of the zone [ASC-31] [S-21]', () => {
    // (2 + 10) / 2 = 6. New York is five hours behind UTC in January.
    const winter = [
      ['2030-01-07T12:59:59.999Z', 2],
      ['2030-01-07T13:00:00Z', 6],
      ['2030-01-07T22:59:59.999Z', 6],
      ['2030-01-07T23:00:00Z', 2],
      ['2030-01-11T22:59:00Z', 6],
      ['2030-01-12T15:00:00Z', 2],
      ['2030-01-13T15:00:00Z', 2],
    ] as const
    expect(winter.map(([when]) => [when, min([office], when)])).to.deep.equal(winter)
  })

  it('follow the clock of the zone into summer [ASC-31] [S-21]', () => {
    const summer = ['2030-07-08T11:59:00Z', '2030-07-08T12:00:00Z', '2030-07-08T21:59:00Z', '2030-07-08T22:00:00Z']
    expect(summer.map((when) => min([office], when))).to.deep.equal([2, 6, 6, 2])
  })

  it('raise to minCapacity where it is given, and half is rounded up [ASC-31]', () => {
    const open = '2030-01-07T15:00:00Z'
    expect(min([{ ...office, minCapacity: 9 }], open)).to.equal(9)
    expect(min([office], open, { min: 2, max: 5 })).to.equal(4)
    expect(min([office], open, { min: 0, max: 1 })).to.equal(1)
    expect(min([{ ...office, minCapacity: 99 }], open), 'never above max').to.equal(10)
  })

  it('have other days and hours where these are given [ASC-31]', () => {
    const early: Trigger = { preset: 'business-hours', timezone: 'UTC', days: [7], start: '06:30' }
    // 13 January 2030 is a Sunday; the end stays 18:00.
    const moments = ['2030-01-13T06:29:00Z', '2030-01-13T06:30:00Z', '2030-01-13T17:59:00Z', '2030-01-13T18:00:00Z']
    expect(moments.map((when) => min([early], when))).to.deep.equal([2, 6, 6, 2])
    expect(min([early], '2030-01-14T10:00:00Z')).to.equal(2)
  })
})

describe('peak-hours', () => {
  it('raise the minimum from their start on, and not at their end [ASC-32]', () => {
    const moments = ['2030-01-12T11:59:00Z', '2030-01-12T12:00:00Z', '2030-01-12T13:59:59Z', '2030-01-12T14:00:00Z']
    expect(moments.map((when) => min([noon], when))).to.deep.equal([2, 6, 6, 2])
  })

  it('that end before they begin go over midnight, and are of the day on which they begin [ASC-32]', () => {
    // Friday 11 January to the morning of Saturday.
    const late: Trigger = { preset: 'peak-hours', timezone: 'UTC', start: '22:00', end: '02:00', days: [5] }
    const moments = [
      ['2030-01-11T01:00:00Z', 2],
      ['2030-01-11T21:59:00Z', 2],
      ['2030-01-11T22:00:00Z', 6],
      ['2030-01-12T01:59:00Z', 6],
      ['2030-01-12T02:00:00Z', 2],
      ['2030-01-12T23:00:00Z', 2],
    ] as const
    expect(moments.map(([when]) => [when, min([late], when)])).to.deep.equal(moments)
  })

  it('lose what the clock jumps over, and have what it shows twice both times [ASC-32]', () => {
    const night: Trigger = { preset: 'peak-hours', timezone: 'Europe/Berlin', start: '02:00', end: '03:00' }
    // On 31 March 2030 the clock goes from 02:00 to 03:00 at 01:00 UTC: there is no such hour.
    const spring = ['2030-03-31T00:59:00Z', '2030-03-31T01:00:00Z', '2030-03-31T01:30:00Z']
    expect(spring.map((when) => min([night], when))).to.deep.equal([2, 2, 2])
    // On 27 October it goes from 03:00 back to 02:00 at 01:00 UTC: 00:00 to 02:00 UTC is in it.
    const autumn = ['2030-10-26T23:59:00Z', '2030-10-27T00:00:00Z', '2030-10-27T01:59:00Z', '2030-10-27T02:00:00Z']
    expect(autumn.map((when) => min([night], when))).to.deep.equal([2, 6, 6, 2])
  })
})

describe('weekend-scale-down', () => {
  it('lowers the minimum to half, on Saturday and Sunday of the zone [ASC-33] [S-21]', () => {
    const moments = [
      // Saturday begins in New York at 05:00 UTC.
      ['2030-01-12T04:59:00Z', 2],
      ['2030-01-12T05:00:00Z', 1],
      ['2030-01-14T04:59:00Z', 1],
      ['2030-01-14T05:00:00Z', 2],
    ] as const
    expect(moments.map(([when]) => [when, min([weekend], when)])).to.deep.equal(moments)
  })

  it('comes sooner and later in other zones [ASC-33]', () => {
    // Kiritimati is 14 hours ahead of UTC, Pago Pago 11 behind.
    const first: Trigger = { ...weekend, timezone: 'Pacific/Kiritimati' }
    const last: Trigger = { ...weekend, timezone: 'Pacific/Pago_Pago' }
    const moments = ['2030-01-11T09:59:00Z', '2030-01-11T10:00:00Z', '2030-01-12T10:59:00Z', '2030-01-12T11:00:00Z']
    expect(moments.map((when) => min([first], when))).to.deep.equal([2, 1, 1, 1])
    expect(moments.map((when) => min([last], when))).to.deep.equal([2, 2, 2, 1])
    expect(min([first], '2030-01-13T10:00:00Z'), 'it is Monday there').to.equal(2)
  })

  it('leaves nothing at nothing, and one at one [ASC-33]', () => {
    const saturday = '2030-01-12T15:00:00Z'
    const of = (least: number) => min([weekend], saturday, { min: least, max: 10 })
    expect([0, 1, 2, 3, 4, 9].map(of)).to.deep.equal([0, 1, 1, 1, 2, 4])
    expect(min([{ ...weekend, minCapacity: 0 }], saturday)).to.equal(0)
  })
})

describe('triggers', () => {
  it('that are open at once: the highest raise counts, and a raise beats a lowering [ASC-31] [ASC-33]', () => {
    const saturdayNoon = '2030-01-12T12:30:00Z'
    expect(min([noon, { ...noon, minCapacity: 8 }, { ...noon, minCapacity: 3 }], saturdayNoon)).to.equal(8)
    expect(min([weekend, noon], '2030-01-12T13:00:00Z')).to.equal(6)
    expect(min([weekend, { ...weekend, minCapacity: 0 }], '2030-01-12T15:00:00Z')).to.equal(0)
    expect(min([], saturdayNoon)).to.equal(2)
  })

  it('in a zone that is not known any more are never open', () => {
    expect(min([{ ...office, timezone: 'Mars/Olympus' }], '2030-01-07T15:00:00Z')).to.equal(2)
    expect(nextEdgeOf([{ ...office, timezone: 'Mars/Olympus' }], at('2030-01-07T15:00:00Z'))).to.equal(undefined)
  })

  it('tell their next edge, behind a weekend and over a change of the clock', () => {
    const next = (triggers: readonly Trigger[], iso: string) => {
      const edge = nextEdgeOf(triggers, at(iso))
      return edge === undefined ? undefined : new Date(edge).toISOString()
    }
    expect(next([office], '2030-01-07T13:00:00Z')).to.equal('2030-01-07T23:00:00.000Z')
    expect(next([office], '2030-01-11T23:00:00Z')).to.equal('2030-01-14T13:00:00.000Z')
    // 10 March 2030 is the Sunday on which New York puts its clock forward.
    expect(next([office], '2030-03-08T23:00:00Z')).to.equal('2030-03-11T12:00:00.000Z')
    expect(next([office, weekend], '2030-01-11T23:00:00Z')).to.equal('2030-01-12T05:00:00.000Z')
    expect(next([], '2030-01-07T13:00:00Z')).to.equal(undefined)
  })

  it('open once more where the clock goes back behind their end', () => {
    const berlin: Trigger = { preset: 'peak-hours', timezone: 'Europe/Berlin', start: '22:30', end: '02:30' }
    // On 27 October 2030 it is 02:30 at 00:30 UTC, 02:00 again at 01:00, and 02:30 again at 01:30.
    const edges = ['2030-10-26T20:30', '2030-10-27T00:30', '2030-10-27T01:00', '2030-10-27T01:30', '2030-10-27T21:30']
    let now = at('2030-10-26T12:00:00Z')
    const found = edges.map(() => new Date((now = nextEdgeOf([berlin], now)!)).toISOString().slice(0, 16))
    expect(found).to.deep.equal(edges)
    expect(edges.map((edge) => min([berlin], `${edge}:00Z`))).to.deep.equal([6, 2, 6, 2, 6])
  })

  it('change the minimum at their edges alone, and each is one', () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC']
    // Days on which clocks are put forward and back, and others.
    const starts = ['2030-03-08', '2030-03-30', '2030-04-06', '2030-10-05', '2030-10-26', '2030-11-02', '2030-07-01']
    const clock = fc
      .tuple(fc.nat(23), fc.constantFrom('00', '30', '59'))
      .map(([hour, minute]) => `${hour}`.padStart(2, '0') + `:${minute}`)
    const trigger = fc.record({
      preset: fc.constantFrom('peak-hours' as const, 'weekend-scale-down' as const),
      timezone: fc.constantFrom(...zones),
      days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      start: clock,
      end: clock,
    })
    fc.assert(
      fc.property(trigger, fc.constantFrom(...starts), (one, start) => {
        const from = at(`${start}T00:00:00Z`)
        const until = from + 3 * 86_400_000
        const edges: number[] = []
        for (let edge = nextEdgeOf([one], from); edge !== undefined && edge <= until; edge = nextEdgeOf([one], edge))
          edges.push(edge)
        const changes: number[] = []
        for (let now = from + minuteMs; now <= until; now += minuteMs)
          if (effectiveMin([one], bounds, now) !== effectiveMin([one], bounds, now - minuteMs)) changes.push(now)
        expect(edges).to.deep.equal(changes)
      }),
      { numRuns: amount(20, 60, 600) },
    )
  })
})
