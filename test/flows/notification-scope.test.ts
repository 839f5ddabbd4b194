/** Who is told: by what a subscription is of, and by what contains the thing that something happened to. */
import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { before as daysBefore, detect, line, publish } from '#test/harness/anomaly.ts'
import {
  calm,
  channelTo,
  chat,
  deliveriesOf,
  done,
  eventOf,
  keysOf,
  raised,
  subscribe,
  type Chat,
  type Room,
} from '#test/harness/chat.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const fortnight = Array.from({ length: 14 }, () => 100)
const events = (room: Room) => room.posts.map(({ event }) => event)

describe('subscriptions of S-33', () => {
  let receivers: Chat
  let org: Tenant
  let room: Room
  let channelID: string
  before(async () => void (receivers = await chat()))
  after(() => receivers.end())
  beforeEach(async () => {
    org = await tenant()
    room = receivers.room()
    channelID = await channelTo(org, room)
  })
  const of = (eventType: string, scopeType = 'org', scopeID = '', enabled = true) => ({
    channelID,
    eventType,
    scopeType,
    scopeID,
    enabled,
  })
  const bulk = (subscriptions: object[]) => done(org, 'POST', '/notifications/subscriptions/bulk', { subscriptions })
  const list = () => done(org, 'GET', '/notifications/subscriptions')

  it('five at once, of which two are known, make three and update two, and then none and five; with the channel they go, those of others stay [NOTIF-08] [NOTIF-13] [NOTIF-31]', async () => {
    const accountID = (
      await done(org, 'POST', '/cloud-accounts', { name: 'A', provider: 'aws', externalID: 'sim-s33' })
    ).id
    await subscribe(org, channelID, 'budget.warning')
    await subscribe(org, channelID, 'cost.anomaly.cloud_account.warning', ['cloud_account', accountID])
    const five = [
      of('budget.warning', 'org', '', false),
      of('cost.anomaly.cloud_account.warning', 'cloud_account', accountID, false),
      of('cost.anomaly.cloud_account.warning'),
      of('resource.started', 'resource', 'a/b'),
      of('resource.stopped', 'resource', 'a/b'),
    ]
    expect(await bulk(five)).to.deep.equal({ created: 3, updated: 2 })
    expect(await bulk(five)).to.deep.equal({ created: 0, updated: 5 })
    const other = await channelTo(org, receivers.room())
    const stays = await subscribe(org, other, 'budget.warning')
    const enabled = (await list()).map((one: any) => `${one.eventType} ${one.scopeType} ${one.enabled}`).toSorted()
    expect(enabled).to.deep.equal(
      [...five.map((one) => `${one.eventType} ${one.scopeType} ${one.enabled}`), 'budget.warning org true'].toSorted(),
    )
    await done(org, 'DELETE', `/notifications/channels/${channelID}`)
    expect((await list()).map(({ id }: { id: string }) => id)).to.deep.equal([stays])
  })

  it('are taken of each of the 22 keys, and of no other [NOTIF-24]', async () => {
    const keys = await keysOf(org)
    expect(keys.length).to.equal(22)
    for (const key of keys) await subscribe(org, channelID, key)
    for (const eventType of ['cost.anomaly', 'cost.anomaly.org.warning', 'budget', '*', 'test', 'resource.*', ''])
      expect((await org.send('POST', '/notifications/subscriptions', of(eventType))).status, eventType).to.equal(400)
    expect((await list()).length).to.equal(22)
  })

  deepIt('of one account deliver nothing of another, and one post of its own [NOTIF-55]', async () => {
    for (const [cloudAccountId, resourceUid] of [
      ['acct-1', 'r1'],
      ['acct-2', 'r2'],
    ] as const)
      await publish(org, daysBefore(fortnight, { cloudAccountId, resourceUid }))
    const key = 'cost.anomaly.cloud_account.warning'
    await subscribe(org, channelID, key, ['cloud_account', 'acct-1'])
    const all = receivers.room()
    await subscribe(org, await channelTo(org, all), key)
    await publish(org, [line(0, 100), line(0, 150, { cloudAccountId: 'acct-2', resourceUid: 'r2' })])
    await detect(org)
    await calm(org)
    expect([events(room), events(all)]).to.deep.equal([[], [key]])
    await publish(org, [line(1, 150), line(1, 150, { cloudAccountId: 'acct-2', resourceUid: 'r2' })])
    await detect(org, '2026-03-21')
    await calm(org)
    expect([events(room), events(all)]).to.deep.equal([[key], [key, key]])
    const [delivery] = await deliveriesOf(org, `&channel_id=${channelID}`)
    expect(delivery).to.deep.include({
      eventType: key,
      status: 'delivered',
      tries: 1,
      scope: { type: 'cloud_account', id: 'acct-1' },
    })
  })

  it('that are off deliver nothing, made so or made to be so, and deliver again once they are on [NOTIF-11] [NOTIF-57]', async () => {
    const [off, on] = [receivers.room(), receivers.room()]
    await done(org, 'POST', '/notifications/subscriptions', {
      ...of('budget.exceeded'),
      channelID: await channelTo(org, off),
      enabled: false,
    })
    await subscribe(org, await channelTo(org, on), 'budget.exceeded')
    const id = await subscribe(org, channelID, 'budget.exceeded')
    const exceed = async () => {
      await raised(org, eventOf(org, 'budget.exceeded'))
      return [off, room, on].map(({ posts }) => posts.length)
    }
    await done(org, 'PUT', `/notifications/subscriptions/${id}`, { enabled: false })
    expect(await exceed()).to.deep.equal([0, 0, 1])
    await done(org, 'PUT', `/notifications/subscriptions/${id}`, { enabled: true })
    expect(await exceed()).to.deep.equal([0, 1, 2])
    await done(org, 'DELETE', `/notifications/subscriptions/${id}`)
    expect(await exceed()).to.deep.equal([0, 1, 3])
  })
})

describe('an anomaly', () => {
  it('is told of from the least amount on that the organization cares for', async () => {
    const receivers = await chat()
    const org = await tenant()
    const room = receivers.room()
    await subscribe(org, await channelTo(org, room), 'cost.anomaly.warning')
    await done(org, 'PATCH', `/organisations/${org.orgId}/settings`, { anomalyNotifyMinUSD: 50 })
    const of = (actualCostUsd: number) =>
      eventOf(org, 'cost.anomaly.warning', {
        title: `It cost ${actualCostUsd}`,
        data: { actualCostUsd, expectedCostUsd: 100 },
      })
    await raised(org, of(149.99), of(150))
    expect(room.posts.map(({ text }) => /It cost [\d.]+/.exec(text)?.[0])).to.deep.equal(['It cost 150'])
    await receivers.end()
  })
})

describe('what contains a resource', () => {
  let receivers: Chat
  let f: Fleet
  before(async () => void (receivers = await chat()))
  after(() => receivers.end())
  beforeEach(async () => void (f = await fleet()))
  afterEach(() => f.end())

  const uid = 'arn:aws:ec2:eu-west-1:1:instance/i 1'
  const ofResources = ['resource.started', 'resource.stopped', 'resource.override']
  const post = async (path: string, body: object) => (await done(f, 'POST', path, body)).id as string

  /** Two of everything, and a channel for each. */
  async function placed(keys = ofResources) {
    await f.discover([uid, 'other'])
    const groups = [
      await post('/resource-groups', { name: 'G1', members: [{ resourceUID: uid }] }),
      await post('/resource-groups', { name: 'G2', members: [{ resourceUID: 'other' }] }),
    ]
    const teams = [await post('/teams', { name: 'T1' }), await post('/teams', { name: 'T2' })]
    await done(f, 'POST', `/teams/${teams[0]}/resources`, { resourceUIDs: [uid] })
    const second = await post('/cloud-accounts', {
      name: 'Second',
      provider: 'aws',
      externalID: `second-${f.accountId}`,
    })
    const scopes: Record<string, [string, string]> = {
      org: ['org', ''],
      'account 1': ['cloud_account', f.accountId],
      'account 2': ['cloud_account', second],
      'group 1': ['resource_group', groups[0]!],
      'group 2': ['resource_group', groups[1]!],
      resource: ['resource', uid],
      'resource 2': ['resource', 'other'],
      'team 1': ['team', teams[0]!],
      'team 2': ['team', teams[1]!],
    }
    const rooms = new Map(Object.keys(scopes).map((name) => [name, receivers.room()]))
    const subscriptions = await Promise.all(
      Object.entries(scopes).map(async ([name, [scopeType, scopeID]]) => {
        const channelID = await channelTo(f, rooms.get(name)!)
        return keys.map((eventType) => ({ channelID, eventType, scopeType, scopeID }))
      }),
    )
    await done(f, 'POST', '/notifications/subscriptions/bulk', { subscriptions: subscriptions.flat() })
    /** Who has been told since the last look. */
    const told = async () => {
      await calm(f)
      return [...rooms].flatMap(([name, room]) => room.posts.splice(0).map(({ event }) => `${name}: ${event}`))
    }
    return { groups, teams, told }
  }

  it('is told with it: its account, its groups, its team and the organization; what it is in now counts [NOTIF-22] [NOTIF-23] [NOTIF-55]', async () => {
    const { groups, teams, told } = await placed()
    const happens = (key: 'resource.stopped' | 'resource.started', id = uid) =>
      raised(f, eventOf(f, key, { scope: { type: 'resource', id }, data: { cloudAccountID: f.accountId } }))
    await happens('resource.stopped')
    const own = ['org', 'account 1', 'group 1', 'resource', 'team 1']
    expect(await told()).to.deep.equal(own.map((name) => `${name}: resource.stopped`))
    await done(f, 'PUT', `/resource-groups/${groups[0]}/members`, { members: [] })
    await done(f, 'PUT', `/resource-groups/${groups[1]}/members`, { members: [{ resourceUID: uid }] })
    await done(f, 'POST', `/teams/${teams[1]}/resources`, { resourceUIDs: [uid] })
    await happens('resource.started')
    const moved = ['org', 'account 1', 'group 2', 'resource', 'team 2']
    expect(await told()).to.deep.equal(moved.map((name) => `${name}: resource.started`))
    await happens('resource.stopped', 'other')
    const others = ['org', 'account 1', 'resource 2']
    expect(await told()).to.deep.equal(others.map((name) => `${name}: resource.stopped`))
  })

  deepIt('is not told of what is of a group as a whole: that is for the group and the organization', async () => {
    const { groups, told } = await placed()
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    await post('/overrides', { scopeType: 'resource_group', scopeID: groups[0], desiredState: 'running', expiresAt })
    expect(await told()).to.deep.equal(['org: resource.override', 'group 1: resource.override'])
  })

  deepIt(
    'is not told of the budget of its team or of its group: that is for the team or the group, and the organization',
    async () => {
      const { groups, told } = await placed(['budget.warning', 'budget.exceeded'])
      await post('/budgets', { teamName: 'T1', monthlyBudgetUSD: 100 })
      await post('/budgets', { resourceGroupID: groups[0], monthlyBudgetUSD: 200, alertThresholdPercent: 50 })
      const now = new Date().toISOString()
      const spent = line(0, 120, { resourceUid: uid, cloudAccountId: f.accountId })
      await f.publish(billingLine, [{ ...spent, usageDate: now.slice(0, 10), exportedAt: now }])
      await done(f, 'POST', '/internal/jobs/budget-evaluation/run', { orgId: f.orgId })
      expect((await told()).toSorted()).to.deep.equal([
        'group 1: budget.warning',
        'org: budget.exceeded',
        'org: budget.warning',
        'team 1: budget.exceeded',
      ])
    },
  )

  deepIt('is told once by a channel, however many of its subscriptions fit', async () => {
    await f.discover([uid])
    const group = await post('/resource-groups', { name: 'G', members: [{ resourceUID: uid }] })
    const room = receivers.room()
    const channel = await channelTo(f, room)
    const scopes = [
      ['org', ''],
      ['cloud_account', f.accountId],
      ['resource', uid],
      ['resource_group', group],
    ] as const
    for (const scope of scopes) await subscribe(f, channel, 'resource.stopped', [...scope])
    await f.act(uid, 'stop')
    await calm(f)
    const deliveries = await deliveriesOf(f)
    expect(deliveries.map(({ id, status }) => [id, status])).to.deep.equal([[room.posts[0]!.delivery, 'delivered']])
    expect(room.posts.length).to.equal(1)
  })

  it('is told by a notification of before there were channels, according to its flags [NOTIF-26]', async () => {
    const of = {
      notifyOnStart: 'started',
      notifyOnStop: 'stopped',
      notifyOnFailure: 'failed',
      notifyOnOverride: 'override',
    }
    const rooms = new Map<string, Room>()
    for (const [flag, what] of Object.entries(of)) {
      const room = receivers.room()
      rooms.set(`resource.${what}`, room)
      await post('/notifications', { channel: 'slack', webhookURL: room.url, [flag]: true })
    }
    const keys = ['resource.started', 'resource.stopped', 'resource.failed', 'resource.override'] as const
    const scope = { type: 'resource' as const, id: 'vm' }
    await raised(f, ...[...keys, 'budget.warning' as const].map((key) => eventOf(f, key, { scope })))
    expect([...rooms].map(([key, room]) => [key, events(room)])).to.deep.equal(keys.map((key) => [key, [key]]))
  })
})
