import { expect } from 'chai'
import { decoder } from '#engine/value/schema.ts'
import type { CloudAccount, MetricSamples, ResourceRef } from '#streams/cloud/connector.ts'
import { simulatedCloud, type SimulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { metricSample, type Metric } from '#streams/metric/messages.ts'

/** Everything an asynchronous source gives. */
const collected = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of source) all.push(item)
  return all
}

const cloud = () =>
  simulatedCloud({ seed: 'tidemark', now: () => new Date('2026-03-16T10:30:00Z'), sleep: () => Promise.resolve() })

const account = (sim: SimulatedCloud, externalId: string): CloudAccount => {
  const { provider, name } = sim.accounts.find((known) => known.externalId === externalId)!
  return { id: `id-${externalId}`, orgId: 'org', provider, externalId, name, regions: [], credentials: null }
}

const refs = (sim: SimulatedCloud, externalId: string, ...names: string[]): ResourceRef[] =>
  (sim.world.resources.get(externalId) ?? [])
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .map(({ uid, type, region }) => ({ resourceUid: uid, type, region }))

const measured = (
  sim: SimulatedCloud,
  externalId: string,
  names: string[],
  from: string,
  to: string,
  stepSeconds?: number,
) =>
  collected(
    sim.measure(account(sim, externalId), refs(sim, externalId, ...names), new Date(from), new Date(to), stepSeconds),
  )

const values = (messages: readonly MetricSamples[], metric: Metric) =>
  messages.flatMap(({ samples }) => samples.filter((sample) => sample.metric === metric).map(({ value }) => value))

const mean = (numbers: readonly number[]) => numbers.reduce((total, value) => total + value, 0) / numbers.length

describe('simulated cloud: utilization', () => {
  const sim = cloud()
  const week = ['2026-03-09T00:00:00Z', '2026-03-16T00:00:00Z'] as const
  const monday = ['2026-03-09T00:00:00Z', '2026-03-10T00:00:00Z'] as const

  it('samples every hour unless told otherwise, the first moment included and the last not', async () => {
    const hourly = await measured(
      sim,
      'sim-aws-production',
      ['shop-web-1'],
      '2026-03-09T10:00:00Z',
      '2026-03-09T12:00:00Z',
    )
    const times = hourly.flatMap(({ samples }) => samples.map(({ ts }) => ts))
    expect([...new Set(times)]).to.eql(['2026-03-09T10:00:00.000Z', '2026-03-09T11:00:00.000Z'])
    const quarters = await measured(
      sim,
      'sim-aws-production',
      ['shop-web-1'],
      '2026-03-09T10:01:00Z',
      '2026-03-09T11:00:00Z',
      900,
    )
    const cpu = quarters.flatMap(({ samples }) => samples.filter(({ metric }) => metric === 'cpu_percent'))
    expect(cpu.map(({ ts }) => ts.slice(11, 16))).to.eql(['10:15', '10:30', '10:45'])
  })

  it('writes messages that decode, of one resource and at most 5,000 samples each', async () => {
    const decode = decoder(metricSample.schema)
    const messages = await measured(sim, 'sim-gcp-data', [], ...monday)
    for (const message of messages) decode(message)
    const long = await measured(
      sim,
      'sim-aws-production',
      ['shop-web-1'],
      '2025-12-01T00:00:00Z',
      '2026-03-01T00:00:00Z',
    )
    for (const message of long) decode(message)
    expect(long.map(({ samples }) => samples.length)).to.eql([5000, 5000, 800])
  })

  it('gives the same value to the same hour of the same seed, in whatever range it is asked for', async () => {
    const one = await measured(sim, 'sim-aws-production', [], ...monday)
    expect(await measured(cloud(), 'sim-aws-production', [], ...monday)).to.eql(one)
    const within = await measured(sim, 'sim-aws-production', ['shop-web-1'], ...week)
    const direct = await measured(sim, 'sim-aws-production', ['shop-web-1'], ...monday)
    expect(values(within, 'cpu_percent').slice(0, 24)).to.eql(values(direct, 'cpu_percent'))
  })

  it('keeps shops busy by day, less at the weekend, and batch machines by night only', async () => {
    const web = values(await measured(sim, 'sim-aws-production', ['shop-web-1'], ...week), 'cpu_percent')
    const [noon, night, saturdayNoon] = [web[13]!, web[3]!, web[5 * 24 + 13]!]
    expect(noon).to.be.greaterThan(2 * night)
    expect(noon).to.be.greaterThan(1.2 * saturdayNoon)
    const batch = await measured(sim, 'sim-gcp-data', ['crawler-1'], ...monday)
    expect(values(batch, 'cpu_percent')).to.have.length(6)
    expect(mean(values(batch, 'cpu_percent'))).to.be.greaterThan(50)
  })

  it('leaves the planted machines idle, the oversized database bored and the cluster empty at weekends', async () => {
    const idle = await measured(sim, 'sim-aws-production', ['report-legacy-1', 'report-legacy-2'], ...week)
    expect(Math.max(...values(idle, 'cpu_percent'))).to.be.lessThan(5)
    const database = await measured(sim, 'sim-aws-production', ['orders-archive-db'], ...week)
    expect(Math.max(...values(database, 'cpu_percent'))).to.be.lessThan(10)
    const cluster = values(await measured(sim, 'sim-azure-dev', ['corp-dev-workers'], ...week), 'cpu_percent')
    expect(Math.max(...cluster.slice(5 * 24))).to.be.lessThan(3)
    expect(Math.max(...cluster)).to.be.greaterThan(30)
  })

  it('counts no instance, and measures nothing else, while a fleet is off', async () => {
    const pool = await measured(sim, 'sim-gcp-data', ['data-batch'], '2026-03-09T05:00:00Z', '2026-03-09T07:00:00Z')
    expect(values(pool, 'instance_count')).to.eql([3, 0])
    expect(values(pool, 'cpu_percent')).to.have.length(1)
  })
})

describe('simulated cloud: access', () => {
  it('knows a private, a narrow and an open cluster, and tells the network of no other type', async () => {
    const sim = cloud()
    const told = async (externalId: string, name: string) => {
      const [resource] = refs(sim, externalId, name)
      return sim.access(account(sim, externalId), resource!)
    }
    const principal = (externalId: string) => `simulated-aws-role/${externalId}`
    expect(await told('sim-aws-production', 'shop-prod')).to.eql({
      accessible: true,
      principal: principal('sim-aws-production'),
      network: { publicAccess: true, allowlist: ['203.0.113.0/24'] },
    })
    expect(await told('sim-aws-staging', 'shop-stage')).to.eql({
      accessible: true,
      principal: principal('sim-aws-staging'),
      network: { publicAccess: false, allowlist: [] },
    })
    expect((await told('sim-aws-analytics', 'analytics')).network).to.eql({
      publicAccess: true,
      allowlist: ['0.0.0.0/0'],
    })
    expect((await told('sim-gcp-data', 'data-prod')).network).to.equal(undefined)
  })

  it('takes the facts of a cluster of a producer from the specs it was discovered with', async () => {
    const sim = cloud()
    const foreign = { ...account(sim, 'sim-aws-production'), externalId: '123456789012' }
    const specs = { public_endpoint: true, public_access_cidrs: ['198.51.100.0/24'] }
    const facts = await sim.access(foreign, { resourceUid: 'cluster-1', type: 'aws-eks', region: 'us-east-1', specs })
    expect(facts.network).to.eql({ publicAccess: true, allowlist: ['198.51.100.0/24'] })
  })
})
