import { expect } from 'chai'
import { run, type Query } from '#analytics/store/query.ts'
import type { Services } from '#http/edge/services.ts'
import { readMetrics, pointsMax, stepOf, wantedOf } from '#http/recommendation/metric.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

describe('metrics of a recommendation', () => {
  it('are those that its rule reads, each over the longest of its windows', () => {
    expect(
      wantedOf(['cpu_percent.p99.14d', 'requests.sum.7d', 'cpu_percent.max.30d', 'cpu_percent.avg.3d']),
    ).to.deep.equal([
      { name: 'cpu_percent', days: 30 },
      { name: 'requests', days: 7 },
    ])
    expect(wantedOf([])).to.deep.equal([])
  })

  it('have a point every five minutes of a day, an hour of two weeks, and 336 at most [G-69]', () => {
    expect([1, 3, 7, 14, 30, 60, 90].map(stepOf)).to.deep.equal([300, 900, 1800, 3600, 10_800, 21_600, 43_200])
    for (let days = 1; days <= 1000; days++)
      expect(Math.ceil((days * 86_400) / stepOf(days)), String(days)).to.be.at.most(pointsMax)
  })

  describe('as ClickHouse has them', () => {
    let org: Tenant
    const now = () => new Date('2026-01-15T13:00:00Z')
    const analytics = ((q: Query, params: object) =>
      run(org.connections.clickhouse, q, { org: org.orgId, ...params })) as Services['analytics']
    const sample = (metric: string, ts: string, value: number, more: object = {}) => ({
      org_id: org.orgId,
      resource_uid: 'i-1',
      metric,
      ts: ts.replace('T', ' '),
      value,
      cloud_account_id: 'acct-1',
      x_Version: '1',
      ...more,
    })
    before(async () => {
      org = await tenant()
      const values = [
        sample('cpu_percent', '2025-12-31T23:59:59.999', 90),
        sample('cpu_percent', '2026-01-01T00:00:00.000', 10),
        sample('cpu_percent', '2026-01-01T00:30:00.000', 20),
        sample('cpu_percent', '2026-01-14T23:59:59.999', 40),
        sample('cpu_percent', '2026-01-15T00:00:00.000', 95),
        sample('cpu_percent', '2026-01-10T05:00:00.000', 80, { cloud_account_id: 'acct-2' }),
        sample('cpu_percent', '2026-01-10T05:00:00.000', 80, { resource_uid: 'i-2' }),
        sample('cpu_percent', '2026-01-10T05:00:00.000', 80, { org_id: 'another' }),
        sample('network_in_bytes', '2026-01-08T00:29:59.000', 100),
        sample('network_in_bytes', '2026-01-07T00:00:00.000', 7000),
        sample('memory_percent', '2026-01-10T05:00:00.000', 50),
      ]
      await org.put('metric_sample', values)
    })
    const of = (...wanted: { name: string; days: number }[]) =>
      readMetrics(wanted, { account: 'acct-1', uid: 'i-1', type: 'aws-ec2' }, { analytics, now })

    it('are of the whole days before today, in steps from the first of them, and of nothing else [REC-09] [G-69]', async () => {
      const wanted = [
        { name: 'cpu_percent', days: 14 },
        { name: 'network_bytes_in', days: 7 },
        { name: 'replicas', days: 14 },
      ]
      expect(await of(...wanted)).to.deep.equal([
        {
          name: 'cpu_percent',
          unit: 'percent',
          windowDays: 14,
          avg: 23.3333,
          // Between the second (20) and the third (40) of three samples: at 0.95 x 2 = 1.9 behind the first.
          p95: 38,
          max: 40,
          points: [
            { t: '2026-01-01T00:00:00.000Z', v: 15 },
            { t: '2026-01-14T23:00:00.000Z', v: 40 },
          ],
        },
        {
          name: 'network_bytes_in',
          unit: 'bytes',
          windowDays: 7,
          avg: 100,
          p95: 100,
          max: 100,
          points: [{ t: '2026-01-08T00:00:00.000Z', v: 100 }],
        },
      ])
    })
  })
})
