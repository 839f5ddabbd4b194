import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { decoder } from '#engine/value/schema.ts'
import { bucketOf, type CloudAccount, type ResourceRef } from '#streams/cloud/connector.ts'
import { simulatedCloud, type SimulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { FaultPlan } from '#streams/cloud/simulated/state/faults.ts'
import { Ledger } from '#streams/cloud/simulated/state/ledger.ts'

const now = new Date('2026-03-16T10:30:00Z')

/** The simulated cloud with a clock that stands still, and the waits it asked for. */
const cloud = (folder?: string) => {
  const waits: number[] = []
  const sleep = (ms: number) => {
    waits.push(ms)
    return Promise.resolve()
  }
  const sim = simulatedCloud({ seed: 'tidemark', now: () => now, sleep, ...(folder !== undefined && { folder }) })
  return { sim, waits }
}

const owner = (sim: SimulatedCloud, externalId = 'sim-aws-production', id = 'acct-1'): CloudAccount => {
  const { provider, name } = sim.accounts.find((known) => known.externalId === externalId)!
  return { id, orgId: 'org', provider, externalId, name, regions: [], credentials: null }
}

/** An account that its producers feed. */
const foreign: CloudAccount = {
  id: 'acct-2',
  orgId: 'org',
  provider: 'aws',
  externalId: '123456789012',
  name: '',
  regions: [],
  credentials: null,
}

const named = (sim: SimulatedCloud, name: string, type?: string): ResourceRef => {
  const found = [...sim.world.byUid.values()].find((one) => one.name === name && (type ?? one.type) === one.type)!
  return { resourceUid: found.uid, type: found.type, region: found.region }
}

const foreignGroup: ResourceRef = { resourceUid: 'asg-web', type: 'aws-asg', region: 'us-east-1' }
const ours = { id: 'r-1', policyName: 'tidemark-web', metric: 'cpu_percent', target: 60 }
const stands = { policyName: 'tidemark-web', metric: 'cpu_percent', target: 60, managedBy: 'tidemark' }

const code = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
    return 'ok'
  } catch (error) {
    return `${bucketOf(error)} ${(error as Fault).code}`
  }
}

const discovered = async (sim: SimulatedCloud, account: CloudAccount, name: string) => {
  for await (const page of sim.discover(account).pages)
    for (const found of page) if (found.name === name && found.type === 'aws-asg') return found.specs
  return undefined
}

describe('simulated cloud: policies of its own', () => {
  it('are told of each target that has some, the autoscaler of a deployment among them [ASC-03]', async () => {
    const { sim } = cloud()
    const of = async (externalId: string, name: string, type?: string) =>
      sim.policies(owner(sim, externalId), named(sim, name, type))
    expect({
      without: await of('sim-aws-production', 'shop-edge'),
      group: await of('sim-aws-staging', 'stage-edge'),
      instances: await of('sim-gcp-data', 'transform'),
      scaleSet: await of('sim-azure-dev', 'load-test'),
      pool: await of('sim-azure-corp', 'insights-pool'),
      deployment: await of('sim-aws-production', 'web', 'aws-eks-deployment'),
      other: await of('sim-aws-production', 'api', 'aws-eks-deployment'),
    }).to.deep.equal({
      without: [],
      group: [{ policyName: 'stage-edge-cpu', metric: 'cpu_percent', target: 55, managedBy: 'customer' }],
      instances: [{ policyName: 'transform-autoscaler', metric: 'cpu_percent', target: 60, managedBy: 'customer' }],
      scaleSet: [{ policyName: 'load-test-autoscale', metric: 'cpu_percent', target: 75, managedBy: 'customer' }],
      pool: [],
      deployment: [{ policyName: 'web', metric: 'cpu_request_percent', target: 70, managedBy: 'customer' }],
      other: [],
    })
  })

  it('are none of what producers made, and none of what is in another account', async () => {
    const { sim } = cloud()
    expect(await sim.policies(foreign, foreignGroup)).to.deep.equal([])
    expect(await sim.policies(owner(sim), named(sim, 'stage-edge'))).to.deep.equal([])
  })

  it('give way to one of ours, in one account alone, and the inventory counts it [ASC-35]', async () => {
    const { sim } = cloud()
    const group = named(sim, 'stage-edge')
    const [one, other] = [owner(sim, 'sim-aws-staging'), owner(sim, 'sim-aws-staging', 'acct-9')]
    const shop = named(sim, 'shop-edge')
    expect((await discovered(sim, owner(sim), 'shop-edge'))!['scaling_policy_count']).to.equal(0)
    await sim.replacePolicies(one, group, ours)
    await sim.replacePolicies(owner(sim), shop, { ...ours, id: 'r-2' })
    await sim.replacePolicies(foreign, foreignGroup, { ...ours, id: 'r-3' })
    expect(await sim.policies(one, group)).to.deep.equal([stands])
    expect((await sim.policies(other, group)).map(({ managedBy }) => managedBy)).to.deep.equal(['customer'])
    expect(await sim.policies(foreign, foreignGroup)).to.deep.equal([stands])
    expect((await discovered(sim, one, 'stage-edge'))!['scaling_policy_count']).to.equal(1)
    expect((await discovered(sim, owner(sim), 'shop-edge'))!['scaling_policy_count']).to.equal(1)
  })

  it('are replaced once under one id: asked again later it changes nothing', async () => {
    const { sim } = cloud()
    const account = owner(sim, 'sim-aws-staging')
    const group = named(sim, 'stage-edge')
    await sim.replacePolicies(account, group, ours)
    await sim.replacePolicies(account, group, { ...ours, id: 'r-2', target: 70 })
    await sim.replacePolicies(account, group, ours)
    expect(await sim.policies(account, group)).to.deep.equal([{ ...stands, target: 70 }])
    const call = {
      call: 'replacePolicies',
      cloudAccountId: 'acct-1',
      resourceUid: group.resourceUid,
      outcome: 'ok',
      at: now,
    }
    expect(sim.callsSince().calls.slice(0, 3)).to.deep.equal([
      { ...call, id: 'r-1' },
      { ...call, id: 'r-2' },
      { ...call, id: 'r-1', repeated: true },
    ])
  })

  it('cannot be replaced where there can be none of ours, nor of what is gone', async () => {
    const { sim } = cloud()
    const account = owner(sim)
    const replaced = (ref: ResourceRef, of = account, id: string = ref.resourceUid) =>
      code(sim.replacePolicies(of, ref, { ...ours, id }))
    expect(await replaced(named(sim, 'web', 'aws-eks-deployment'))).to.equal('user_action unsupported_action')
    expect(await replaced({ ...foreignGroup, type: 'aws-eks-deployment' }, foreign)).to.equal(
      'user_action unsupported_action',
    )
    const pool = named(sim, 'insights-pool')
    expect(await replaced(pool, owner(sim, 'sim-azure-corp'))).to.equal('user_action unsupported_action')
    expect(await replaced(named(sim, 'stage-edge'))).to.equal('user_action resource_not_found')
    const shop = named(sim, 'shop-edge')
    await sim.act(account, { id: 'd-1', kind: 'delete', resource: shop })
    expect(await replaced(shop)).to.equal('user_action resource_not_found')
    expect(await sim.policies(account, shop)).to.deep.equal([])
  })
})

describe('simulated cloud: quotas', () => {
  it('say how many units a fleet may have, where the cloud tells', async () => {
    const { sim } = cloud()
    const of = async (externalId: string, name: string, type?: string) =>
      sim.quotas(owner(sim, externalId), named(sim, name, type))
    expect([
      await of('sim-aws-production', 'shop-edge'),
      await of('sim-gcp-data', 'transform'),
      await of('sim-azure-dev', 'load-test'),
      await of('sim-azure-corp', 'insights-pool'),
      await of('sim-aws-production', 'web', 'aws-eks-deployment'),
      await sim.quotas(foreign, foreignGroup),
    ]).to.deep.equal([{ max: 100 }, { max: 60 }, { max: 40 }, {}, {}, {}])
  })

  it('end a scale that asks for more units, with what people can do; a bound beyond them is none of theirs', async () => {
    const { sim } = cloud()
    const account = owner(sim)
    const resource = named(sim, 'shop-edge')
    const scale = (id: string, params: object) => sim.act(account, { id, kind: 'scale', resource, params })
    let fault: unknown
    await scale('s-1', { min: 101, max: 120, desired: 101 }).catch((error: unknown) => (fault = error))
    expect(fault).to.be.instanceOf(Fault)
    const { code: said, message, detail } = fault as Fault
    expect({ said, message, detail }).to.deep.equal({
      said: 'quota_exceeded',
      message: 'shop-edge can have at most 100 units, but 101 were requested.',
      detail: {
        bucket: 'user_action',
        fixHint: 'Request a higher quota from the cloud, or delete resources you do not need.',
        consoleUrl: 'https://console.example.com/quotas',
      },
    })
    expect((await sim.look(account, resource)).capacity).to.deep.equal({ min: 2, max: 10, desired: 4 })
    await scale('s-2', { min: 100, max: 500, desired: 100 })
    expect((await sim.look(account, resource)).capacity).to.deep.equal({ min: 100, max: 500, desired: 100 })
    expect(sim.calls[0]).to.deep.include({ call: 'scale', id: 's-1', outcome: 'user_action' })
    await sim.act(foreign, { id: 's-3', kind: 'scale', resource: foreignGroup, params: { desired: 5000 } })
  })
})

describe('simulated cloud: infrastructure', () => {
  const made = {
    role: 'simulated-aws-role/sim-aws-production/tidemark-scaling',
    runtime: 'simulated-aws-function/sim-aws-production/tidemark-scaling',
  }

  it('is made in 2 s, once an account, and described whoever asks again [ASC-05]', async () => {
    const { sim, waits } = cloud()
    expect(await sim.createInfrastructure(owner(sim), { id: 'i-1' })).to.deep.equal(made)
    expect(waits).to.deep.equal([2000])
    expect(await sim.createInfrastructure(owner(sim), { id: 'i-1' })).to.deep.equal(made)
    expect(await sim.createInfrastructure(owner(sim), { id: 'i-2' })).to.deep.equal(made)
    expect(waits).to.deep.equal([2000])
    const call = { call: 'createInfrastructure', cloudAccountId: 'acct-1', outcome: 'ok', at: now }
    expect(sim.calls).to.deep.equal([
      { ...call, id: 'i-1' },
      { ...call, id: 'i-1', repeated: true },
      { ...call, id: 'i-2', repeated: true },
    ])
    await sim.createInfrastructure(foreign, { id: 'i-3' })
    await sim.createInfrastructure(owner(sim, 'sim-aws-production', 'acct-9'), { id: 'i-1' })
    expect(waits).to.deep.equal([2000, 2000, 2000])
  })

  it('is not made in an account that the simulated cloud has not', async () => {
    const { sim, waits } = cloud()
    const account = { ...foreign, externalId: 'sim-aws-nowhere' }
    expect(await code(sim.createInfrastructure(account, { id: 'i-1' }))).to.equal('user_action account_not_found')
    expect(waits).to.deep.equal([])
  })

  it('is made once by two processes that begin it together', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'simulated-cloud-'))
    try {
      const [one, other] = [cloud(folder).sim, cloud(folder).sim]
      await Promise.all([
        one.createInfrastructure(owner(one), { id: 'i-1' }),
        other.createInfrastructure(owner(one), { id: 'i-2' }),
      ])
      const calls = cloud(folder).sim.callsSince().calls
      expect(calls.map(({ repeated }) => repeated ?? false)).to.have.members([false, true])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('is not there for a process that was killed while it was made; the next that asks makes it', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'simulated-cloud-'))
    try {
      const sleep = () => new Promise<void>(() => {})
      const killed = simulatedCloud({ seed: 'tidemark', now: () => now, sleep, folder })
      void killed.createInfrastructure(owner(killed), { id: 'i-1' })
      const { sim, waits } = cloud(folder)
      expect(await sim.createInfrastructure(owner(sim), { id: 'i-1' })).to.deep.equal(made)
      expect(waits).to.deep.equal([2000])
      expect(sim.callsSince().calls.map(({ call, outcome }) => `${call} ${outcome}`)).to.deep.equal([
        'createInfrastructure ok',
      ])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('is needed by nothing here: all works at once', () => {
    expect(cloud().sim.infrastructureFor).to.deep.equal([])
  })
})

describe('simulated cloud: what scales, under faults and kills', () => {
  it('is struck by plans that name the calls, before and after they take their time', async () => {
    const { sim, waits } = cloud()
    const plan = (faults: object[]) => sim.faults.set(decoder(FaultPlan)({ faults }))
    const account = owner(sim, 'sim-aws-staging')
    const group = named(sim, 'stage-edge')
    plan([
      { call: 'policies', error: 'access_denied', times: 1, resourceUid: group.resourceUid },
      { call: 'quotas', error: 'throttled', times: 1 },
      { call: 'replacePolicies', error: 'transient: Try later.', times: 1 },
      { call: 'createInfrastructure', error: 'access_denied', times: 1, delaySeconds: 3 },
    ])
    expect([
      await code(sim.policies(account, group)),
      await code(sim.quotas(account, group)),
      await code(sim.replacePolicies(account, group, ours)),
      await code(sim.createInfrastructure(account, { id: 'i-1' })),
    ]).to.deep.equal([
      'user_action access_denied',
      'transient throttled',
      'transient simulated_transient',
      'user_action access_denied',
    ])
    expect(waits).to.deep.equal([3000])
    expect(sim.faults.planned).to.deep.equal([])
    expect((await sim.policies(account, group))[0]!.managedBy).to.equal('customer')
    plan([{ call: 'createInfrastructure', times: 1, delaySeconds: 1 }])
    await sim.replacePolicies(account, group, ours)
    await sim.createInfrastructure(account, { id: 'i-1' })
    expect(waits).to.deep.equal([3000, 3000])
    expect(sim.calls.map(({ call, outcome }) => `${call} ${outcome}`)).to.deep.equal([
      'policies user_action',
      'quotas transient',
      'replacePolicies transient',
      'createInfrastructure user_action',
      'policies ok',
      'replacePolicies ok',
      'createInfrastructure ok',
    ])
  })

  it('stays as it was made in every process of the folder, also behind a journal that was written shorter', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'simulated-cloud-'))
    try {
      const first = cloud(folder).sim
      const account = owner(first, 'sim-aws-staging')
      const group = named(first, 'stage-edge')
      await first.replacePolicies(account, group, ours)
      await first.createInfrastructure(account, { id: 'i-1' })
      new Ledger(folder, statSync(path.join(folder, 'simulated-cloud.jsonl')).size - 1).close()
      const { sim, waits } = cloud(folder)
      expect(await sim.policies(account, group)).to.deep.equal([stands])
      const { role } = await sim.createInfrastructure(account, { id: 'i-9' })
      expect(role).to.equal('simulated-aws-role/sim-aws-staging/tidemark-scaling')
      expect(waits).to.deep.equal([])
      await sim.replacePolicies(account, group, { ...ours, target: 10 })
      expect(await first.policies(account, group)).to.deep.equal([stands])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
