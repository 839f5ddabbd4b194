import { expect } from 'chai'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { validMessages } from '#test/streams/kubernetes/valid.ts'

const now = new Date('2026-03-11T12:03:00Z')
const cloud = () => simulatedCloud({ seed: 's', now: () => now, sleep: async () => {} })
const account = (externalId: string, provider: CloudAccount['provider'] = 'aws'): CloudAccount => ({
  id: externalId,
  orgId: 'o1',
  provider,
  externalId,
  name: '',
  regions: [],
  credentials: null,
})
const production = account('sim-aws-production')
const hour = (from: string) => ({ from: new Date(from), seconds: 3600 })

describe('who uses the simulated clusters', () => {
  it('is told by every account with a cluster, in messages, of the five minutes before', async () => {
    const sim = cloud()
    const all = await Promise.all(
      sim.accounts.map(async (one) => Array.fromAsync(sim.usage(account(one.externalId, one.provider), now))),
    )
    expect(all.map((usages) => usages.map(({ clusterName }) => clusterName))).to.deep.equal([
      ['shop-prod'],
      ['shop-stage'],
      ['analytics'],
      ['data-prod'],
      ['corp-prod'],
      ['corp-dev'],
    ])
    expect(validMessages(all.flat())).to.equal(true)
    const intervals = new Set(all.flat().map(({ from, seconds }) => `${from} ${seconds}`))
    expect([...intervals]).to.deep.equal(['2026-03-11T11:55:00.000Z 300'])
    expect(sim.calls.map(({ call }) => call)).to.deep.equal(all.map(() => 'usage'))
  })

  it('is of the machines that bills name, and says the same of an hour whenever it is asked', async () => {
    const past = hour('2026-02-20T10:00:00Z')
    const [usage] = cloud().usageAt(production, past)
    expect(cloud().usageAt(production, past)).to.deep.equal([usage])
    const billed = new Set<string | null | undefined>()
    for await (const lines of cloud().bill(production, '2026-02-20', '2026-02-20'))
      for (const { ResourceId } of lines) billed.add(ResourceId)
    expect(
      usage?.nodes?.map(({ name, cpuCores, memoryBytes }) => [name, cpuCores, memoryBytes / 2 ** 30]),
    ).to.deep.equal([
      ['shop-general', 24, 96],
      ['shop-spot', 8, 32],
    ])
    expect(usage?.nodes?.every(({ resourceUid }) => billed.has(resourceUid))).to.equal(true)
    const names = new Set(usage?.nodes?.map(({ name }) => name))
    expect(usage?.pods?.filter(({ node }) => !names.has(node))).to.deep.equal([])
  })

  it('has several namespaces and teams, who use more or less than they request, and leaves some idle', () => {
    const [usage] = cloud().usageAt(production, hour('2026-03-10T10:00:00Z'))
    const pods = usage?.pods ?? []
    expect([...new Set(pods.map(({ namespace }) => namespace))].toSorted()).to.deep.equal([
      'app',
      'kube-system',
      'monitoring',
    ])
    expect([...new Set(pods.map(({ labels }) => labels?.['team'] ?? ''))].toSorted()).to.deep.equal([
      '',
      'platform',
      'storefront',
    ])
    const over = pods.filter(({ cpuUsed = 0, cpuRequest = 0 }) => cpuUsed > cpuRequest)
    const under = pods.filter(({ cpuUsed = 0, cpuRequest = 0 }) => cpuUsed < cpuRequest)
    expect(over).to.have.length.above(3)
    expect(under).to.have.length.above(3)
    const taken = pods.reduce((sum, { cpuUsed = 0, cpuRequest = 0 }) => sum + Math.max(cpuUsed, cpuRequest), 0)
    expect(taken).to.be.within(5, 24)
  })

  it('has what runs by night for its minutes alone, and no node of a pool that is off', () => {
    const nightly = (from: string) =>
      cloud()
        .usageAt(production, hour(from))[0]
        ?.pods?.filter(({ controllerKind }) => controllerKind === 'cronjob')
        .map(({ controllerName, seconds, labels }) => [controllerName, seconds, labels?.['team']])
    expect(nightly('2026-03-10T02:00:00Z')).to.deep.equal([['nightly-report', 1200, 'finance']])
    expect(nightly('2026-03-10T03:00:00Z')).to.deep.equal([])
    const data = account('sim-gcp-data', 'gcp')
    const pools = (from: string) =>
      cloud()
        .usageAt(data, hour(from))[0]
        ?.nodes?.map(({ name }) => name)
    expect(pools('2026-03-10T02:00:00Z')).to.deep.equal(['data-default', 'data-batch'])
    expect(pools('2026-03-10T12:00:00Z')).to.deep.equal(['data-default'])
  })

  it('is nothing of an account that producers feed', async () => {
    expect(await Array.fromAsync(cloud().usage(account('123456789012'), now))).to.deep.equal([])
  })
})
