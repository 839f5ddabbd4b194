import { expect } from 'chai'
import { decoder } from '#engine/value/schema.ts'
import { bucketOf, type ActionKind, type CloudAccount, type ResourceRef } from '#streams/cloud/connector.ts'
import { simulatedCloud, type SimulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { FaultPlan } from '#streams/cloud/simulated/state/faults.ts'

/** Everything an asynchronous source gives. */
const collected = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of source) all.push(item)
  return all
}

/** The simulated cloud with a clock that stands still, and the waits it asked for. */
const cloud = () => {
  const waits: number[] = []
  const sleep = (ms: number) => {
    waits.push(ms)
    return Promise.resolve()
  }
  const sim = simulatedCloud({ seed: 'tidemark', now: () => new Date('2026-03-16T10:30:00Z'), sleep })
  return { sim, waits }
}

const account = (sim: SimulatedCloud, externalId = 'sim-aws-production', id = 'acct-1'): CloudAccount => {
  const { provider, name } = sim.accounts.find((known) => known.externalId === externalId)!
  return { id, orgId: 'org', provider, externalId, name, regions: [], credentials: null }
}

const named = (sim: SimulatedCloud, name: string): ResourceRef => {
  const { uid, type, region } = [...sim.world.byUid.values()].find((resource) => resource.name === name)!
  return { resourceUid: uid, type, region }
}

const stateOf = async (sim: SimulatedCloud, name: string, owner = account(sim)) => {
  const found = (await collected(sim.discover(owner).pages)).flat().find((resource) => resource.name === name)
  return { status: found?.status, unitCount: found?.unitCount, hourlyRateUSD: found?.hourlyRateUSD }
}

let serial = 0
const act = (sim: SimulatedCloud, kind: ActionKind, name: string, params: { desired?: number } = {}) =>
  sim.act(account(sim), { id: `action-${(serial += 1)}`, kind, resource: named(sim, name), params })

const outcome = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work()
    return 'ok'
  } catch (error) {
    return bucketOf(error)
  }
}

describe('simulated cloud: actions', () => {
  it('stops and starts a machine: its state, its utilization and its hours follow', async () => {
    const { sim } = cloud()
    expect(await act(sim, 'stop', 'shop-web-1')).to.eql({ status: 'succeeded', observedState: 'stopped' })
    expect((await stateOf(sim, 'shop-web-1')).status).to.equal('stopped')
    const resource = named(sim, 'shop-web-1')
    const [from, to] = [new Date('2026-03-16T10:00:00Z'), new Date('2026-03-16T13:00:00Z')]
    const [message] = await collected(sim.measure(account(sim), [resource], from, to))
    expect([...new Set(message?.samples.map(({ ts }) => ts))]).to.eql(['2026-03-16T10:00:00.000Z'])
    const lines = (await collected(sim.bill(account(sim), '2026-03-16', '2026-03-17'))).flat()
    const run = lines.filter(({ ResourceId }) => ResourceId === resource.resourceUid)
    expect(run.map(({ usageHours, BilledCost }) => [usageHours, BilledCost])).to.eql([[11, '2.112']])
    expect(await act(sim, 'start', 'shop-web-1')).to.eql({ status: 'succeeded', observedState: 'running' })
    expect((await stateOf(sim, 'shop-web-1')).status).to.equal('running')
  })

  it('keeps what one account switches from every other account', async () => {
    const { sim } = cloud()
    await act(sim, 'stop', 'shop-web-1')
    expect((await stateOf(sim, 'shop-web-1', account(sim, 'sim-aws-production', 'acct-2'))).status).to.equal('running')
  })

  it('scales a node group, and gives it the same number of nodes back after a stop', async () => {
    const { sim } = cloud()
    await act(sim, 'scale', 'shop-general', { desired: 3 })
    const three = { status: 'running', unitCount: 3, hourlyRateUSD: 0.576 }
    expect(await stateOf(sim, 'shop-general')).to.eql(three)
    await act(sim, 'stop', 'shop-general')
    expect(await stateOf(sim, 'shop-general')).to.eql({ ...three, status: 'stopped', unitCount: 0 })
    await act(sim, 'start', 'shop-general')
    expect(await stateOf(sim, 'shop-general')).to.eql(three)
  })

  it('stops the node pools and workloads of a cluster with the cluster', async () => {
    const { sim } = cloud()
    const owner = account(sim, 'sim-azure-dev')
    await sim.act(owner, { id: 'stop-cluster', kind: 'stop', resource: named(sim, 'corp-dev') })
    expect((await stateOf(sim, 'corp-dev-workers', owner)).status).to.equal('stopped')
    const lines = (await collected(sim.bill(owner, '2026-03-17', '2026-03-17'))).flat()
    expect(lines.filter(({ ResourceName }) => ResourceName === 'corp-dev-workers')).to.eql([])
  })

  it('has no second effect under the same action id', async () => {
    const { sim } = cloud()
    const action = { id: 'once', kind: 'stop', resource: named(sim, 'shop-web-1') } as const
    const first = await sim.act(account(sim), action)
    await act(sim, 'start', 'shop-web-1')
    expect(await sim.act(account(sim), action)).to.eql(first)
    expect((await stateOf(sim, 'shop-web-1')).status).to.equal('running')
  })

  it('refuses what a type cannot do, as something the user has to mend', async () => {
    const { sim } = cloud()
    const refused = [
      await outcome(() => act(sim, 'stop', 'sim-shop-media')),
      await outcome(() => act(sim, 'scale', 'shop-web-1', { desired: 2 })),
      await outcome(() => act(sim, 'pause', 'shop-web-1')),
    ]
    expect(refused).to.eql(['user_action', 'user_action', 'user_action'])
  })

  it('does as it is told with resources and accounts it does not know', async () => {
    const { sim } = cloud()
    const foreign = { ...account(sim), externalId: '123456789012' }
    const resource = { resourceUid: 'i-elsewhere', type: 'aws-ec2', region: 'us-east-1' }
    expect(await sim.act(foreign, { id: 'a', kind: 'stop', resource })).to.eql({
      status: 'succeeded',
      observedState: 'stopped',
    })
  })
})

describe('simulated cloud: faults', () => {
  it('strikes as often as planned, then lets the call through', async () => {
    const { sim } = cloud()
    sim.faults.set({ faults: [{ call: 'start', error: 'transient', times: 2 }] })
    const tries = []
    for (let attempt = 0; attempt < 4; attempt += 1) tries.push(await outcome(() => act(sim, 'start', 'shop-web-1')))
    expect(tries).to.eql(['transient', 'transient', 'ok', 'ok'])
    expect(sim.faults.planned).to.eql([])
  })

  it('strikes only the resource and the account it names', async () => {
    const { sim } = cloud()
    const { resourceUid } = named(sim, 'shop-web-2')
    const plan = [
      { call: '*', error: 'quota_exceeded', times: 9, resourceUid },
      { call: 'discover', error: 'system', times: 1, cloudAccountId: 'acct-9' },
    ] as const
    sim.faults.set({ faults: [...plan] })
    expect(await outcome(() => act(sim, 'stop', 'shop-web-1'))).to.equal('ok')
    expect(await outcome(() => act(sim, 'stop', 'shop-web-2'))).to.equal('user_action')
    expect(await outcome(() => stateOf(sim, 'shop-web-1'))).to.equal('ok')
    expect(await outcome(() => stateOf(sim, 'shop-web-1', account(sim, 'sim-aws-staging', 'acct-9')))).to.equal(
      'system',
    )
  })

  it('puts buckets, codes and messages into the three buckets', async () => {
    const { sim } = cloud()
    const thrown = async (error: string) => {
      sim.faults.set({ faults: [{ call: 'bill', error, times: 1 }] })
      try {
        await collected(sim.bill(account(sim), '2026-03-01', '2026-03-01'))
        return []
      } catch (fault) {
        return [bucketOf(fault), (fault as { code?: string }).code, (fault as Error).message]
      }
    }
    expect(await thrown('user_action')).to.eql([
      'user_action',
      'simulated_user_action',
      'Simulated fault: user_action.',
    ])
    expect(await thrown('transient: Rate exceeded')).to.eql(['transient', 'simulated_transient', 'Rate exceeded'])
    expect(await thrown('throttled')).to.eql(['transient', 'throttled', 'Simulated fault: throttled.'])
    expect(await thrown('Out of cheese')).to.eql(['system', 'simulated_system', 'Out of cheese'])
  })

  it('slows a call without ending it when no error is named', async () => {
    const { sim, waits } = cloud()
    sim.faults.set({ faults: [{ call: 'discover', times: 1, delaySeconds: 2 }] })
    expect((await stateOf(sim, 'shop-web-1')).status).to.equal('running')
    expect(await outcome(() => stateOf(sim, 'shop-web-1'))).to.equal('ok')
    expect(waits).to.eql([2000])
  })

  it('answers a verification with a planned verdict, and throws any other error', async () => {
    const { sim } = cloud()
    sim.faults.set({
      faults: [
        { call: 'verify', error: 'read_only', times: 1 },
        { call: 'verify', error: 'unavailable', times: 1 },
      ],
    })
    expect(await sim.verify(account(sim))).to.eql({
      verdict: 'read_only',
      missingPermissions: ['simulated:Start', 'simulated:Stop'],
    })
    expect(await outcome(() => sim.verify(account(sim)))).to.equal('transient')
    expect(await sim.verify(account(sim))).to.eql({ verdict: 'read_write', missingPermissions: [] })
    expect(sim.calls.map((made) => made.outcome)).to.eql(['ok', 'transient', 'ok'])
  })

  it('remembers the calls in order with how they ended', async () => {
    const { sim } = cloud()
    sim.faults.set({ faults: [{ call: 'stop', error: 'transient', times: 1 }] })
    await outcome(() => act(sim, 'stop', 'shop-web-1'))
    await act(sim, 'stop', 'shop-web-1')
    await sim.verify(account(sim))
    expect(sim.calls.map(({ call, outcome: ended }) => [call, ended])).to.eql([
      ['stop', 'transient'],
      ['stop', 'ok'],
      ['verify', 'ok'],
    ])
  })

  it('takes a plan by its schema and refuses a call or a number of times there cannot be', () => {
    const decode = decoder(FaultPlan)
    const plan = { faults: [{ call: 'scale', error: 'transient', times: 3, resourceUid: 'i-1', delaySeconds: 0.5 }] }
    expect(decode(plan)).to.eql(plan)
    for (const bad of [
      { call: 'tag', times: 1 },
      { call: 'stop', times: 0 },
      { call: 'stop', times: 1, resource: 'i-1' },
    ]) {
      expect(() => decode({ faults: [bad] })).to.throw('does not match')
    }
  })
})
