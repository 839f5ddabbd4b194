import { expect } from 'chai'
import { billingLine } from '#streams/billing.ts'
import { resourceDiscovered } from '#streams/resource.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'

const days = 'from=2026-01-01&to=2026-01-02'

const line = (lineId: string, usageDate: string, costUSD: number, more: object = {}) => ({
  lineId,
  cloudAccountId: 'acct-1',
  provider: 'aws' as const,
  serviceName: 'Compute',
  usageDate,
  costUSD,
  exportedAt: '2026-01-05T00:00:00Z',
  ...more,
})

describe('unit economics', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))

  const metric = async (more: object = {}): Promise<string> => {
    const body = { name: 'Orders', key: 'orders', unit: 'order', ingestion: 'csv', aggregation: 'sum', ...more }
    const made = await org.send('POST', '/unit-metrics', body)
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    return made.body.data.id as string
  }
  const csv = async (id: string, text: string): Promise<Answer> => {
    const response = await fetch(`${org.url}/unit-metric-values/${id}/csv`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${org.token}`, 'Content-Type': 'text/csv' },
      body: text,
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  const report = async (query: string) => (await org.get(`/reports/unit-economics?${query}`)).body.data
  const item = (date: string, costUSD: number, units: number, costPerUnitUSD: number | null) => ({
    date,
    costUSD,
    units,
    costPerUnitUSD,
  })

  it('divides the costs of each day by its units, null where there are none; a re-upload replaces, deletion leaves no units [REP-42][UNIT-03][UNIT-05]', async () => {
    await org.publish(billingLine, [line('l1', '2026-01-01', 300), line('l2', '2026-01-02', 280)])
    const id = await metric()
    expect((await csv(id, 'timestamp,value\n2026-01-01,150\n2026-01-02,0\n')).body.data).to.deep.equal({ ingested: 2 })
    expect(await report(`metric=orders&${days}`)).to.deep.equal({
      metric: 'orders',
      unit: 'order',
      items: [item('2026-01-01', 300, 150, 2), item('2026-01-02', 280, 0, null)],
      totalCostUSD: 580,
      totalUnits: 150,
      costPerUnitUSD: 580 / 150,
    })

    expect((await csv(id, 'timestamp,value\n2026-01-01,200\n')).body.data).to.deep.equal({ ingested: 1 })
    const stored = 'SELECT count() AS n FROM unit_metric_values WHERE org_id = {org:String}'
    expect((await org.facts(stored))[0]).to.deep.equal({ n: 2 })
    const again = await report(`metric=${id}&${days}`)
    expect(again.items).to.deep.equal([item('2026-01-01', 300, 200, 1.5), item('2026-01-02', 280, 0, null)])

    expect((await org.send('DELETE', `/unit-metric-values/${id}`)).status).to.equal(204)
    expect(await report(`metric=orders&${days}`)).to.deep.equal({
      metric: 'orders',
      unit: 'order',
      items: [item('2026-01-01', 300, 0, null), item('2026-01-02', 280, 0, null)],
      totalCostUSD: 580,
      totalUnits: 0,
      costPerUnitUSD: null,
    })
    expect((await org.get('/unit-metrics')).body.data.items.map((m: { id: string }) => m.id)).to.deep.equal([id])
  })

  it('counts the costs of the metric’s scope alone, narrowed further by the filters [REP-42]', async () => {
    const at = { cloudAccountId: 'acct-1', provider: 'aws' as const, region: 'us-east-1' }
    await org.publish(resourceDiscovered, [
      { ...at, resourceUid: 'i-1', name: 'web', type: 'aws-ec2', tags: { env: 'prod', 'aws:app': 'shop' } },
    ])
    await org.publish(billingLine, [
      line('l1', '2026-01-01', 30, { resourceUid: 'i-1' }),
      line('l2', '2026-01-01', 4, { provider: 'gcp' }),
      line('l3', '2026-01-01', 500, { provider: 'azure' }),
    ])
    await metric({ costScope: { providers: ['aws', 'cloud-b'] } })
    await metric({ key: 'tagged', costScope: { tags: { env: 'prod', 'aws:app': 'shop' } } })
    await metric({ key: 'otherwise', costScope: { tags: { env: 'prod', 'aws:app': 'blog' } } })
    await metric({ key: 'unassigned', costScope: { teamIDs: ['unassigned'] } })
    const total = async (filter: string, of = 'orders') => (await report(`metric=${of}&${days}${filter}`)).totalCostUSD
    expect([await total(''), await total('&provider=aws'), await total('&provider=azure')]).to.deep.equal([34, 30, 0])
    expect([await total('&team_id=t-1'), await total('&team_id=t-1', 'unassigned')]).to.deep.equal([0, 0])
    expect(await total('', 'unassigned')).to.equal(534)
    expect([
      await total('&team=t-1'),
      await total('&team=unassigned'),
      await total('&team=t-1&team_id=unassigned'),
    ]).to.deep.equal([0, 34, 34])
    expect([await total('&cloud_account_id=acct-2'), await total('&resource_type=aws-ec2')]).to.deep.equal([0, 30])
    expect([await total('&tag=env:none'), await total('&tag=env:prod')]).to.deep.equal([0, 30])
    expect([await total('', 'tagged'), await total('', 'otherwise')]).to.deep.equal([30, 0])
  })

  for (const [aggregation, first, second, all] of [
    ['sum', 6, 7, 13],
    ['avg', 2, 7, 3.25],
    ['max', 3, 7, 7],
    ['last', 2, 7, 7],
  ] as const)
    it(`makes one number of a month’s values by ${aggregation}, and another of the whole range [REP-42]`, async () => {
      const id = await metric({ aggregation })
      const rows = ['2026-01-30T23:00:00Z,3', '2026-01-31T00:00:00+05:00,1', '2026-01-31,2', '2026-02-01,7']
      await csv(id, `timestamp,value\n${rows.join('\n')}`)
      const { items, totalUnits } = await report('metric=orders&granularity=monthly&from=2026-01-30&to=2026-02-01')
      expect(items).to.deep.equal([item('2026-01', 0, first, 0), item('2026-02', 0, second, 0)])
      expect(totalUnits).to.equal(all)
    })

  it('counts the values of its days, both ends included, and none of the midnights around them [REP-42] G-07', async () => {
    const id = await metric()
    const rows = ['2026-01-29T23:59:59.999Z,100', '2026-01-30,1', '2026-01-31T23:59:59.999Z,2', '2026-02-01,1000']
    await csv(id, `timestamp,value\n${rows.join('\n')}`)
    const { items, totalUnits } = await report('metric=orders&from=2026-01-30&to=2026-01-31')
    expect(items).to.deep.equal([item('2026-01-30', 0, 1, 0), item('2026-01-31', 0, 2, 0)])
    expect(totalUnits).to.equal(3)
  })

  it('names ISO weeks as other reports do [REP-42]', async () => {
    const id = await metric()
    await csv(id, 'timestamp,value\n2026-01-31,2\n2026-02-01,7\n2026-02-02,1')
    const { items } = await report('metric=orders&granularity=weekly&from=2026-01-26&to=2026-02-08')
    expect(items).to.deep.equal([item('2026-W05', 0, 9, 0), item('2026-W06', 0, 1, 0)])
  })

  it('refuses a metric that is not there, and asks for one [REP-42]', async () => {
    const other = await metric()
    const stranger = await tenant()
    const asked = [`?metric=none`, `?metric=00000000-0000-4000-8000-000000000000`, ``]
    const statuses = await Promise.all(
      asked.map(async (query) => (await org.get(`/reports/unit-economics${query}`)).status),
    )
    expect(statuses).to.deep.equal([404, 404, 400])
    expect((await stranger.get(`/reports/unit-economics?metric=${other}`)).status).to.equal(404)
  })
})
