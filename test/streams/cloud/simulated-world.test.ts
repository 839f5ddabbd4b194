import { expect } from 'chai'
import { decoder } from '#engine/value/schema.ts'
import type { CloudAccount, DiscoveredResource } from '#streams/cloud/connector.ts'
import { clusterTypes, kubernetesKind, kubernetesKinds, typeOf } from '#streams/cloud/resource/resource-type.ts'
import { simulatedCloud, type SimulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { stories } from '#streams/cloud/simulated/world/stories/stories.ts'
import { storyResources } from '#streams/cloud/simulated/world/world.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'

/** Everything an asynchronous source gives. */
const collected = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of source) all.push(item)
  return all
}

/** A Monday morning. */
const now = new Date('2026-03-16T10:30:00Z')

const cloud = (seed = 'tidemark') => simulatedCloud({ seed, now: () => now, sleep: () => Promise.resolve() })

const connected = (sim: SimulatedCloud, externalId: string): CloudAccount => {
  const { provider, name } = sim.accounts.find((account) => account.externalId === externalId)!
  return { id: `id-${externalId}`, orgId: 'org', provider, externalId, name, regions: [], credentials: null }
}

const pagesOf = async (sim: SimulatedCloud, account: CloudAccount): Promise<DiscoveredResource[]> =>
  (await collected(sim.discover(account).pages)).flat()

const everything = async (sim: SimulatedCloud): Promise<DiscoveredResource[]> => {
  const all = []
  for (const { externalId } of sim.accounts) all.push(...(await pagesOf(sim, connected(sim, externalId))))
  return all
}

describe('simulated cloud: inventory', () => {
  const sim = cloud()
  let all: DiscoveredResource[] = []
  before(async () => {
    all = await everything(sim)
  })
  const byUid = (uid: string | undefined) => all.find(({ resourceUid }) => resourceUid === uid)

  it('offers six accounts of three providers that nobody takes for real ones', () => {
    expect(sim.accounts.map(({ provider, externalId, name }) => [provider, externalId, name])).to.eql([
      ['aws', 'sim-aws-production', 'simulated-aws-production'],
      ['aws', 'sim-aws-staging', 'simulated-aws-staging'],
      ['aws', 'sim-aws-analytics', 'simulated-aws-analytics'],
      ['gcp', 'sim-gcp-data', 'simulated-gcp-data'],
      ['azure', 'sim-azure-corp', 'simulated-azure-corp'],
      ['azure', 'sim-azure-dev', 'simulated-azure-dev'],
    ])
    expect(all.filter(({ resourceUid }) => !resourceUid.includes('sim'))).to.eql([])
    expect(all.filter(({ specs }) => specs?.['simulated'] !== true)).to.eql([])
  })

  it('holds 300 to 450 resources, each under its own uid', () => {
    expect(all.length).to.be.within(300, 450)
    expect(new Set(all.map(({ resourceUid }) => resourceUid)).size).to.equal(all.length)
  })

  it('finds only what decodes as a discovered resource', () => {
    const decode = decoder(resourceDiscovered.schema)
    for (const found of all) decode({ ...found, cloudAccountId: 'acct-1', refreshId: 'refresh-1' })
  })

  it('uses known types only, of the provider of the account', () => {
    expect(all.filter(({ type, provider }) => typeOf(type)?.provider !== provider)).to.eql([])
  })

  it('finds every parent before its children, in the same region, of a type that may be its parent', () => {
    const seen = new Set<string>()
    const wrong = all.filter(({ resourceUid, parentUID, region, type }) => {
      seen.add(resourceUid)
      if (parentUID === undefined) return false
      const parent = byUid(parentUID)
      return !seen.has(parentUID) || parent?.region !== region || !typeOf(type)?.parentTypes.includes(parent.type)
    })
    expect(wrong).to.eql([])
  })

  it('has a machine, a database, a cluster and a node pool of every provider [RES-34]', () => {
    const types = new Set(all.map(({ type }) => type))
    const wanted =
      'aws-ec2 aws-rds aws-eks aws-eks-nodegroup gcp-vm gcp-cloudsql gcp-gke gcp-gke-nodepool azure-vm azure-postgres ' +
      'azure-mysql azure-aks azure-aks-nodepool'
    expect(wanted.split(' ').filter((type) => !types.has(type))).to.eql([])
  })

  it('has a Databricks workspace whose clusters, pool and warehouse carry its uid [RES-35]', () => {
    const workspace = all.find(({ type }) => type === 'azure-databricks')
    const children = all.filter(({ parentUID }) => parentUID === workspace?.resourceUid)
    expect(children.map(({ type }) => type)).to.eql([
      'azure-databricks-cluster',
      'azure-databricks-cluster',
      'azure-databricks-instance-pool',
      'azure-databricks-warehouse',
    ])
  })

  it('shows all 24 Kubernetes kinds in a cluster of every provider, with the uid of the cluster [K8S-02, K8S-03, K8S-04, K8S-05, K8S-06, K8S-07, K8S-09]', () => {
    for (const cluster of clusterTypes) {
      const kinds = new Set(
        all
          .filter(({ type, parentUID }) => type.startsWith(`${cluster}-`) && byUid(parentUID)?.type === cluster)
          .map(({ type }) => kubernetesKind(type)),
      )
      expect(Object.keys(kubernetesKinds).filter((kind) => !kinds.has(kind))).to.eql([])
    }
  })

  it('lets a replica set that a deployment owns not be scheduled [K8S-10]', () => {
    const sets = all.filter(({ type }) => type === 'aws-eks-replicaset')
    expect(sets.map(({ name, schedulable }) => [name, schedulable])).to.eql([
      ['web', false],
      ['left-behind', true],
    ])
  })

  it('prices what runs by the public price list', () => {
    const rate = (name: string, type: string) =>
      all.find((found) => found.name === name && found.type === type)?.hourlyRateUSD
    expect(rate('shop-web-1', 'aws-ec2')).to.equal(0.192)
    expect(rate('shop-web-eu-1', 'aws-ec2')).to.equal(0.107)
    expect(rate('shop-general', 'aws-eks-nodegroup')).to.equal(1.152)
    expect(rate('recommend-api-1', 'gcp-vm')).to.equal(0.4273)
    expect(rate('dev-box-1', 'azure-vm')).to.equal(0.166)
    expect(rate('carts', 'aws-dynamodb-table')).to.equal(undefined)
  })

  it('leaves some taggable resources untagged and some tagged in their own spelling', () => {
    const machines = all.filter(({ type }) => ['aws-ec2', 'gcp-vm', 'azure-vm'].includes(type))
    const complete = machines.filter(({ tags = {} }) =>
      ['env', 'team', 'owner', 'cost-center'].every((key) => tags[key]),
    )
    const untagged = machines.filter(({ tags = {} }) => Object.keys(tags).length === 0)
    expect(complete.length).to.be.within(machines.length * 0.5, machines.length * 0.9)
    expect(untagged.length).to.be.within(1, machines.length * 0.25)
    expect(machines.some(({ tags = {} }) => 'Environment' in tags)).to.equal(true)
  })

  it('gives every Azure resource its resource group and no other one', () => {
    expect(
      all.filter(({ provider, resourceGroup }) => (provider === 'azure') !== (resourceGroup !== undefined)),
    ).to.eql([])
  })

  it('knows every resource its stories name', () => {
    for (const story of stories) {
      const names = storyResources(sim.world, story).map(({ name }) => name)
      if (story.names.length > 0) expect(names.toSorted(), story.id).to.eql(story.names.toSorted())
    }
    expect(
      storyResources(
        sim.world,
        stories.find(({ id }) => id === 'onboarding')!,
      ),
    ).to.have.length(27)
  })

  it('is the same for the same seed and clock, and another for another seed', async () => {
    expect(await everything(cloud())).to.eql(all)
    const others = new Set((await everything(cloud('another'))).map(({ resourceUid }) => resourceUid))
    expect(all.filter(({ type, resourceUid }) => type === 'aws-ec2' && others.has(resourceUid))).to.eql([])
  })
})

describe('simulated cloud: discovery', () => {
  it('finds what is in the enabled regions and nothing else', async () => {
    const sim = cloud()
    const found = await pagesOf(sim, { ...connected(sim, 'sim-aws-staging'), regions: ['us-west-2'] })
    expect(found.map(({ name }) => name)).to.eql([
      'ci-runner-1',
      'ci-runner-1-disk',
      'ci-runner-2',
      'ci-runner-2-disk',
      'ci-runner-3',
      'ci-runner-3-disk',
      'sim-stage-ci-cache',
    ])
  })

  it('finds machines of a development schedule running in office hours and stopped at night', async () => {
    const at = async (time: string) => {
      const sim = simulatedCloud({ seed: 'tidemark', now: () => new Date(time), sleep: () => Promise.resolve() })
      const found = await pagesOf(sim, connected(sim, 'sim-azure-dev'))
      return found.filter(({ name }) => ['dev-box-1', 'corp-dev-workers'].includes(name)).map(({ status }) => status)
    }
    expect(await at('2026-03-16T10:30:00Z')).to.eql(['running', 'running'])
    expect(await at('2026-03-16T22:30:00Z')).to.eql(['stopped', 'running'])
  })

  it('says it is complete for its own accounts, and knows nothing of the accounts of producers', async () => {
    const sim = cloud()
    const own = connected(sim, 'sim-gcp-data')
    const foreign = { ...own, externalId: '123456789012' }
    expect(sim.discover(own).seen).to.equal('everything')
    expect(sim.discover(foreign).seen).to.deep.equal([])
    expect(await pagesOf(sim, foreign)).to.eql([])
    expect(await collected(sim.bill(foreign, '2026-03-01', '2026-03-02'))).to.eql([])
    expect(
      await collected(sim.measure(foreign, [{ resourceUid: 'i-1', type: 'aws-ec2', region: 'us-east-1' }], now, now)),
    ).to.eql([])
    expect(await sim.verify(foreign)).to.eql({
      verdict: 'read_write',
      missingPermissions: [],
      message: 'This simulated cloud has no such account. Its resources and costs are sent by producers.',
    })
  })

  it('stops between pages when it is told to, and is then not complete', async () => {
    const sim = cloud()
    const stop = new AbortController()
    const discovery = sim.discover(connected(sim, 'sim-aws-production'), stop.signal)
    const sizes: number[] = []
    for await (const page of discovery.pages) {
      sizes.push(page.length)
      stop.abort()
    }
    expect(sizes).to.eql([100])
    expect(discovery.seen).to.deep.equal([])
  })

  it('refuses the credentials of an account it does not have', async () => {
    const sim = cloud()
    const unknown = { ...connected(sim, 'sim-gcp-data'), externalId: 'sim-nowhere' }
    expect(await sim.verify(unknown)).to.eql({
      verdict: 'none',
      missingPermissions: [],
      message: 'The simulated cloud has no gcp account sim-nowhere.',
    })
  })
})
