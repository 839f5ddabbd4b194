import { expect } from 'chai'
import type { ReportScope } from '#http/identity/organization/role.ts'
import { reports } from '#http/report/index.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { ask as askAs, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'
import { payloadServices } from '#test/http/report/world.ts'
import { caller, served } from '#test/http/serving.ts'

const day = '2026-01-19'
const january = 'from=2026-01-01&to=2026-01-31'

/** What there is: uid, account, type, tag env, cost. Team Core has i-2 and v-1. Another 5 of acct-1 belong to no resource. */
const resources = [
  ['i-1', 'acct-1', 'aws-ec2', 'prod', 10],
  ['i-2', 'acct-2', 'aws-rds', 'prod', 20],
  ['v-1', 'acct-3', 'gcp-vm', 'dev', 40],
  ['v-2', 'acct-3', 'gcp-vm', 'dev', 80],
] as const
const savings = { 'i-1': 1, 'v-1': 2, 'v-2': 4 }

/** What each of them answers, by its name, asked side by side. */
async function allOf(questions: Record<string, () => Promise<number>>): Promise<Record<string, number>> {
  const answers = Object.entries(questions).map(async ([name, answer]) => [name, await answer()] as const)
  return Object.fromEntries(await Promise.all(answers))
}

const providerOf = (type: string) => type.slice(0, 3) as 'aws' | 'gcp'
const sum = (items: readonly any[], field = 'costUSD'): number => items.reduce((total, item) => total + item[field], 0)

describe('the report scope of a role', () => {
  let org: Tenant
  let core: string
  let reportScope: ReportScope
  const site = served(reports, {
    caller: async () => ({ ...caller('viewer'), orgId: org.orgId, reportScope }),
    services: () => {
      const { orm, clickhouse } = org.connections
      return payloadServices(clickhouse, org.orgId, { em: orm.em.fork() })
    },
  })
  const answers = new Map<string, Promise<any>>()
  const ask = async (path: string): Promise<any> => {
    const response = await site.get(path)
    const body = (await response.json()) as any
    expect(response.status, JSON.stringify(body)).to.equal(200)
    return body.data
  }
  /** A report as this scope sees it, asked once: nothing is written while the tests run. */
  const data = (path: string): Promise<any> => {
    const key = `${JSON.stringify(reportScope)} ${path}`
    const answer = answers.get(key) ?? ask(path)
    answers.set(key, answer)
    return answer
  }

  before(async () => {
    org = await tenant()
    await org.publish(
      resourceDiscovered,
      resources.map(([resourceUid, cloudAccountId, type, env]) => ({
        resourceUid,
        name: resourceUid,
        type,
        provider: providerOf(type),
        cloudAccountId,
        region: 'eu',
        tags: { env },
      })),
    )
    const bill = { usageDate: day, serviceName: 's', region: 'eu', exportedAt: '2026-01-20T00:00:00Z' }
    await org.publish(billingLine, [
      ...resources.map(([resourceUid, cloudAccountId, type, , cost]) => ({
        ...bill,
        lineId: resourceUid,
        resourceUid,
        cloudAccountId,
        resourceType: type,
        provider: providerOf(type),
        costUSD: String(cost),
      })),
      { ...bill, lineId: 'tax', cloudAccountId: 'acct-1', provider: 'aws', costUSD: '5' },
    ])
    const accounts = Map.groupBy(resources, ([, account]) => account)
    await Promise.all(
      [...accounts].map(([place, some]) =>
        org.publish(
          metricSample,
          some.map(([resourceUid, , , , value]) => ({
            resourceUid,
            samples: [{ metric: 'cpu_percent', value, ts: `${day}T00:00:00Z` }],
          })),
          { place },
        ),
      ),
    )
    await org.connections.clickhouse.insert({
      table: 'saving_daily',
      format: 'JSONEachRow',
      values: resources
        .filter(([uid]) => uid in savings)
        .map(([uid, account, type]) => ({
          org_id: org.orgId,
          day,
          cloud_account_id: account,
          resource_uid: uid,
          provider: providerOf(type),
          resource_type: type,
          saved: savings[uid as keyof typeof savings],
          x_Version: '1',
        })),
    })
    core = (await org.send('POST', '/teams', { name: 'Core' })).body.data.id
    await org.send('POST', `/teams/${core}/resources`, { resourceUIDs: ['i-2', 'v-1'] })
  })

  const only = (accounts: readonly string[], teams: readonly string[]) =>
    void (reportScope = { all: false, cloudAccountIDs: accounts, teamIDs: teams })
  const everyone = () => void (reportScope = { all: true, cloudAccountIDs: [], teamIDs: [] })

  /** Every way in which reports say what all costs come to. */
  const costs = () => {
    const rows = async (grain: string) => sum((await data(`/reports/costs/resources?${january}${grain}`)).items)
    const breakdown = async (dims: string) => (await data(`/reports/costs/breakdown?${january}&dims=${dims}`)).totalUSD
    return allOf({
      summary: async () => (await data('/reports/summary')).totalCostUSD,
      breakdown: () => breakdown('provider,region'),
      'breakdown by team': () => breakdown('team_id'),
      'breakdown by resource': () => breakdown('resource_uid&filter[region]=eu'),
      trends: async () => sum((await data(`/reports/trends?${january}`)).items),
      history: async () => sum((await data(`/reports/cost-history?${january}&granularity=weekly`)).items),
      'resource days': () => rows(''),
      resources: () => rows('&group_by=resource'),
      'purchase types': () => rows('&group_by=purchase_type'),
      'resource types': () => rows('&group_by=resource_type'),
      providers: async () => sum(Object.values(await data(`/reports/providers/summary?${january}`))),
      teams: async () => sum(await data(`/reports/teams?${january}`)),
      'team trends': async () => {
        const { items } = await data(`/reports/teams/trends?${january}&granularity=weekly`)
        return sum(items.map((item: any) => ({ costUSD: sum(item.points) })))
      },
      tags: async () => (await data(`/reports/tags?${january}&unit=pairs`)).totalCostUsd,
      'tag values and the rest': async () => {
        const { untaggedCostUsd } = await data(`/reports/tags?${january}&unit=pairs`)
        return untaggedCostUsd + sum(await data(`/reports/tags/env?${january}`))
      },
      'tag trends': async () => sum((await data(`/reports/tags/trends?${january}`)).items),
      receipt: async () => Number((await data(`/reports/receipt?${january}`)).totalUSD),
    })
  }

  /** Every way in which they say how many resources there are. */
  const counts = () =>
    allOf({
      summary: async () => (await data('/reports/summary')).resourceCount,
      inventory: async () => (await data('/reports/resources/summary')).total,
      providers: async () => sum(Object.values(await data(`/reports/providers/summary?${january}`)), 'count'),
      teams: async () => sum(await data(`/reports/teams?${january}`), 'resourceCount'),
      'resource types': async () =>
        sum((await data(`/reports/costs/resources?${january}&group_by=resource_type`)).items, 'resourceCount'),
      tags: async () => {
        const [{ coverage } = { coverage: { tagged: 0, untagged: 0 } }] = (await data(`/reports/tags?${january}`)).items
        return coverage.tagged + coverage.untagged
      },
      'tag pairs': async () => sum((await data(`/reports/tags?${january}&unit=pairs`)).items, 'resourceCount'),
      metrics: async () => (await data(`/reports/metrics?${january}`)).cpu.samples,
      'resource metrics': async () => (await data(`/reports/resources/metrics?${january}`)).length,
    })

  const saved = () =>
    allOf({
      summary: async () => (await data('/reports/summary')).totalSavingsUSD,
      trends: async () => sum((await data(`/reports/trends?${january}`)).items, 'savingsUSD'),
      resources: async () =>
        sum((await data(`/reports/costs/resources?${january}&group_by=resource`)).items, 'savingsUSD'),
      tags: async () => (await data(`/reports/tags?${january}&unit=pairs`)).totalSavingsUsd,
    })

  /** All figures of each kind agree; what differs is named. */
  const figures = async () => {
    const one = (some: Record<string, number>) => {
      const distinct = new Set(Object.values(some))
      expect(distinct.size, JSON.stringify(some)).to.equal(1)
      return [...distinct][0]
    }
    const [cost, present, savings] = await Promise.all([costs(), counts(), saved()])
    return { cost: one(cost), resources: one(present), savings: one(savings) }
  }

  deepIt('shows everything to those whose role has none [REP-26] [REP-43]', async () => {
    everyone()
    expect(await figures()).to.deep.equal({ cost: 155, resources: 4, savings: 7 })
  })

  // Every report is asked thirty times; accounts and teams together say more.
  deepIt('shrinks every report to its accounts exactly [REP-26] [REP-43]', async () => {
    only(['acct-1', 'acct-3'], [])
    expect(await figures()).to.deep.equal({ cost: 135, resources: 3, savings: 7 })
  })

  deepIt('shrinks every report to its teams exactly [REP-26] [REP-43]', async () => {
    only([], [core])
    expect(await figures()).to.deep.equal({ cost: 60, resources: 2, savings: 2 })
  })

  it('shows what belongs to one of its accounts or to one of its teams, once [REP-26] [REP-43]', async () => {
    only(['acct-2', 'acct-1'], [core])
    expect(await figures(), 'i-2 is in both').to.deep.equal({ cost: 75, resources: 3, savings: 3 })
  })

  it('that names nothing shows nothing [REP-26] [REP-43]', async () => {
    only([], [])
    // Thirty reports; those below are the ones whose form differs when they are empty.
    if (isDeep) expect(await figures()).to.deep.equal({ cost: 0, resources: 0, savings: 0 })
    expect(await data(`/reports/teams?${january}`)).to.deep.equal([])
    expect(await data('/reports/resources/summary')).to.deep.equal({ providers: [], total: 0 })
    expect(await data('/reports/providers/summary')).to.deep.equal({})
    expect((await data(`/reports/metrics?${january}`)).cpu.avgPercent).to.equal(null)
  })

  it('holds for a member of the organization who was given the role [REP-43]', async () => {
    const role = { name: 'narrow', permissions: ['service.view'] }
    const reportScope = { all: false, cloudAccountIDs: ['acct-1'], teamIDs: [core] }
    const made = await org.send('POST', '/roles', { ...role, reportScope })
    const ben = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, made.body.data.id)
    const total = async (token: string) =>
      (await askAs('GET', `/reports/costs/breakdown?${january}&dims=provider`, { token })).body.data.totalUSD
    expect([await total(org.token), await total(ben.accessToken)]).to.deep.equal([155, 75])
  })

  it('is not widened by what is asked for [REP-26]', async () => {
    only(['acct-1'], [core])
    const total = async (query: string) => (await data(`/reports/summary?${query}`)).totalCostUSD
    const cases: readonly [query: string, costUSD: number][] = [
      ['cloud_account_id=acct-3', 40],
      ['cloud_account_id=acct-2', 20],
      ['team_id=unassigned', 15],
      [`team_id=${core}`, 60],
      ['tag=env:dev', 40],
      ['resource_type=gcp-vm', 40],
    ]
    const totals = await Promise.all(cases.map(([query]) => total(query)))
    expect(totals).to.deep.equal(cases.map(([, costUSD]) => costUSD))
    const [unassigned, { items }, behind, metrics] = await Promise.all(
      [
        `/reports/teams/unassigned?${january}`,
        `/reports/teams/unassigned/resources?${january}`,
        `/reports/tags/env/values/dev/resources?${january}`,
        `/reports/resources/metrics?${january}&resource_uid=v-1,v-2`,
      ].map(data),
    )
    expect(unassigned.costUSD).to.equal(15)
    expect(items.map((row: any) => row.resourceUid)).to.deep.equal(['i-1', '(none)'])
    expect(behind.items.map((row: any) => row.resourceUid)).to.deep.equal(['v-1'])
    expect(metrics.map((row: any) => row.resourceUid)).to.deep.equal(['v-1'])
  })

  it('narrows rows, names and shares alike [REP-26] [REP-29] [REP-43]', async () => {
    only(['acct-1'], [core])
    const days = await data(`/reports/costs/resources?${january}`)
    expect(days.total).to.equal(4)
    expect(days.items.map((row: any) => `${row.resourceUid} ${row.costUSD}`)).to.deep.equal([
      'v-1 40',
      'i-2 20',
      'i-1 10',
      '(none) 5',
    ])
    expect(await data(`/reports/teams?${january}`)).to.deep.equal([
      { teamID: core, teamName: 'Core', costUSD: 60, resourceCount: 2, percentOfTotal: 80 },
      { teamID: null, teamName: 'Unassigned', costUSD: 15, resourceCount: 1, percentOfTotal: 20 },
    ])
    const inventory = await data('/reports/resources/summary')
    expect(inventory.providers.map(({ name, total }: any) => [name, total])).to.deep.equal([
      ['aws', 2],
      ['gcp', 1],
    ])
    const { cpu } = await data(`/reports/metrics?${january}`)
    expect([cpu.samples, cpu.maxPercent]).to.deep.equal([3, 40])
  })
})
