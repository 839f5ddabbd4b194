import { expect } from 'chai'
import { reportWorld } from '#test/http/report/world.ts'

const window = 'from=2026-01-10&to=2026-01-11'

describe('utilization reports', () => {
  const world = reportWorld()
  const { data, refused } = world

  const sampleOf = (resource_uid: string, metric: string, value: number, minute = 0) => ({
    org_id: world.org,
    resource_uid,
    metric,
    ts: `2026-01-10 00:${String(minute).padStart(2, '0')}:00.000`,
    value,
    cloud_account_id: 'acct-1',
    x_Version: '1',
  })
  const samples = (uid: string, metric: string, values: readonly number[], more: object = {}) =>
    world.insert(
      'metric_sample',
      values.map((value, minute) => ({ ...sampleOf(uid, metric, value, minute), ...more })),
    )
  const at = '2026-01-01 00:00:00.000'
  const inventory = (uid: string, fields: object) =>
    world.insert('resource_state', [
      {
        org_id: world.org,
        cloud_account_id: 'acct-1',
        resource_uid: uid,
        first_seen_at: at,
        observed_at: at,
        x_Version: '1',
        ...fields,
      },
    ])

  it('give mean, 95th percentile and highest over all samples of all resources [REP-18]', async () => {
    // 0, 1, ..., 19: the 95th percentile lies at rank 0.95 x 19 = 18.05.
    await samples(
      'r1',
      'cpu_percent',
      Array.from({ length: 20 }, (_, i) => i),
    )
    await samples('r1', 'memory_percent', [10])
    await samples('r2', 'memory_percent', [20, 40.126])
    await samples('r2', 'network_in_bytes', [1e9])
    expect(await data(`/reports/metrics?${window}`)).to.deep.equal({
      from: '2026-01-10T00:00:00.000Z',
      to: '2026-01-12T00:00:00.000Z',
      cpu: { avgPercent: 9.5, p95Percent: 18.05, maxPercent: 19, samples: 20 },
      // 70.126 / 3; rank 0.95 x 2 = 1.9: 20 + 0.9 x 20.126
      memory: { avgPercent: 23.38, p95Percent: 38.11, maxPercent: 40.13, samples: 3 },
      disk: { avgPercent: null, p95Percent: null, maxPercent: null, samples: 0 },
    })
  })

  it('count a sample that was sent again once, with its newest value, and none outside the range', async () => {
    await samples('r1', 'cpu_percent', [50, 70])
    await samples('r1', 'cpu_percent', [60], { x_Version: '2' })
    await samples('r1', 'cpu_percent', [99], { ts: '2026-01-09 23:59:59.999' })
    await samples('r1', 'cpu_percent', [99], { ts: '2026-01-12 00:00:00.000' })
    const { cpu } = await data(`/reports/metrics?${window}`)
    expect(cpu).to.deep.equal({ avgPercent: 65, p95Percent: 69.5, maxPercent: 70, samples: 2 })
    const minute = await data('/reports/metrics?from=2026-01-10T00:01:00Z&to=2026-01-10T00:02:00Z')
    expect(minute.cpu).to.deep.equal({ avgPercent: 70, p95Percent: 70, maxPercent: 70, samples: 1 })
  })

  it('give each resource its own numbers, by uid [REP-19]', async () => {
    await samples('r2', 'cpu_percent', [10, 20])
    await samples('r1', 'cpu_percent', [90])
    await samples('r1', 'memory_percent', [30, 50])
    await samples('r1', 'network_in_bytes', [1000, 500])
    await samples('r1', 'network_out_bytes', [0])
    const empty = { avgPercent: null, p95Percent: null, maxPercent: null, samples: 0 }
    const first = {
      resourceUid: 'r1',
      cpu: { avgPercent: 90, p95Percent: 90, maxPercent: 90, samples: 1 },
      memory: { avgPercent: 40, p95Percent: 49, maxPercent: 50, samples: 2 },
      network: { inBytes: 1500, outBytes: 0 },
    }
    const second = {
      resourceUid: 'r2',
      cpu: { avgPercent: 15, p95Percent: 19.5, maxPercent: 20, samples: 2 },
      memory: empty,
      network: { inBytes: null, outBytes: null },
    }
    expect(await data(`/reports/resources/metrics?${window}`)).to.deep.equal([first, second])
    expect(await data(`/reports/resources/metrics?${window}&resource_uid=r2,r3`)).to.deep.equal([second])
  })

  it('give one resource its numbers of each day, with none where nothing was measured', async () => {
    await samples('r1', 'cpu_percent', [10, 20])
    await samples('r1', 'cpu_percent', [90], { ts: '2026-01-12 23:59:59.999' })
    await samples('r1', 'network_in_bytes', [1000, 500])
    await samples('r2', 'cpu_percent', [70])
    const none = [null, null, null]
    expect(await data('/reports/resources/metrics/daily?from=2026-01-10&to=2026-01-12&resource_uid=r1')).to.deep.equal({
      resourceUid: 'r1',
      days: ['2026-01-10', '2026-01-11', '2026-01-12'],
      // Rank 0.95 between 10 and 20.
      cpu: { avgPercent: [15, null, 90], p95Percent: [19.5, null, 90], maxPercent: [20, null, 90] },
      memory: { avgPercent: none, p95Percent: none, maxPercent: none },
      disk: { avgPercent: none, p95Percent: none, maxPercent: none },
      network: { inBytes: [1500, null, null], outBytes: none },
    })
    expect(await refused('/reports/resources/metrics/daily')).to.deep.equal(['resource_uid: required'])
    world.seeOnly({ cloudAccountIDs: ['acct-2'] })
    const { cpu } = await data(`/reports/resources/metrics/daily?${window}&resource_uid=r1`)
    expect(cpu.avgPercent).to.deep.equal([null, null])
  })

  it('take at most 50 resources', async () => {
    await world.insert(
      'metric_sample',
      Array.from({ length: 52 }, (_, i) => sampleOf(`r${100 + i}`, 'cpu_percent', 1)),
    )
    const all = await data(`/reports/resources/metrics?${window}`)
    expect(all.map((row: any) => row.resourceUid)).to.deep.equal(Array.from({ length: 50 }, (_, i) => `r${100 + i}`))
    const uids = Array.from({ length: 51 }, (_, i) => `r${i}`)
    expect(await refused(`/reports/resources/metrics?resource_uid=${uids.join(',')}`)).to.deep.equal([
      'resource_uid: maxItems',
    ])
    expect(await data(`/reports/resources/metrics?${window}&resource_uid=${uids.slice(1).join(',')}`)).to.deep.equal([])
  })

  it('are narrowed by what the inventory knows of the resources', async () => {
    await inventory('r1', { provider: 'aws', region: 'eu', type: 'aws-ec2' })
    await inventory('r2', { provider: 'gcp', region: 'eu', type: 'gcp-vm' })
    await samples('r1', 'cpu_percent', [10])
    await samples('r2', 'cpu_percent', [20])
    await samples('r3', 'cpu_percent', [40], { cloud_account_id: 'acct-2' })
    const mean = async (query: string) => (await data(`/reports/metrics?${window}&${query}`)).cpu.avgPercent
    expect(await mean('provider=aws')).to.equal(10)
    expect(await mean('region=eu')).to.equal(15)
    expect(await mean('region=eu&resource_type=gcp-vm')).to.equal(20)
    expect(await mean('cloud_account_id=acct-2')).to.equal(40)
    expect(await mean('team_id=core')).to.equal(null)
    const uids = async (query: string) =>
      (await data(`/reports/resources/metrics?${window}&${query}`)).map((row: any) => row.resourceUid)
    expect(await uids('provider=cloud-b')).to.deep.equal(['r2'])
    expect(await uids('cloud_account_id=acct-1')).to.deep.equal(['r1', 'r2'])
  })
})
