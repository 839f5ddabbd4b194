import { expect } from 'chai'
import { reports } from '#http/report/index.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'
import { payloadServices, reportWorld } from '#test/http/report/world.ts'
import { caller, served } from '#test/http/serving.ts'

describe('summaries of inventory and cost', () => {
  let org: Tenant
  const site = served(reports, {
    caller: async () => ({ ...caller('viewer'), orgId: org.orgId }),
    services: () => {
      const { orm, clickhouse } = org.connections
      return payloadServices(clickhouse, org.orgId, { em: orm.em.fork() })
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
      resourceCount: 0,
      period: '2026-01',
    })
  })

  deepIt(
    'count the resources of a period once, be they of its inventory or of its bills, in the summary, teams and snapshots [REP-01] [REP-29] [SNAP-01] G-109',
    async () => {
      const at = (day: string) => ({ time: new Date(`${day}T12:00:00Z`) })
      const tagged = { ...found('kept', 'aws', 'ec2', 'acct-1'), tags: { env: 'prod' } }
      await Promise.all([
        org.publish(resourceDiscovered, [tagged, found('both', 'aws', 'ec2', 'acct-1')], at('2025-11-02')),
        org.publish(resourceDiscovered, [found('gone', 'gcp', 'vm', 'acct-3')], at('2025-12-30')),
        org.publish(resourceDiscovered, [found('early', 'aws', 'rds', 'acct-1')], at('2025-12-01')),
        org.publish(resourceDiscovered, [found('later', 'aws', 'ec2', 'acct-1')], at('2026-02-01')),
      ])
      const end = (resourceUid: string, cloudAccountId: string) => ({
        resourceUid,
        cloudAccountId,
        provider: 'aws' as const,
      })
      await Promise.all([
        org.publish(resourceDeleted, [end('early', 'acct-1')], at('2025-12-31')),
        org.publish(resourceDeleted, [end('gone', 'acct-3')], at('2026-01-01')),
      ])
      const bill = (resourceUid: string | undefined, usageDate: string) => ({
        lineId: `${usageDate}/${resourceUid}`,
        ...(resourceUid && { resourceUid }),
        provider: 'aws',
        resourceType: 'aws-ec2',
        usageDate,
        costUSD: '1',
        cloudAccountId: 'acct-1',
        serviceName: 's',
        region: 'eu',
        exportedAt: '2026-02-20T00:00:00Z',
      })
      await org.publish(billingLine, [
        bill('both', '2026-01-05'),
        bill('both', '2026-01-06'),
        bill('billed', '2026-01-05'),
        bill('other', '2025-12-31'),
        bill(undefined, '2026-01-05'),
      ])
      const core = (await org.send('POST', '/teams', { name: 'Core' })).body.data.id as string
      await org.send('POST', `/teams/${core}/resources`, { resourceUIDs: ['kept', 'billed', 'later'] })
      const count = async (query: string) => (await data(`/reports/summary?period=2026-01${query}`)).resourceCount
      // kept, both, gone and billed.
      expect(await count('')).to.equal(4)
      expect(
        await Promise.all(['&provider=gcp', '&resource_type=aws-ec2', '&tag=env:prod', `&team_id=${core}`].map(count)),
      ).to.deep.equal([1, 3, 1, 2])
      const teams: any[] = await data('/reports/teams?from=2026-01-01&to=2026-01-31')
      expect(teams.map((team) => [team.teamName, team.resourceCount])).to.deep.equal([
        ['Unassigned', 2],
        ['Core', 2],
      ])
      const closed = await org.send('POST', '/internal/jobs/monthly-snapshot/run', {
        orgId: org.orgId,
        period: '2026-01',
      })
      expect(closed.status).to.equal(202)
      const [snapshot] = (await org.get('/reports/snapshots')).body.data
      expect(snapshot.resourceCount).to.equal(4)
      // What had a line keeps its team in the closed month, and is not counted again with the one it went to.
      await org.send('POST', `/teams/${core}/resources`, { resourceUIDs: ['both'] })
      const after: any[] = await data('/reports/teams?from=2026-01-01&to=2026-01-31')
      expect(after.map((team) => [team.teamName, team.resourceCount])).to.deep.equal([
        ['Unassigned', 2],
        ['Core', 2],
      ])
    },
  )

  it('are empty for an organization that has nothing', async () => {
    expect(await data('/reports/resources/summary')).to.deep.equal({ providers: [], total: 0 })
    expect(await data('/reports/providers/summary')).to.deep.equal({})
  })

  deepIt('agree with what an analyst reads from the views [STREAM-05]', async () => {
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

describe('the resources of a period', () => {
  const world = reportWorld()
  const { data, line } = world
  const resource = (resource_uid: string, from: string, more: object = {}) =>
    world.discovered(resource_uid, { provider: 'aws', type: 'aws-ec2', first_seen_at: `${from} 12:00:00.000`, ...more })
  const deleted = (day: string) => ({ deleted_at: `${day} 12:00:00.000` })
  const january = 'from=2026-01-01&to=2026-01-31'

  it(
    'are counted once, be they of its inventory or of its bills, in the summary and by team [REP-01] [REP-29] G-109',
    world.billed(
      () => [
        line('1', 1, { ResourceId: 'both', ResourceType: 'aws-ec2', x_Day: '2026-01-05' }),
        line('2', 1, { ResourceId: 'both', ResourceType: 'aws-ec2', x_Day: '2026-01-06' }),
        line('3', 1, { ResourceId: 'billed', ResourceType: 'aws-ec2', x_Day: '2026-01-05' }),
        line('4', 1, { ResourceId: 'other', ResourceType: 'aws-ec2', x_Day: '2025-12-31' }),
        line('5', 1, { x_Day: '2026-01-05' }),
      ],
      async () => {
        await Promise.all([
          resource('kept', '2025-11-02', { tags: { env: 'prod' } }),
          resource('both', '2025-11-02'),
          resource('gone', '2025-12-30', { provider: 'gcp', type: 'gcp-vm', ...deleted('2026-01-01') }),
          resource('early', '2025-12-01', { type: 'aws-rds', ...deleted('2025-12-31') }),
          resource('later', '2026-02-01'),
          world.team('core', 'Core'),
          world.assign('core', 'kept', 'billed', 'later'),
        ])
        const count = async (query: string) => (await data(`/reports/summary?period=2026-01${query}`)).resourceCount
        // kept, both, gone and billed.
        const narrowed = ['', '&provider=gcp', '&resource_type=aws-ec2', '&tag=env:prod', '&team_id=core']
        expect(await Promise.all(narrowed.map(count))).to.deep.equal([4, 1, 3, 1, 2])
        const teams: any[] = await data(`/reports/teams?${january}`)
        expect(teams.map((team) => [team.teamName, team.resourceCount])).to.deep.equal([
          ['Unassigned', 2],
          ['Core', 2],
        ])
      },
    ),
  )
})
