import { expect } from 'chai'
import type { CloudAccount, DiscoveredResource, MetricSamples } from '#streams/cloud/connector.ts'
import { simulatedCloud, type SimulatedCloud } from '#streams/cloud/simulated/connector.ts'
import type { Metric } from '#streams/metric/messages.ts'

/** Stories count back from one day, whatever the clock says. */
const cloudAt = (time: string) =>
  simulatedCloud({
    seed: 'tidemark',
    now: () => new Date(time),
    sleep: () => Promise.resolve(),
    today: '2026-03-16',
  })

const account = (sim: SimulatedCloud, externalId: string): CloudAccount => {
  const { provider, name } = sim.accounts.find((known) => known.externalId === externalId)!
  return { id: `id-${externalId}`, orgId: 'org', provider, externalId, name, regions: [], credentials: null }
}

async function found(sim: SimulatedCloud, externalId: string): Promise<DiscoveredResource[]> {
  const all: DiscoveredResource[] = []
  for await (const page of sim.discover(account(sim, externalId)).pages) all.push(...page)
  return all
}

async function specsOf(time: string, externalId: string, name: string): Promise<Record<string, unknown>> {
  const all = await found(cloudAt(time), externalId)
  return all.find((resource) => resource.name === name)!.specs!
}

/** Samples of one metric of a resource from one moment to another, hourly unless told otherwise. */
async function samplesOf(externalId: string, name: string, metric: Metric, [from, to]: [string, string], step = 3600) {
  const sim = cloudAt('2026-03-16T10:30:00Z')
  const { uid, type, region } = sim.world.resources.get(externalId)!.find((resource) => resource.name === name)!
  const samples: MetricSamples['samples'] = []
  const asked = [{ resourceUid: uid, type, region }]
  for await (const message of sim.measure(account(sim, externalId), asked, new Date(from), new Date(to), step))
    samples.push(...message.samples)
  return samples.filter((sample) => sample.metric === metric)
}

const monday: [string, string] = ['2026-03-09T00:00:00Z', '2026-03-10T00:00:00Z']
const sum = (numbers: readonly number[]) => numbers.reduce((total, value) => total + value, 0)

describe('simulated cloud: attributes', () => {
  it('tells all of an encrypted volume that hangs on a machine', async () => {
    expect(await specsOf('2026-03-16T10:30:00Z', 'sim-aws-production', 'shop-web-1-disk')).to.eql({
      simulated: true,
      created_at: '2023-09-28T00:00:00Z',
      attached: true,
      state: 'in-use',
      volume_type: 'gp3',
      iops: 3000,
      throughput_mibps: 125,
      encrypted: true,
      multi_attach: false,
      is_root: true,
      days_detached: null,
      snapshot_age_days: 1,
    })
  })

  it('puts what a story says over what its type says, and what two stories say side by side', async () => {
    expect(await specsOf('2026-03-16T10:30:00Z', 'sim-gcp-data', 'sandbox-db')).to.eql({
      simulated: true,
      created_at: '2023-09-28T00:00:00Z',
      database_version: 'MYSQL_8_4',
      vcpus: 2,
      memory_gib: 7.5,
      availability: 'ZONAL',
      edition: 'ENTERPRISE',
      disk_type: 'PD_SSD',
      is_replica: false,
      public_ip: true,
      authorized_networks: ['0.0.0.0/0'],
      ssl_mode: 'ALLOW_UNENCRYPTED_AND_ENCRYPTED',
      backups_enabled: true,
    })
  })

  it('counts days since and days to something once a day, so that the scans of one day find the same', async () => {
    const counts = async (time: string) => {
      const disk = await specsOf(time, 'sim-azure-corp', 'decommissioned-vm-disk-1')
      const cluster = await specsOf(time, 'sim-azure-corp', 'corp-prod')
      return [disk['days_detached'], cluster['days_to_end_of_support']]
    }
    expect(await counts('2026-03-16T00:10:00Z')).to.eql([95, 240])
    expect(await counts('2026-03-16T23:50:00Z')).to.eql([95, 240])
    expect(await counts('2026-03-17T00:10:00Z')).to.eql([96, 239])
    expect(await counts('2026-11-30T00:10:00Z')).to.eql([354, -19])
    const morning = await found(cloudAt('2026-03-16T00:10:00Z'), 'sim-azure-corp')
    const night = await found(cloudAt('2026-03-16T05:50:00Z'), 'sim-azure-corp')
    expect(night).to.eql(morning)
  })

  it('says in the words of its cloud what a machine is doing', async () => {
    const told = async (time: string) => [
      (await specsOf(time, 'sim-azure-dev', 'dev-box-1'))['power_state'],
      (await specsOf(time, 'sim-azure-corp', 'insights-sql'))['state'],
    ]
    expect(await told('2026-03-16T10:30:00Z')).to.eql(['running', 'RUNNING'])
    expect(await told('2026-03-16T22:30:00Z')).to.eql(['deallocated', 'STOPPED'])
  })

  it('says of a fleet what it was set to, once it was set', async () => {
    const sim = cloudAt('2026-03-16T10:30:00Z')
    const counts = async () => {
      const all = await found(sim, 'sim-azure-dev')
      const told = (name: string) => all.find((resource) => resource.name === name)!.specs!
      return [told('corp-dev-workers')['count'], told('load-test')['capacity']]
    }
    expect(await counts()).to.eql([4, 3])
    for (const name of ['corp-dev-workers', 'load-test']) {
      const { uid, type, region } = sim.world.resources.get('sim-azure-dev')!.find((one) => one.name === name)!
      const resource = { resourceUid: uid, type, region }
      await sim.act(account(sim, 'sim-azure-dev'), { id: `stop-${name}`, kind: 'stop', resource })
    }
    expect(await counts()).to.eql([0, 0])
  })

  it('floors a disk at what the next smaller tier holds', async () => {
    const floor = async (name: string) => {
      const { tier, tier_floor_gb: gb } = await specsOf('2026-03-16T10:30:00Z', 'sim-azure-corp', name)
      return [tier, gb]
    }
    expect(await floor('erp-app-1-disk')).to.eql(['P10', 64])
    expect(await floor('decommissioned-vm-disk-1')).to.eql(['P20', 256])
  })
})

describe('simulated cloud: metrics that rules read', () => {
  it('peak at or above their mean, and within 100 percent', async () => {
    const cpu = await samplesOf('sim-aws-analytics', 'etl-1', 'cpu_percent', monday)
    expect(cpu).to.have.length(24)
    expect(cpu.filter(({ value, max = value }) => max < value || max > 100)).to.eql([])
    expect(cpu.some(({ value, max = value }) => max > value)).to.equal(true)
  })

  it('total an hour as they total its quarters, within noise, and say so in their sum', async () => {
    const place = ['sim-azure-corp', 'erp-front', 'request_count'] as const
    const hour: [string, string] = ['2026-03-09T10:00:00Z', '2026-03-09T11:00:00Z']
    const [whole] = await samplesOf(...place, hour)
    const quarters = await samplesOf(...place, hour, 900)
    expect(whole!.sum).to.equal(whole!.value)
    expect(quarters).to.have.length(4)
    expect(sum(quarters.map(({ value }) => value)) / whole!.value).to.be.within(0.75, 1.35)
  })

  it('leave a machine nobody uses below 5 MB a day, and a working one far above', async () => {
    const megabytes = async (name: string) => {
      const both = (['network_in_bytes', 'network_out_bytes'] as const).map((metric) =>
        samplesOf('sim-aws-production', name, metric, monday),
      )
      return sum((await Promise.all(both)).flat().map(({ value }) => value)) / 1e6
    }
    expect(await megabytes('report-legacy-1')).to.be.within(1, 5)
    expect(await megabytes('shop-web-1')).to.be.greaterThan(1000)
  })

  it('count the operations of a disk as often as its rate says, and only while its machine runs', async () => {
    const place = ['sim-gcp-data', 'crawler-1-disk'] as const
    const operations = await samplesOf(...place, 'io_ops', monday)
    const rates = await samplesOf(...place, 'iops', monday)
    expect(rates).to.have.length(6)
    const counted = operations.map(({ value }) => Math.round(value / 36) / 100)
    expect(counted).to.eql(rates.map(({ value }) => value))
  })

  it('tell nothing of a disk that hangs on no machine, nor a share of requests nobody made', async () => {
    expect(await samplesOf('sim-aws-production', 'migration-scratch-1', 'iops', monday)).to.eql([])
    expect(await samplesOf('sim-aws-production', 'dashboard', 'cpu_request_percent', monday)).to.eql([])
    expect(await samplesOf('sim-aws-production', 'api', 'cpu_request_percent', monday)).to.have.length(24)
  })

  it('give a database that works connections, and the gigabytes of a bucket as the inventory has them', async () => {
    const connections = await samplesOf('sim-aws-production', 'orders-db', 'connections', monday)
    expect(Math.min(...connections.map(({ value }) => value))).to.be.greaterThan(20)
    const stored = await samplesOf('sim-aws-production', 'sim-shop-clickstream-raw', 'bucket_standard_gb', monday)
    // It grows by 30 GB a day to 12,400 a week later.
    expect(new Set(stored.map(({ value }) => value))).to.eql(new Set([12_400 - 7 * 30]))
  })
})
