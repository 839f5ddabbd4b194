/**
 * Each of the 22 event types, seen where it goes: by receivers of one key each. In the deep tier also provoked where it comes from, which
 * the turns of its actor show too (test/actors: power, override, budget, anomaly).
 */
import { expect } from 'chai'
import { billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { eventTypes } from '#streams/notification/event-type.ts'
import { before as daysBefore, day, detect, line } from '#test/harness/anomaly.ts'
import {
  calm,
  channelTo,
  chat,
  deliveriesOf,
  done,
  eventOf,
  keysOf,
  raised,
  type Chat,
  type Room,
} from '#test/harness/chat.ts'
import { atRest, callsOf } from '#test/harness/control.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { advance, resetClock } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepDescribe } from '#test/harness/tier.ts'

const types = ['slack', 'teams', 'google_chat']
const severities = ['warning', 'critical', 'emergency']
const dimensions = ['', 'cloud_account.', 'resource_group.', 'resource.', 'team.']
const fortnight = (usd: number) => Array.from({ length: 14 }, () => usd)

const stop = async (f: Fleet, uid = 'vm') => {
  const { status, body } = await f.send('POST', '/actions', f.of(uid, 'stop'))
  expect(status, JSON.stringify(body)).to.equal(202)
  return `/actions/${body.data.actionID}`
}

/** Has a stop throttled at each of its three tries. */
async function throttle(f: Fleet, uid = 'vm'): Promise<void> {
  const before = (await callsOf(f)).length
  await f.fail([{ call: 'stop', error: 'throttled', times: 3 }])
  const path = await stop(f, uid)
  for (const [n, pause] of [30, 120].entries()) {
    await until(`try ${n + 1}`, async () => (await callsOf(f)).length === before + n + 1)
    await atRest(f)
    await advance(pause + 1, f.orgId)
  }
  await f.ended(path)
}

const refuse = async (f: Fleet, uid = 'vm') => {
  await f.fail([{ call: 'stop', error: 'access_denied' }])
  await f.ended(await stop(f, uid))
}

const override = (f: Fleet, scopeID = 'vm') => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const of = { scopeType: 'resource', scopeID, desiredState: 'running', expiresAt }
  return done(f, 'POST', '/overrides', of)
}

/** A budget of 1000 for the team that has the resource, of which so much is spent. */
async function spend(f: Fleet, costUSD: number, name = 'Core', resourceUid = 'vm'): Promise<void> {
  const team = await done(f, 'POST', '/teams', { name })
  await done(f, 'POST', `/teams/${team.id}/resources`, { resourceUIDs: [resourceUid] })
  const budget = { teamName: name, monthlyBudgetUSD: 1000, alertThresholdPercent: 80 }
  await done(f, 'POST', '/budgets', budget)
  const usageDate = new Date().toISOString().slice(0, 10)
  const spent = { ...line(0, costUSD, { resourceUid }), usageDate, exportedAt: new Date().toISOString() }
  await f.publish(billingLine, [spent])
  await done(f, 'POST', '/internal/jobs/budget-evaluation/run', { orgId: f.orgId })
}

/** Costs that were `usual` for a fortnight and are `now` on the analysed day; resources of one account. */
const rise = (cloudAccountId: string, resourceUid: string, usual: number, now: number): BillingLine[] => {
  const more = { cloudAccountId, resourceUid }
  return [...daysBefore(fortnight(usual), more), line(0, now, more)]
}

/** The group has r1 and r2, the team r1 and r3. */
async function spike(f: Fleet, lines: readonly BillingLine[], days: readonly string[] = [day(0)]): Promise<void> {
  await done(f, 'POST', '/resource-groups', { name: 'Shop', members: [{ resourceUID: 'r1' }, { resourceUID: 'r2' }] })
  const team = await done(f, 'POST', '/teams', { name: 'Web' })
  await done(f, 'POST', `/teams/${team.id}/resources`, { resourceUIDs: ['r1', 'r3'] })
  await f.publish(billingLine, lines)
  for (const date of days) await detect(f, date)
}

interface Case {
  what: string
  /** What is told, each once. */
  told: string[]
  ids: string
  provoke: (f: Fleet) => Promise<unknown>
}

const ofAll = (severity: string) => dimensions.map((dimension) => `cost.anomaly.${dimension}${severity}`)

const cases: readonly Case[] = [
  { what: 'a start', told: ['resource.started'], ids: '[NOTIF-32]', provoke: (f) => f.act('halted', 'start') },
  { what: 'a stop', told: ['resource.stopped'], ids: '[NOTIF-33]', provoke: (f) => f.act('vm', 'stop') },
  {
    what: 'a stop that the cloud refuses',
    told: ['resource.failed'],
    ids: '[NOTIF-34]',
    provoke: (f) => refuse(f),
  },
  {
    what: 'a stop that is throttled three times',
    told: ['resource.failed', 'resource.retry_exhausted'],
    ids: '[NOTIF-34] [NOTIF-36]',
    provoke: (f) => throttle(f),
  },
  {
    what: 'an override',
    told: ['resource.override'],
    ids: '[NOTIF-35]',
    provoke: (f) => override(f),
  },
  {
    what: '800 of a budget of 1000, told of from 80 %',
    told: ['budget.warning'],
    ids: '[NOTIF-37]',
    provoke: (f) => spend(f, 800),
  },
  {
    what: '1000 of a budget of 1000, at one jump',
    told: ['budget.exceeded'],
    ids: '[NOTIF-38]',
    provoke: (f) => spend(f, 1000),
  },
  {
    what: 'a day of 130 after days of 100',
    told: ofAll('warning'),
    ids: '[NOTIF-39] [NOTIF-42] [NOTIF-45] [NOTIF-48] [NOTIF-51]',
    provoke: (f) => spike(f, rise('acct-1', 'r1', 100, 130)),
  },
  {
    what: 'a day of 200 after days of 100',
    told: ofAll('critical'),
    ids: '[NOTIF-40] [NOTIF-43] [NOTIF-46] [NOTIF-49] [NOTIF-52]',
    provoke: (f) => spike(f, rise('acct-1', 'r1', 100, 200)),
  },
  {
    what: 'a day of 600 after days of 100',
    told: ofAll('emergency'),
    ids: '[NOTIF-41] [NOTIF-44] [NOTIF-47] [NOTIF-50] [NOTIF-53]',
    provoke: (f) => spike(f, rise('acct-1', 'r1', 100, 600)),
  },
  {
    // r1 10 to 60; the group 50 to 100; the team 110 to 160, 45 %; the account 150 to 200, 33 %; the organization 180 to 230, 28 %.
    what: 'one resource that rises from 10 to 60, each of what contains it by its own baseline',
    told: [
      'cost.anomaly.resource.emergency',
      'cost.anomaly.resource_group.critical',
      'cost.anomaly.team.warning',
      'cost.anomaly.cloud_account.warning',
    ],
    ids: '[NOTIF-54]',
    provoke: (f) =>
      spike(f, [
        ...rise('acct-1', 'r1', 10, 60),
        ...rise('acct-1', 'r2', 40, 40),
        ...rise('acct-1', 'r3', 100, 100),
        ...rise('acct-2', 'r4', 30, 30),
      ]),
  },
]

const allIds = cases
  .map(({ ids }) => ids)
  .filter((ids) => ids !== '[NOTIF-54]')
  .join(' ')

describe('event types', () => {
  let receivers: Chat
  before(async () => void (receivers = await chat()))
  after(() => receivers.end())

  /** A channel for each key, with one subscription. */
  async function watched(org: Tenant): Promise<Map<string, Room>> {
    const rooms = new Map((await keysOf(org)).map((key) => [key, receivers.room()]))
    const subscriptions = await Promise.all(
      [...rooms].map(async ([eventType, room], i) => ({
        channelID: await channelTo(org, room, {}, types[i % types.length]),
        eventType,
        scopeType: 'org',
        scopeID: '',
        enabled: true,
      })),
    )
    expect(await done(org, 'POST', '/notifications/subscriptions/bulk', { subscriptions })).to.deep.equal({
      created: 22,
      updated: 0,
    })
    return rooms
  }

  /** What all rooms were posted: each event of the list once, under its own key and with the title of its delivery. */
  async function expectPosts(org: Tenant, rooms: ReadonlyMap<string, Room>, told: readonly string[]): Promise<void> {
    await calm(org)
    const posts = [...rooms].flatMap(([key, room]) => room.posts.map((post) => ({ key, ...post })))
    expect(posts.map(({ key }) => key).toSorted()).to.deep.equal(told.toSorted())
    const deliveries = await deliveriesOf(org)
    for (const { key, event, text, delivery } of posts) {
      expect(event).to.equal(key)
      const { eventType, title } = deliveries.find(({ id }) => id === delivery)
      expect(eventType).to.equal(key)
      expect(text).to.include(JSON.stringify(title).slice(1, -1))
    }
    expect(new Set(posts.map(({ delivery }) => delivery)).size).to.equal(told.length)
  }

  it(`are 22, each posted once, to the one channel that subscribed to it [NOTIF-14] ${cases.map(({ ids }) => ids).join(' ')}`, async () => {
    const told = new Set(cases.flatMap((one) => one.told))
    const anomalies = severities.flatMap(ofAll)
    expect([anomalies.length, anomalies.filter((key) => !told.has(key))]).to.deep.equal([15, []])
    const org = await tenant()
    expect([...told].toSorted()).to.deep.equal((await keysOf(org)).toSorted())
    const rooms = await watched(org)
    await raised(org, ...eventTypes.map(({ key }) => eventOf(org, key)))
    await expectPosts(org, rooms, [...told])
    for (const [key, { posts }] of rooms) expect(posts[0]!.text).to.include(`This is ${key}`)
  })

  deepDescribe('that are provoked', () => {
    let f: Fleet
    beforeEach(async () => {
      f = await fleet()
      await f.discover(['vm'])
      await f.discover(['halted'], 'stopped')
    })
    afterEach(async () => {
      await f.end()
      await resetClock()
    })

    it(`are each posted once, to the one channel that subscribed to it, when one organization provokes all 22 ${allIds}`, async () => {
      await f.discover(['refused', 'throttled', 'held'])
      const rooms = await watched(f)
      await f.act('halted', 'start')
      await f.act('vm', 'stop')
      await refuse(f, 'refused')
      await override(f, 'held')
      await spend(f, 800, 'Near', 'near')
      await spend(f, 1000, 'Over', 'over')
      // More than seven days apart, so that none silences the next; the days between are as usual.
      const usual = Array.from({ length: 16 }, (_, i) => line(i, 100)).filter((_, i) => i % 8 !== 0)
      const unusual = [line(0, 130), line(8, 200), line(16, 600)]
      await spike(f, [...daysBefore(fortnight(100)), ...usual, ...unusual], [0, 8, 16].map(day))
      await throttle(f, 'throttled')
      await expectPosts(f, rooms, [...(await keysOf(f)), 'resource.failed'])
    })

    for (const { what, told, ids, provoke } of cases)
      it(`${told.join(', ')} by ${what}: one post each, to who subscribed to it alone ${ids}`, async () => {
        const rooms = await watched(f)
        await provoke(f)
        await expectPosts(f, rooms, told)
      })
  })
})
