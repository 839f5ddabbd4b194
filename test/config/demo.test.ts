// tier: deep
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { loadDemo } from '#config/demo/demo.ts'
import type { Running } from '#config/product/product.ts'
import { Progress } from '#config/process/progress.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { PersonalAccessToken } from '#http/identity/entity.ts'
import { budgetEvaluated } from '#streams/budget.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { memberOf } from '#test/harness/member.ts'
import { ask } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { testStores } from '#test/harness/stores.ts'
import { sample } from '#test/harness/tier.ts'

const inAzure = (group: string, type: string, name: string) =>
  `/subscriptions/sim-azure-dev/resourcegroups/rg-sim-${group}/providers/microsoft.${type}/${name}`
const machine = (group: string, name: string) => inAzure(group, 'compute/virtualmachines', name)
const build = (n: number) => machine('platform-dev', `build-${n}`)

/** The wall clock of the schedule: day of the week and time. */
const onTheWall = (at: string) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', weekday: 'short', hour: '2-digit', minute: '2-digit' })
    .format(new Date(at))
    .replace(/,? /, ' ')

describe('the demo organization, of a version that knew no schedules', () => {
  let org: Tenant
  let file: string
  /** Takes the demo up as the next start does, all of it. */
  const start = async () => {
    const { connections, product, url, analystsUrl } = org
    const stores = await testStores()
    const running: Running = { stores, connections, product, url, analystsUrl, metricsUrl: '', stop: async () => {} }
    const loaded = await loadDemo(running, new Progress())
    await loaded!.rest()
    return loaded!.demo
  }
  const kept = () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  const keep = (more: object) =>
    writeFileSync(file, JSON.stringify({ orgId: org.orgId, token: org.token, isLoaded: true, ...more }))
  const items = async (place: string) => (await org.get(place)).body.data.items as any[]
  const list = async (place: string) => (await org.get(place)).body.data as any[]
  const told = ['/notifications/channels', '/notifications/subscriptions', '/budgets']

  before(async function () {
    this.timeout(240_000)
    org = await tenant()
    file = path.join(org.connections.settings.dataDir, 'demo.json')
    await org.send('POST', '/cloud-accounts', { name: 'Dev', provider: 'azure', externalID: 'sim-azure-dev' })
    await until('the end of the discovery', async () =>
      ['completed', 'failed'].includes((await org.get('/resources/refresh/status')).body.data.status),
    )
    keep({})
    await start()
  })
  after(() => rmSync(file, { force: true }))

  it('gets an owner, a person without a password, whom the newest link of a start signs in, once', async () => {
    const people = async () =>
      ((await org.get('/members')).body.data as any[]).map((one) => [one.email, one.name, one.roleID, one.status])
    expect(await people()).to.deep.equal([['owner@demo.example', 'Demo owner', 'owner', 'active']])
    const links = [(await start()).console!, (await start()).console!]
    for (const link of links) expect(link).to.match(new RegExp(`^${org.url}/console/#token=[A-Za-z0-9_-]{43}$`))
    expect(await people()).to.have.length(1)
    expect(JSON.stringify(kept())).to.not.include('#token')
    const signIn = async (link: string) => {
      const body = { token: link.split('#token=')[1] }
      const { status, body: said } = await ask('POST', '/auth/browser/link', { body })
      return [status, said.data?.user ?? said.code, said.data?.orgID]
    }
    expect(await signIn(links[0]!)).to.deep.equal([401, 'invalid_link', undefined])
    const user = { email: 'owner@demo.example', name: 'Demo owner' }
    expect(await signIn(links[1]!)).to.deep.equal([200, user, org.orgId])
    expect(await signIn(links[1]!)).to.deep.equal([401, 'invalid_link', undefined])
    const day = 86_400_000
    const { expiresAt } = (await org.get('/security-events?type=sign_in_link_created')).body.data.items[0].detail
    expect(Math.abs(Date.parse(expiresAt) - org.connections.clock.now() - day)).to.be.below(60_000)
  })

  const agents = () =>
    org.connections.orm.em.fork().find(PersonalAccessToken, { orgId: org.orgId, name: 'agent' }, { orderBy: { id: 1 } })
  const madeOf = async () =>
    ((await org.get('/security-events?type=token_created')).body.data.items as any[])
      .filter(({ detail }) => detail.name === 'agent')
      .map(({ principal, detail }) => [principal, detail.tokenID])

  it('gets an agent that may look and has asked, with a token of its owner, once, though a start was interrupted', async () => {
    const [agent, ...others] = await agents()
    expect([others, agent!.role, agent!.scope, agent!.lastUsedAt !== null]).to.deep.equal([[], 'viewer', 'api', true])
    const owner = (await list('/members')).find(({ email }) => email === 'owner@demo.example')
    expect(agent!.userId).to.equal(owner.userID)
    expect(await madeOf()).to.deep.equal([['operator', agent!.id]])
    // After it has asked, and after it was made.
    const interruptions = [
      [agent!.lastUsedAt, false],
      [null, true],
    ] as const
    for (const [lastUsedAt, isAnew] of sample(interruptions, 1)) {
      await org.connections.orm.em.fork().nativeUpdate(PersonalAccessToken, { id: agent!.id }, { lastUsedAt })
      const { isAsked, ...interrupted } = kept()
      expect(isAsked).to.equal(true)
      keep(interrupted)
      await start()
      const [now, ...more] = await agents()
      expect([more, now!.id, now!.hash !== agent!.hash, now!.lastUsedAt !== null]).to.deep.equal([
        [],
        agent!.id,
        isAnew,
        true,
      ])
      expect(await madeOf()).to.deep.equal([['operator', agent!.id]])
    }
  })

  it('gets rates of euros, from the beginning of the year and of the month on', async () => {
    const [newest, ...older] = (await items('/exchange-rates')).map((one) => [one.day, one.usdPerUnit])
    expect(newest).to.deep.equal([`${newest![0].slice(0, 8)}01`, '1.1012'])
    const ofYear = `${newest![0].slice(0, 4)}-01-01`
    // In January they are of the same day.
    expect(older).to.deep.equal(newest![0] === ofYear ? [] : [[ofYear, '1.0843']])
  })

  it('gets a schedule that lets the machines of developers rest, and says when', async () => {
    const [night, ...others] = await items('/schedules')
    expect(others).to.deep.equal([])
    const groups = await items('/resource-groups')
    expect([night.name, night.enabled, night.resourceUIDs, night.resourceGroupIDs]).to.deep.equal([
      'Night',
      true,
      [build(1)],
      groups.map(({ id }) => id),
    ])
    expect(
      groups.map(({ name, members }) => [name, members.map((one: any) => [one.tier, one.resourceUID])]),
    ).to.deep.equal([
      [
        'Dev',
        [
          [1, inAzure('mobile-dev', 'dbforpostgresql/flexibleservers', 'dev-db')],
          ...[1, 2, 3, 4, 5, 6].map((n) => [2, machine('mobile-dev', `dev-box-${n}`)]),
        ],
      ],
    ])
    const runs = (await org.get(`/schedules/${night.id}/next-runs?count=10`)).body.data as {
      action: string
      at: string
    }[]
    const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri']
    const week = new Set(days.flatMap((day) => [`start ${day} 07:00`, `stop ${day} 20:00`]))
    expect(new Set(runs.map(({ action, at }) => `${action} ${onTheWall(at)}`))).to.deep.equal(week)
    expect(night.nextRunAt).to.equal(runs[0]!.at)
  })

  it('shows a machine that was stopped, in the history and in the inventory', async () => {
    await until('the stop', async () => (await items('/state-history')).length > 0)
    const history = await items('/state-history')
    expect(history.map(({ resourceUid, state, changedBy }) => [resourceUid, state, changedBy])).to.deep.equal([
      [build(2), 'stopped', 'manual:demo'],
    ])
    const statusOf = async () =>
      (await org.get(`/resources?search=${encodeURIComponent(build(2))}`)).body.data[0].status
    await until('it shows stopped', async () => (await statusOf()) === 'stopped')
  })

  it('gets a mailbox that is told of budgets, anomalies and failures, and budgets to tell of', async () => {
    const [channel, ...others] = await list('/notifications/channels')
    expect(others).to.deep.equal([])
    expect([channel.type, channel.name, channel.config]).to.deep.equal([
      'email',
      'Cost alerts',
      { email: 'cost-alerts@example.com' },
    ])
    const subscriptions = await list('/notifications/subscriptions')
    expect(new Set(subscriptions.map(({ channelID, scopeType }) => `${channelID} ${scopeType}`))).to.deep.equal(
      new Set([`${channel.id} org`]),
    )
    expect(subscriptions.map(({ eventType }) => eventType)).to.have.members([
      'budget.warning',
      'budget.exceeded',
      'cost.anomaly.warning',
      'cost.anomaly.critical',
      'cost.anomaly.emergency',
      'cost.anomaly.cloud_account.warning',
      'cost.anomaly.cloud_account.critical',
      'cost.anomaly.cloud_account.emergency',
      'cost.anomaly.team.warning',
      'cost.anomaly.team.critical',
      'cost.anomaly.team.emergency',
      'cost.anomaly.resource.critical',
      'cost.anomaly.resource.emergency',
      'resource.failed',
    ])
    const [group] = await items('/resource-groups')
    // The account that gets a budget is not among those of this test.
    const budgets = (await list('/budgets')).map(({ scope, monthlyBudgetUSD }) => [scope.name, monthlyBudgetUSD])
    expect(budgets).to.have.deep.members([
      [group.name, 100],
      ['Organization', 45_000],
      ['BigQuery', 3500],
      ['env:prod', 25_000],
    ])
  })

  /** Those that tag one of the teams with rules, as they spell it. */
  const tagged = async (name: string) => {
    const resources = (await org.get('/resources?page=1&limit=100')).body.data as any[]
    const wanted = [name, `${name}-team`]
    return resources.filter(({ tags }) => wanted.includes(String(tags.team ?? tags.Team ?? '').toLowerCase())).length
  }

  it('gets three teams by rule, a rule for taxes, and policies of two tags', async () => {
    const platform = await tagged('platform')
    expect(platform).to.be.greaterThan(0)
    const teams = async () => (await items('/teams')).map(({ name, resourceCount }) => [name, resourceCount])
    await until('the teams', async () => (await teams()).some(([, count]) => count === platform))
    expect(await teams()).to.deep.equal([
      ['Data', 0],
      ['Platform', platform],
      ['Storefront', 0],
    ])
    const policies = (await items('/policies')).map((one) => [one.domain, one.name, one.enabled, one.pendingResources])
    expect(policies).to.deep.equal([
      ['allocation', 'Accounts of the data team', true, undefined],
      ['allocation', 'Team by tag', true, undefined],
      ['shared-cost', 'Tax', true, undefined],
      ['tagging', 'Location', true, 0],
      ['tagging', 'Size of machines', true, 0],
    ])
  })

  it('has some suggestions and derived tags accepted, and others wait', async () => {
    const named = async (status: string) =>
      (await org.get(`/autotagging?limit=100&status=${status}`)).body.items.map((one: any) => one.resourceName)
    expect((await named('accepted')).toSorted()).to.deep.equal(
      ['dev-db', ...[1, 2, 3, 4, 5, 6].map((n) => `dev-box-${n}`)].toSorted(),
    )
    expect(await named('pending')).to.include('build-1')
    const derived = async () => (await org.get('/smart-tags?size=100')).body.data
    const { items: entries } = await derived()
    await until('what is accepted', async () => (await derived()).counts.accepted === entries.length)
    const machine = (await derived()).items.find((one: any) => one.resourceUid === build(1))
    expect([machine.accepted, Object.keys(machine.pending)]).to.deep.equal([{ location: 'azure-eastus' }, ['size']])
  })

  it('mails what it is told of to that mailbox, and to its owner', async () => {
    const ofGroup = ({ scope }: any) => scope.kind === 'resource_group'
    const { id: budgetId, resourceGroupID: id } = (await list('/budgets')).find(ofGroup)
    const scope = { type: 'resource_group' as const, id, name: 'Dev' }
    const spent = { spendUSD: 120, budgetUSD: 100, percentUsed: 120, alertThresholdPercent: 80 }
    await org.product.get(tokens.publisher).publish({
      subject: budgetEvaluated,
      orgId: org.orgId,
      data: { budgetId, month: '2030-01', revision: 1, level: 2, scope, ...spent },
      id: 'seen',
    })
    const sent = () => items('/notifications/deliveries?status=delivered')
    await until('both mails', async () => (await sent()).length > 1)
    const told = ['budget.exceeded', 'The budget of resource group Dev is exceeded']
    expect((await sent()).map(({ eventType, title }) => [eventType, title])).to.deep.equal([told, told])
  })

  it('has each of it once, though a start was interrupted and producers feed an account that has no bills', async () => {
    const all = async () => [
      ...(await Promise.all(['/schedules', '/resource-groups', '/state-history', '/teams', '/policies'].map(items))),
      ...(await Promise.all(told.map(list))),
    ]
    const before = await all()
    expect(before.map((found) => found.length)).to.deep.equal([1, 1, 1, 3, 5, 1, 14, 4])
    const { isControlled: _, isTelling: __, isTagged: ___, isAdvised: ____, isProved: _____, ...interrupted } = kept()
    keep(interrupted)
    await org.publish(resourceDiscovered, [{ ...resourceDiscovered.examples[0]!, cloudAccountId: 'fed' }])
    await start()
    expect(await all()).to.deep.equal(before)
  })

  it('is left without what people have taken away', async () => {
    expect(kept()).to.include({ isLoaded: true, isControlled: true, isTelling: true, isTagged: true, isAdvised: true })
    const remove = async (place: string, [{ id }]: any[]) =>
      expect((await org.send('DELETE', `${place}/${id}`)).status).to.equal(204)
    for (const place of ['/schedules', '/resource-groups']) await remove(place, await items(place))
    for (const place of ['/policies', '/teams']) for (const one of await items(place)) await remove(place, [one])
    for (const place of ['/notifications/channels', '/budgets'])
      for (const one of await list(place)) await remove(place, [one])
    const { userId } = await memberOf(org.product.get(tokens.identity), org.orgId)
    const [owner] = (await list('/members')).filter(({ userID }) => userID !== userId)
    expect((await org.send('DELETE', `/members/${owner.userID}`)).status).to.equal(204)
    expect((await start()).console).to.equal(undefined)
    expect((await list('/members')).map(({ userID }) => userID)).to.deep.equal([userId])
    const places = ['/schedules', '/resource-groups', '/policies', '/teams']
    expect(await Promise.all(places.map(items))).to.deep.equal([[], [], [], []])
    expect(await Promise.all(told.map(list))).to.deep.equal([[], [], []])
  })
})
