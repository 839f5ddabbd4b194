import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { sample } from '#test/harness/tier.ts'
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
  let keys = 0
  const march = 'from=2026-03-01&to=2026-03-02'

  before(async () => {
    org = await tenant()
    const at = { cloudAccountId: 'acct-1', provider: 'aws' as const, region: 'us-east-1' }
    await org.publish(resourceDiscovered, [
      { ...at, resourceUid: 'i-1', name: 'web', type: 'aws-ec2', tags: { env: 'prod', 'aws:app': 'shop' } },
    ])
    await org.publish(billingLine, [
      line('l1', '2026-01-01', 300),
      line('l2', '2026-01-02', 280),
      line('m1', '2026-03-01', 30, { resourceUid: 'i-1' }),
      line('m2', '2026-03-01', 4, { provider: 'gcp' }),
      line('m3', '2026-03-01', 500, { provider: 'azure' }),
    ])
  })

  /** The metrics of the tests share an organization: each has a key of its own. */
  const metric = async (more: object = {}): Promise<{ id: string; key: string }> => {
    const key = `orders-${++keys}`
    const body = { name: 'Orders', key, unit: 'order', ingestion: 'csv', aggregation: 'sum', ...more }
    const made = await org.send('POST', '/unit-metrics', body)
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    return { id: made.body.data.id, key }
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
    const { id, key } = await metric()
    expect((await csv(id, 'timestamp,value\n2026-01-01,150\n2026-01-02,0\n')).body.data).to.deep.equal({ ingested: 2 })
    expect(await report(`metric=${key}&${days}`)).to.deep.equal({
      metric: key,
      unit: 'order',
      items: [item('2026-01-01', 300, 150, 2), item('2026-01-02', 280, 0, null)],
      totalCostUSD: 580,
      totalUnits: 150,
      costPerUnitUSD: 580 / 150,
    })

    expect((await csv(id, 'timestamp,value\n2026-01-01,200\n')).body.data).to.deep.equal({ ingested: 1 })
    const stored = `SELECT count() AS n FROM unit_metric_values WHERE org_id = {org:String} AND ts < '2026-01-10'`
    expect((await org.facts(stored))[0]).to.deep.equal({ n: 2 })
    const again = await report(`metric=${id}&${days}`)
    expect(again.items).to.deep.equal([item('2026-01-01', 300, 200, 1.5), item('2026-01-02', 280, 0, null)])

    expect((await org.send('DELETE', `/unit-metric-values/${id}`)).status).to.equal(204)
    expect(await report(`metric=${key}&${days}`)).to.deep.equal({
      metric: key,
      unit: 'order',
      items: [item('2026-01-01', 300, 0, null), item('2026-01-02', 280, 0, null)],
      totalCostUSD: 580,
      totalUnits: 0,
      costPerUnitUSD: null,
    })
    expect((await org.get('/unit-metrics')).body.data.items.map((m: { id: string }) => m.id)).to.include(id)
  })

  it('counts the costs of the metric’s scope alone, narrowed further by the filters [REP-42]', async () => {
    const byProvider = await metric({ costScope: { providers: ['aws', 'cloud-b'] } })
    const tagged = await metric({ costScope: { tags: { env: 'prod', 'aws:app': 'shop' } } })
    const otherwise = await metric({ costScope: { tags: { env: 'prod', 'aws:app': 'blog' } } })
    const unassigned = await metric({ costScope: { teamIDs: ['unassigned'] } })
    const cases: readonly [filter: string, costUSD: number, of?: { key: string }][] = [
      ['', 34],
      ['&provider=aws', 30],
      ['&provider=azure', 0],
      ['&team_id=t-1', 0],
      ['', 0, otherwise],
      ['&team=unassigned', 34],
      ['&team=t-1&team_id=unassigned', 34],
      ['&cloud_account_id=acct-2', 0],
      ['&resource_type=aws-ec2', 30],
      ['&tag=env:none', 0],
      ['&tag=env:prod', 30],
      ['&team_id=t-1', 0, unassigned],
      ['', 534, unassigned],
      ['&team=t-1', 0],
      ['', 30, tagged],
    ]
    const asked = sample(cases, 8)
    const totals = await Promise.all(
      asked.map(
        async ([filter, , { key } = byProvider]) => (await report(`metric=${key}&${march}${filter}`)).totalCostUSD,
      ),
    )
    expect(totals).to.deep.equal(asked.map(([, costUSD]) => costUSD))
  })

  for (const [aggregation, first, second, all] of [
    ['sum', 6, 7, 13],
    ['avg', 2, 7, 3.25],
    ['max', 3, 7, 7],
    ['last', 2, 7, 7],
  ] as const)
    it(`makes one number of a month’s values by ${aggregation}, and another of the whole range [REP-42]`, async () => {
      const { id, key } = await metric({ aggregation })
      const rows = ['2026-01-30T23:00:00Z,3', '2026-01-31T00:00:00+05:00,1', '2026-01-31,2', '2026-02-01,7']
      await csv(id, `timestamp,value\n${rows.join('\n')}`)
      const { items, totalUnits } = await report(`metric=${key}&granularity=monthly&from=2026-01-30&to=2026-02-01`)
      expect(items).to.deep.equal([item('2026-01', 0, first, 0), item('2026-02', 0, second, 0)])
      expect(totalUnits).to.equal(all)
    })

  it('counts the values of its days, both ends included, and none of the midnights around them [REP-42] G-07', async () => {
    const { id, key } = await metric()
    const rows = ['2026-01-29T23:59:59.999Z,100', '2026-01-30,1', '2026-01-31T23:59:59.999Z,2', '2026-02-01,1000']
    await csv(id, `timestamp,value\n${rows.join('\n')}`)
    const { items, totalUnits } = await report(`metric=${key}&from=2026-01-30&to=2026-01-31`)
    expect(items).to.deep.equal([item('2026-01-30', 0, 1, 0), item('2026-01-31', 0, 2, 0)])
    expect(totalUnits).to.equal(3)
  })

  it('names ISO weeks as other reports do [REP-42]', async () => {
    const { id, key } = await metric()
    await csv(id, 'timestamp,value\n2026-01-31,2\n2026-02-01,7\n2026-02-02,1')
    const { items } = await report(`metric=${key}&granularity=weekly&from=2026-01-26&to=2026-02-08`)
    expect(items).to.deep.equal([item('2026-W05', 0, 9, 0), item('2026-W06', 0, 1, 0)])
  })

  it('refuses a metric that is not there, and asks for one [REP-42]', async () => {
    const { id: other } = await metric()
    const stranger = await tenant()
    const asked = [`?metric=none`, `?metric=00000000-0000-4000-8000-000000000000`, ``]
    const statuses = await Promise.all(
      asked.map(async (query) => (await org.get(`/reports/unit-economics${query}`)).status),
    )
    expect(statuses).to.deep.equal([404, 404, 400])
    expect((await stranger.get(`/reports/unit-economics?metric=${other}`)).status).to.equal(404)
  })
})
