// tier: deep
/** No write of a role with a report scope adds to what the role sees: random roles, random writes, on the real stores. */
import { expect } from 'chai'
import type { Permission, ReportScope } from '#http/identity/organization/role.ts'
import { permissions } from '#http/identity/organization/role.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { random } from '#test/harness/load.ts'
import { calm } from '#test/harness/chat.ts'
import { ask, colleague } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { found, policy as tagPolicy } from '#test/harness/tagged.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { amount, isDeep } from '#test/harness/tier.ts'

const today = new Date().toISOString().slice(0, 10)
const accounts = ['acct-1', 'acct-2', 'acct-3']
const regions = ['core', 'shop', 'none']
/** Account, region and dollars of each machine; no two sums of dollars are equal. */
const machines = Array.from({ length: 8 }, (_, n) => ({
  uid: `i-${n}`,
  account: accounts[n % 3]!,
  region: regions[Math.floor(n / 3)]!,
  costUSD: 2 ** n,
}))

interface Sight {
  totalUSD: number
  resources: Record<string, number>
}

interface Write {
  method: string
  path: string
  body?: object
}

class World {
  readonly org: Tenant
  readonly teams: string[] = []
  readonly policies: { id: string; body: object }[] = []
  group = ''
  channel = ''

  constructor(org: Tenant) {
    this.org = org
  }

  async made(path: string, body: object): Promise<any> {
    const answer = await this.org.send('POST', path, body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    return answer.body.data
  }

  async rule(body: object): Promise<void> {
    this.policies.push({ id: (await this.made('/policies', body)).id, body })
  }

  static async begin(): Promise<World> {
    const world = new World(await tenant())
    const { org } = world
    for (const name of ['core', 'shop']) world.teams.push((await world.made('/teams', { name })).id)
    const rest = { selector: { all: [{ attr: 'res.region', op: 'equals', values: ['none'] }] } }
    const selector = { all: [{ attr: 'line.service', op: 'equals', values: ['Support'] }] }
    await world.rule(tagPolicy('squad', { fields: ['res.region'], join: '-', standardize: true }))
    await world.rule(ruleOf('allocation', 'By tag', { priority: 1, teamFromTag: { key: 'squad' } }))
    await world.rule(ruleOf('allocation', 'Rest', { ...rest, priority: 2, team: world.teams[0] }))
    await world.rule(ruleOf('shared-cost', 'Support', { selector, method: 'proportional' }))
    await org.publish(
      resourceDiscovered,
      machines.map(({ uid, account, region }) =>
        found(uid, { name: `x-prod-${uid}`, cloudAccountId: account, region }),
      ),
    )
    const bill = { usageDate: today, provider: 'aws' as const, exportedAt: `${today}T12:00:00Z` }
    await org.publish(billingLine, [
      ...machines.map(({ uid, account, region, costUSD }) => ({
        ...bill,
        lineId: uid,
        resourceUid: uid,
        cloudAccountId: account,
        region,
        resourceType: 'aws-ec2',
        serviceName: 'ec2',
        costUSD: String(costUSD),
      })),
      { ...bill, lineId: 'support', cloudAccountId: 'acct-3', serviceName: 'Support', costUSD: '1000' },
    ])
    for (const uid of ['i-0', 'i-3', 'i-4'])
      await org.send('PATCH', '/smart-tags', { resourceUid: uid, all: true, accepted: true })
    await org.send('POST', `/teams/${world.teams[1]}/resources`, { resourceUIDs: ['i-7'] })
    world.group = (await world.made('/resource-groups', { name: 'Group' })).id
    world.channel = (
      await world.made('/notifications/channels', {
        type: 'slack',
        name: 'A',
        config: { webhookURL: 'https://example.com/a' },
      })
    ).id
    return world
  }
}

const ruleOf = (domain: string, name: string, spec: object) => ({
  domain,
  targetType: 'organisation',
  name,
  spec,
  enabled: true,
})

/** Every kind of write that says which costs are whose, or could, with random values. */
function writesOf(world: World, pick: <T>(from: readonly T[]) => T): Write[] {
  const { teams, policies, group, channel } = world
  const uid = () => pick(machines).uid
  const team = () => pick(teams)
  const name = () => pick(['core', 'shop', 'none', 'other'])
  const one = pick(policies)
  const all = [{ attr: 'res.region', op: 'equals', values: [pick(regions)] }]
  const spec = { selector: { all }, priority: pick([1, 5]), team: team() }
  const support = { all: [{ attr: 'line.service', op: 'equals', values: [pick(['Support', 'ec2'])] }] }
  const account = pick(accounts)
  return [
    { method: 'POST', path: '/teams', body: { name: name() } },
    { method: 'PATCH', path: `/teams/${team()}`, body: { name: name() } },
    { method: 'DELETE', path: `/teams/${team()}` },
    { method: 'POST', path: `/teams/${team()}/resources`, body: { resourceUIDs: [uid(), uid()] } },
    { method: 'DELETE', path: `/teams/${team()}/resources`, body: { resourceUIDs: machines.map((m) => m.uid) } },
    { method: 'POST', path: '/resource-groups', body: { name: name() } },
    { method: 'PUT', path: `/resource-groups/${group}/members`, body: { resourceUIDs: [uid(), uid()] } },
    { method: 'DELETE', path: `/resource-groups/${group}` },
    { method: 'POST', path: '/policies', body: ruleOf('allocation', `A ${name()}`, spec) },
    {
      method: 'POST',
      path: '/policies',
      body: ruleOf('shared-cost', `S ${name()}`, { selector: support, method: 'even' }),
    },
    {
      method: 'POST',
      path: '/policies',
      body: { ...tagPolicy('squad', { fields: ['res.type'], join: '-', standardize: true }), name: 'T' },
    },
    { method: 'PUT', path: `/policies/${one.id}`, body: { ...one.body, enabled: false } },
    { method: 'DELETE', path: `/policies/${one.id}` },
    { method: 'PATCH', path: '/smart-tags', body: { resourceUid: uid(), all: true, accepted: true } },
    { method: 'PATCH', path: '/smart-tags', body: { resourceUid: uid(), keys: ['squad'], accepted: false } },
    { method: 'POST', path: '/smart-tags/accept-all', body: { key: 'squad' } },
    { method: 'POST', path: '/autotagging/accept', body: { resourceUid: uid() } },
    { method: 'POST', path: '/autotagging/reject', body: { resourceUid: uid() } },
    { method: 'POST', path: '/autotagging/decide', body: { status: 'accepted', resourceUids: [uid()] } },
    { method: 'POST', path: '/recommendations/refresh' },
    {
      method: 'POST',
      path: '/kubernetes/sources',
      body: { cloudAccountID: account, clusterUID: uid(), url: 'https://example.com' },
    },
    { method: 'POST', path: '/budgets', body: { teamName: name(), monthlyBudgetUSD: 10 } },
    { method: 'POST', path: '/budgets', body: { resourceGroupID: group, monthlyBudgetUSD: 10 } },
    {
      method: 'POST',
      path: '/notifications/subscriptions',
      body: { channelID: channel, eventType: 'budget.exceeded', scopeType: 'org' },
    },
    { method: 'POST', path: '/roles', body: { name: 'Wide', permissions: ['service.view'] } },
    { method: 'DELETE', path: `/cloud-accounts/${account}` },
  ]
}

async function sightOf(token: string): Promise<Sight> {
  const query = `from=${today}&to=${today}`
  const read = async (path: string) => {
    const { status, body } = await ask('GET', path, { token })
    expect(status, JSON.stringify(body)).to.equal(200)
    return body.data
  }
  const { items } = await read(`/reports/costs/resources?${query}&group_by=resource&limit=100`)
  const { totalUSD } = await read(`/reports/costs/breakdown?${query}&dims=provider`)
  return { totalUSD, resources: Object.fromEntries(items.map((one: any) => [one.key, one.costUSD])) }
}

/** What is in `after` beyond what was in `before`. */
function grown(before: Sight, after: Sight): string[] {
  const more = Object.entries(after.resources).filter(([key, usd]) => usd > (before.resources[key] ?? 0) + 1e-9)
  const said = more.map(([key, usd]) => `${key}: ${before.resources[key] ?? 'unseen'} to ${usd}`)
  return after.totalUSD > before.totalUSD + 1e-9 ? [...said, `total: ${before.totalUSD} to ${after.totalUSD}`] : said
}

describe('a role with a report scope', () => {
  const roles = amount(2, 30, 400)
  const writesEach = amount(30, 40, 60)
  /** What one role did leaves the next one less to do. */
  const rolesOfWorld = 3

  it(`sees no resource and no dollar more after any of its own writes: ${roles} random roles [RBAC-04]`, async function () {
    this.timeout(amount(180_000, 1_800_000, 7_200_000))
    const next = random(51)
    const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!
    const some = <T>(from: readonly T[], part: number): T[] => from.filter(() => next() < part)
    /** Makes a role and has it write. How many of its writes were carried out. */
    const writtenBy = async (world: World, n: number): Promise<number> => {
      const { org, teams } = world
      const reportScope: ReportScope = {
        all: false,
        cloudAccountIDs: some(accounts, n % 3 === 1 ? 0 : 0.4),
        teamIDs: n % 3 === 2 ? [] : [pick([...teams, 'unassigned']), ...some(teams, 0.3)],
      }
      const granted: Permission[] = [...new Set<Permission>(['service.view', ...some(permissions, 0.8)])]
      const role = await world.made('/roles', { name: `Part ${n}`, permissions: granted, reportScope })
      const { accessToken: token } = await colleague({ orgId: org.orgId }, role.id)
      await calm(org)
      let before = await sightOf(token)
      const carriedOut: string[] = []
      const look = async (): Promise<void> => {
        await calm(org)
        const after = await sightOf(token)
        const what = `${carriedOut.join('; ')} by ${JSON.stringify({ granted, reportScope })}`
        expect(grown(before, after), what).to.deep.equal([])
        before = after
      }
      for (let write = 0; write < writesEach; write++) {
        const { method, path, body } = pick(writesOf(world, pick))
        const { status } = await ask(method, path, { token, ...(body && { body }) })
        if (status >= 300) continue
        carriedOut.push(`${method} ${path} ${JSON.stringify(body)}`)
        if (isDeep) await look()
      }
      await look()
      return carriedOut.length
    }
    let done = 0
    let world = await World.begin()
    for (let n = 0; n < roles; n++) {
      if (n > 0 && n % rolesOfWorld === 0) world = await World.begin()
      done += await writtenBy(world, n)
    }
    expect(done, 'writes that were carried out').to.be.above(0)
  })
})
