import { expect } from 'chai'
import { anomalyActor } from '#actors/anomaly/actor.ts'
import { storyActor } from '#actors/anomaly/story-actor.ts'
import { foldAnomalies, type UnfoldedAnomaly } from '#actors/anomaly/story.ts'
import { noticeActor } from '#actors/notification/notice/notice.ts'
import type { Audience } from '#actors/notification/notice/match.ts'
import {
  anomaliesOf,
  noticeRaised,
  storyDue,
  storyReported,
  type NotificationEvent,
} from '#streams/notification/messages.ts'
import { anomalyFound } from '#streams/anomaly.ts'
import { MemoryActor } from '#test/harness/turn.ts'

type Type = 'org' | 'cloud_account' | 'team' | 'resource'
interface More {
  date?: string
  /** Uids and what they rose by, the largest first. */
  top?: [string, number][]
  cause?: string
  loose?: [service: string, usd: number]
  recurrence?: string
  suppressed?: boolean
}

/** So many dollars above a baseline of 100. */
const row = (type: Type, key: string, excess: number, more: More = {}): UnfoldedAnomaly => ({
  found: {
    ...anomalyFound.examples[0]!,
    type,
    key,
    label: key,
    date: more.date ?? '2026-01-15',
    actualUsd: 100 + excess,
    expectedUsd: 100,
    suppressed: more.suppressed ?? false,
    topResources: (more.top ?? []).map(([resourceUid, deltaUSD]) => ({
      resourceUid,
      resourceName: '',
      costUSD: deltaUSD,
      deltaUSD,
    })),
    cloudAccountId: type === 'resource' ? 'A' : '',
    recurrence: more.recurrence ?? '',
  },
  cause: more.cause ?? '',
  loose: { service: more.loose?.[0] ?? '', usd: more.loose?.[1] ?? 0 },
})
const resource = (uid: string, excess: number, more: More = {}) =>
  row('resource', uid, excess, { top: [[uid, excess]], ...more })

/** `<story>: <keys in their order>` of those that people are notified of. */
function messages(rows: readonly UnfoldedAnomaly[], notifiesRecurring = false): string[] {
  const told = foldAnomalies(rows, notifiesRecurring).filter(({ story }) => story!.size > 0)
  const stories = Map.groupBy(told, ({ story }) => story!.key)
  return [...stories].map(([key, list]) => {
    const places = list.toSorted((a, b) => a.story!.place - b.story!.place)
    expect(places.map(({ story }) => story!.size)).to.deep.equal(places.map(() => list.length))
    return `${key}: ${places.map((one) => one.key).join(' ')}`
  })
}

describe('anomalies of a day are one message', () => {
  it('where one resource explains half of each, itself first [G-118]', () => {
    const top: [string, number][] = [['r1', 50]]
    const rows = [row('org', 'o1', 100, { top }), row('cloud_account', 'A', 90, { top }), resource('r1', 50)]
    expect(messages(rows)).to.deep.equal(['resource/r1: r1 A o1'])
    const less = row('org', 'o1', 101, { top })
    expect(messages([less, resource('r1', 50)])).to.deep.equal(['top/r1: o1', 'resource/r1: r1'])
  })

  it('each with what it explains, where there are several; what they make together is none of its own [G-118]', () => {
    const two = [
      row('org', 'o1', 100, {
        top: [
          ['r1', 60],
          ['r2', 40],
        ],
      }),
      resource('r1', 60),
      resource('r2', 40),
    ]
    expect(messages(two)).to.deep.equal(['resource/r1: r1 o1', 'resource/r2: r2'])
    const thirds: [string, number][] = [
      ['r1', 34],
      ['r2', 33],
      ['r3', 33],
    ]
    const three = [row('org', 'o1', 100, { top: thirds }), ...thirds.map(([uid, usd]) => resource(uid, usd))]
    expect(messages(three)).to.deep.equal(['resource/r1: r1 o1', 'resource/r2: r2', 'resource/r3: r3'])
  })

  it('where the same resources rose most in the organization, an account and a team, none of them by much [G-118]', () => {
    const top: [string, number][] = [
      ['r1', 5],
      ['r2', 4],
    ]
    const rows = [
      row('team', 't1', 80, { top }),
      row('org', 'o1', 100, { top }),
      row('cloud_account', 'A', 90, { top }),
    ]
    expect(messages(rows)).to.deep.equal(['top/r1: o1 A t1'])
  })

  it('where they are charges without a resource: on the 1st all of them, else those of one service [G-118]', () => {
    const of = (date: string) => [
      row('cloud_account', 'A', 60, { date, loose: ['Tax', 80] }),
      row('cloud_account', 'B', 40, { date, loose: ['Support', 20] }),
      row('team', 't1', 30, { date, loose: ['Tax', 30] }),
      row('org', 'o1', 100, { date, loose: ['Tax', 100] }),
    ]
    expect(messages(of('2026-02-01'))).to.deep.equal(['charges: o1 A B t1'])
    expect(messages(of('2026-02-02'))).to.deep.equal(['charge/Tax: o1 A t1', 'charge/Support: B'])
  })

  it('where credits ended, and where reservations of one account did [G-118] [G-119]', () => {
    const ended = { cause: 'Credits ended' }
    expect(messages([resource('r1', 50, ended), resource('r2', 40, ended), row('org', 'o1', 90, ended)])).to.deep.equal(
      ['credits: o1 r1 r2'],
    )
    const expired = ['r1', 'r2', 'r3'].map((uid, i) => resource(uid, 5 - i, { cause: 'Reservation expiry' }))
    expect(messages(expired)).to.deep.equal(['reservation/A: r1 r2 r3'])
  })

  it('without what is suppressed, which goes with its like alone [G-118] [ANOM-32]', () => {
    const rows = [row('org', 'o1', 100, { top: [['r1', 60]], suppressed: true }), resource('r1', 60)]
    expect(messages(rows)).to.deep.equal(['resource/r1: r1'])
    expect(foldAnomalies(rows, true).map(({ story }) => story!.key)).to.deep.equal(['resource/r1', 'resource/r1'])
  })

  it('without what is recurring, or is made of it, unless the organization wants it [G-118]', () => {
    const recurrence = 'every Friday'
    const rows = (excess: number) => [
      row('org', 'o1', excess, { top: [['r1', 80]] }),
      resource('r1', 80, { recurrence }),
    ]
    // 80 per cent of 100 recur, and less than that of 101.
    expect(messages(rows(100))).to.deep.equal([])
    expect(messages(rows(101))).to.deep.equal(['resource/r1: o1'])
    expect(messages(rows(100), true)).to.deep.equal(['resource/r1: r1 o1'])
    expect(foldAnomalies(rows(100), false).map((one) => one.recurrence)).to.deep.equal([recurrence, recurrence])
  })

  it('of 100 at most', () => {
    const rows = Array.from({ length: 150 }, (_, n) => resource(`r${n}`, 200 - n, { cause: 'Reservation expiry' }))
    const [first, , last] = [0, 99, 149].map((at) => foldAnomalies(rows, false)[at]!.story)
    expect([first, last]).to.deep.equal([
      { key: 'reservation/A', part: 0, size: 100, place: 0 },
      { key: 'reservation/A', part: 1, size: 50, place: 49 },
    ])
  })
})

const found = (more: object) => ({ ...anomalyFound.examples[0]!, ...more })
const eventOf = (type: Type, id: string, severity: 'warning' | 'critical' = 'warning'): NotificationEvent => ({
  id: `e-${id}`,
  eventType: `cost.anomaly.${type}.${severity}`,
  name: 'Anomaly',
  category: 'cost_anomaly',
  orgID: 'o1',
  occurredAt: '2026-01-16T04:30:00.000Z',
  severity,
  title: `Cost of ${id}`,
  summary: '',
  scope: { type, id: type === 'org' ? '' : id },
  data: { anomalyID: `x-${id}`, date: '2026-01-15', label: id, actualCostUsd: 200, expectedCostUsd: 100 },
})

/** What is remembered of one that was told. */
const brief = (event: NotificationEvent) => ({ ...event, data: { actualCostUsd: 200, expectedCostUsd: 100 } })

describe('anomalies with one cause are gathered before people are notified', () => {
  const story = { key: 'resource/r1', part: 0, size: 3 }
  const reported = (place: number, event: NotificationEvent | null) => ({
    ...story,
    date: '2026-01-15',
    place,
    row: `row-${place}`,
    event,
  })

  it('by their actors, each saying whether it notifies; what it notifies of is published as ever [G-118]', () => {
    const one = new MemoryActor(anomalyActor, { place: '-', key: 'org|o1' })
    const place = { ...story, place: 2 }
    const done = one.take(anomalyFound, found({ story: place }))
    expect([done.raised, done.emitted.map(({ type }) => type)]).to.deep.equal([
      [],
      ['cost.anomaly.critical', 'story.reported'],
    ])
    expect(done.emitted[1]!.data).to.deep.equal({
      ...place,
      date: '2026-01-15',
      row: 'org|o1',
      event: done.emitted[0]!.data,
    })
    const again = one.take(anomalyFound, found({ story: place }))
    expect(again.emitted.map(({ type, data }) => [type, data.event])).to.deep.equal([['story.reported', null]])
  })

  it('and recurring ones are recorded with their severity and notify nobody [G-118]', () => {
    const one = new MemoryActor(anomalyActor, { place: '-', key: 'org|o1' })
    const quiet = { recurrence: 'every Friday', isQuiet: true, story: { ...story, size: 0, place: 0 } }
    const done = one.take(anomalyFound, found(quiet))
    expect([done.emitted, done.raised]).to.deep.equal([[], []])
    const { severity, recurrence, notified, suppressed } = done.facts[0]!.row
    expect([severity, recurrence, notified, suppressed]).to.deep.equal(['critical', 'every Friday', 0, 0])
    // It keeps nobody from hearing of the next, which is new.
    const next = found({ date: '2026-01-16', actualUsd: 300 })
    expect(one.take(anomalyFound, next).raised).to.have.length(1)
  })

  it('in one notice once all have reported, in the order of their places [G-118]', () => {
    const one = new MemoryActor(storyActor, { place: '-', key: '2026-01-15|0|resource/r1' })
    const [r1, org] = [eventOf('resource', 'r1'), eventOf('org', 'o1')]
    const early = [one.take(storyReported, reported(2, org)), one.take(storyReported, reported(1, null))]
    expect(early.map(({ notices }) => notices)).to.deep.equal([[], []])
    expect(one.take(storyReported, reported(0, r1)).notices).to.deep.equal([{ event: r1, folded: [org], before: [] }])
    // The run of the next day finds one more.
    const account = eventOf('cloud_account', 'A')
    const later = [0, 1, 2].map((place) => one.take(storyReported, reported(place, place === 1 ? account : null)))
    expect(later[2]!.notices).to.deep.equal([{ event: account, folded: [], before: [r1, org].map(brief) }])
    expect(one.take(storyDue, { key: one.address.key }, { reminder: 'due' }).removed).to.equal(true)
  })

  it('with what there is after a minute, and not at all where none notifies [G-118]', () => {
    const one = new MemoryActor(storyActor, { place: '-', key: '2026-01-15|0|resource/r1' })
    one.take(storyReported, reported(2, eventOf('org', 'o1')), { at: 0 })
    expect(one.reminders.get('due')).to.equal(60_000)
    const due = one.take(storyDue, { key: one.address.key }, { at: 60_000, reminder: 'due' })
    expect(due.notices.map(({ event }) => event.id)).to.deep.equal(['e-o1'])
    const none = new MemoryActor(storyActor, { place: '-', key: '2026-01-15|0|resource/r1' })
    const ends = [0, 1, 2].map((place) => none.take(storyReported, reported(place, null)))
    expect(ends.map(({ notices, removed }) => [notices, removed])).to.deep.equal([
      [[], false],
      [[], false],
      [[], true],
    ])
  })
})

describe('a notice of several anomalies', () => {
  /** By event type, the channels that subscribed to it. */
  const deliveries = (
    data: { event: NotificationEvent; folded?: NotificationEvent[]; before?: NotificationEvent[] },
    channels: Readonly<Record<string, string[]>>,
  ) => {
    const of = (_: string, { eventType }: NotificationEvent): Audience => ({
      subscribed: (channels[eventType] ?? []).map((channelId) => ({ channelId, scopeType: 'org', scopeId: '' })),
      people: [],
      ownersOf: () => [],
      anomalyMinUsd: 0,
    })
    const done = new MemoryActor(noticeActor, { place: '-', key: 'all' }).take(noticeRaised, data, { needs: { of } })
    return done.emitted.map(({ data: { channelId, event } }) => ({ channelId, event: event as NotificationEvent }))
  }
  const [r1, account, org] = [eventOf('resource', 'r1'), eventOf('cloud_account', 'A'), eventOf('org', 'o1')]

  it('is one message a channel, of those that it subscribed to, the first of them leading [G-118]', () => {
    const channels = {
      'cost.anomaly.resource.warning': ['C'],
      'cost.anomaly.cloud_account.warning': ['C', 'D'],
      'cost.anomaly.org.warning': ['D'],
    }
    const sent = deliveries({ event: r1, folded: [account, org] }, channels)
    expect(sent.map(({ channelId, event }) => [channelId, event.id, event.title])).to.deep.equal([
      ['C', 'e-r1', 'Cost of r1'],
      ['D', 'e-A', 'Cost of A'],
    ])
    expect(sent[1]!.event.data['folded']).to.deep.equal([
      {
        anomalyID: 'x-o1',
        date: '2026-01-15',
        anomalyType: 'org',
        anomalyKey: 'o1',
        label: 'o1',
        severity: 'warning',
        actualCostUsd: 200,
        expectedCostUsd: 100,
      },
    ])
    expect(anomaliesOf(sent[1]!.event)).to.deep.equal([
      { type: 'cloud_account', key: 'A', date: '2026-01-15' },
      { type: 'org', key: 'o1', date: '2026-01-15' },
    ])
  })

  it('is not sent again to whom the cause was told, unless it is worse [G-118]', () => {
    const all = {
      'cost.anomaly.resource.warning': ['C'],
      'cost.anomaly.org.warning': ['C'],
      'cost.anomaly.org.critical': ['C'],
    }
    expect(deliveries({ event: org, before: [r1] }, all)).to.deep.equal([])
    expect(deliveries({ event: eventOf('org', 'o1', 'critical'), before: [r1] }, all)).to.have.length(1)
    expect(deliveries({ event: org, before: [account] }, all)).to.have.length(1)
  })
})
