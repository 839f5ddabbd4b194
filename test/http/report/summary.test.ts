import { expect } from 'chai'
import { run } from '#analytics/query.ts'
import { reports } from '#http/report/index.ts'
import type { Services } from '#http/route.ts'
import { billingLine } from '#streams/billing.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { caller, served } from '#test/http/serving.ts'

describe('summaries of inventory and cost', () => {
  let org: Tenant
  const site = served(reports, {
    caller: async () => ({ ...caller('viewer'), orgId: org.orgId }),
    services: () => {
      const { orm, clickhouse } = org.connections
      return {
        em: orm.em.fork(),
        analytics: (q: never, params: object) => run(clickhouse, q, { ...params, org: org.orgId } as never),
        now: () => new Date('2026-01-20T12:00:00Z'),
        settings: { reportCost: 'billed' },
      } as unknown as Services
    },
  })
  const data = async (path: string) => ((await (await site.get(path)).json()) as any).data
  const found = (
    resourceUid: string,
    provider: 'aws' | 'gcp',
    kind: string,
    cloudAccountId: string,
    region = 'eu',
  ) => ({
    resourceUid,
    name: resourceUid,
    type: `${provider}-${kind}`,
    provider,
    cloudAccountId,
    region,
  })
  const inventory = () =>
    org.publish(resourceDiscovered, [
      found('i-1', 'aws', 'ec2', 'acct-1'),
      found('i-2', 'aws', 'ec2', 'acct-1', 'us'),
      found('d-1', 'aws', 'rds', 'acct-1'),
      found('i-3', 'aws', 'ec2', 'acct-2'),
      found('v-1', 'gcp', 'vm', 'acct-3'),
      found('v-2', 'gcp', 'vm', 'acct-3'),
    ])
  beforeEach(async () => void (org = await tenant()))

  it('count present resources by provider, account and type, and sum up [REP-28]', async () => {
    await inventory()
    await org.publish(resourceDeleted, [{ resourceUid: 'v-2', provider: 'gcp', cloudAccountId: 'acct-3' }], {
      time: new Date(Date.now() + 1000),
    })
    expect(await data('/reports/resources/summary')).to.deep.equal({
      providers: [
        {
          name: 'aws',
          total: 4,
          accounts: [
            { id: 'acct-1', name: 'acct-1', total: 3, byType: { 'aws-ec2': 2, 'aws-rds': 1 } },
            { id: 'acct-2', name: 'acct-2', total: 1, byType: { 'aws-ec2': 1 } },
          ],
        },
        { name: 'gcp', total: 1, accounts: [{ id: 'acct-3', name: 'acct-3', total: 1, byType: { 'gcp-vm': 1 } }] },
      ],
      total: 5,
    })
    const totals = async (query: string) => {
      const { providers, total } = await data(`/reports/resources/summary?${query}`)
      return [total, ...providers.map((p: any) => `${p.name} ${p.total}`)]
    }
    expect(await totals('provider=aws&region=eu')).to.deep.equal([3, 'aws 3'])
    expect(await totals('cloud_account_id=acct-2,acct-3')).to.deep.equal([2, 'aws 1', 'gcp 1'])
    expect(await totals('resource_type=aws-rds')).to.deep.equal([1, 'aws 1'])
    expect(await totals('team_id=core')).to.deep.equal([0])
  })

  it('show every provider that has a resource or a cost [REP-01] [REP-27]', async () => {
    await inventory()
    const bill = (lineId: string, provider: string, usageDate: string, costUSD: string) => ({
      lineId,
      provider,
      usageDate,
      costUSD,
      cloudAccountId: 'acct-1',
      serviceName: 's',
      exportedAt: '2026-01-20T00:00:00Z',
    })
    await org.publish(billingLine, [
      bill('1', 'aws', '2026-01-19', '100.25'),
      bill('2', 'azure', '2026-01-20', '25'),
      bill('3', 'azure', '2025-12-20', '999'),
    ])
    expect(await data('/reports/providers/summary')).to.deep.equal({
      aws: { count: 4, costUSD: 100.25 },
      gcp: { count: 2, costUSD: 0 },
      azure: { count: 0, costUSD: 25 },
    })
    expect(await data('/reports/providers/summary?provider=aws&region=us')).to.deep.equal({
      aws: { count: 1, costUSD: 0 },
    })
    expect(await data('/reports/summary')).to.deep.equal({
      totalCostUSD: 125.25,
      totalSavingsUSD: 0,
      resourceCount: 6,
      period: '2026-01',
    })
    expect((await data('/reports/summary?resource_type=aws-ec2')).resourceCount).to.equal(3)
    expect((await data('/reports/summary?team_id=core')).resourceCount).to.equal(0)
  })

  it('are empty for an organization that has nothing', async () => {
    expect(await data('/reports/resources/summary')).to.deep.equal({ providers: [], total: 0 })
    expect(await data('/reports/providers/summary')).to.deep.equal({})
  })

  it('agree with what an analyst reads from the views [STREAM-05]', async () => {
    const bill = (lineId: string, costUSD: string) => ({
      lineId,
      provider: 'aws',
      usageDate: '2026-01-19',
      costUSD,
      cloudAccountId: 'acct-1',
      serviceName: 's',
      exportedAt: '2026-01-20T00:00:00Z',
    })
    await org.publish(billingLine, [bill('1', '0.1'), bill('2', '0.2'), bill('3', '-0.05')])
    const views = { cost_daily: 'billed_cost', cost_service_daily: 'billed_cost' }
    for (const [view, column] of Object.entries(views)) {
      const rows = await org.facts(`SELECT sum(${column}) AS cost FROM ${view} WHERE org_id = {org:String}`)
      expect(rows, view).to.deep.equal([{ cost: '0.25' }])
    }
    expect(
      await org.facts('SELECT sum(BilledCost) AS cost FROM cost_lines WHERE x_OrgId = {org:String}'),
    ).to.deep.equal([{ cost: '0.25' }])
    expect((await data('/reports/summary')).totalCostUSD).to.equal(0.25)
  })
})
