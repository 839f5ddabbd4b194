import { expect } from 'chai'
import type { CloudAction, ActionKind, CloudAccount, ResourceRef } from '#streams/cloud/connector.ts'
import { isCredentialsRefused } from '#streams/cloud/connector.ts'
import { Fault } from '#engine/value/fault.ts'
import { isCounted, resourceTypes } from '#streams/cloud/resource/resource-type.ts'
import { simulatedCloud, type SimulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { plannedFault } from '#streams/cloud/simulated/state/faults.ts'

/** The simulated cloud with a clock that is moved by hand. */
const cloud = () => {
  let time = Date.parse('2026-03-16T10:30:00Z')
  const sim = simulatedCloud({ seed: 'tidemark', now: () => new Date(time), sleep: () => Promise.resolve() })
  return { sim, pass: (seconds: number) => (time += seconds * 1000) }
}

const owner = (sim: SimulatedCloud, externalId: string): CloudAccount => {
  const { provider, name } = sim.accounts.find((known) => known.externalId === externalId)!
  return { id: 'acct-1', orgId: 'org', provider, externalId, name, regions: [], credentials: null }
}

/** A resource of the world and the account it is in. */
const held = (sim: SimulatedCloud, name: string): { account: CloudAccount; ref: ResourceRef } => {
  const found = [...sim.world.byUid.values()].find((resource) => resource.name === name)!
  const ref = { resourceUid: found.uid, type: found.type, region: found.region }
  return { account: owner(sim, found.account.externalId), ref }
}

let serial = 0
const act = (sim: SimulatedCloud, kind: ActionKind, name: string, params: CloudAction['params'] = {}) => {
  const { account, ref } = held(sim, name)
  return sim.act(account, { id: `action-${(serial += 1)}`, kind, resource: ref, params })
}
const look = (sim: SimulatedCloud, name: string) => {
  const { account, ref } = held(sim, name)
  return sim.look(account, ref)
}

const foreign: CloudAccount = {
  id: 'acct-2',
  orgId: 'org',
  provider: 'aws',
  externalId: '123456789012',
  name: '',
  regions: [],
  credentials: null,
}

describe('simulated cloud: look', () => {
  it('tells what a machine is doing and of what kind it is, without counts', async () => {
    const { sim } = cloud()
    const seen = await look(sim, 'shop-web-1')
    expect(seen).to.include({ exists: true, status: 'running', instanceType: 'm5.xlarge' })
    expect(seen).to.not.have.property('capacity')
    expect(seen.specs).to.include({ simulated: true })
    await act(sim, 'stop', 'shop-web-1')
    expect((await look(sim, 'shop-web-1')).status).to.equal('stopped')
    expect(sim.calls.map(({ call }) => call)).to.deep.equal(['look', 'stop', 'look'])
  })

  it('has no resource that its account does not have', async () => {
    const { sim } = cloud()
    const { ref } = held(sim, 'shop-web-1')
    expect(await sim.look(owner(sim, 'sim-aws-staging'), ref)).to.deep.equal({ exists: false })
  })

  it('takes what the world counts to none by a stop, and back by a start with what it had', async () => {
    const { sim } = cloud()
    const of = {
      'shop-edge': { min: 2, max: 10, desired: 4 },
      'shop-general': { min: 3, max: 12, desired: 6 },
      'shop-spot': { min: 0, max: 8, desired: 4 },
    }
    for (const [name, before] of Object.entries(of)) {
      expect((await look(sim, name)).capacity, name).to.deep.equal(before)
      await act(sim, 'stop', name)
      const off = await look(sim, name)
      expect([off.status, off.capacity], name).to.deep.equal(['stopped', { min: 0, max: before.max, desired: 0 }])
      await act(sim, 'start', name, before)
      const on = await look(sim, name)
      expect([on.status, on.capacity], name).to.deep.equal(['running', before])
      await act(sim, 'stop', name)
      await act(sim, 'start', name)
      const least = Math.max(1, before.min)
      expect((await look(sim, name)).capacity, name).to.deep.equal({ ...before, desired: least })
    }
  })

  it('counts every type that is counted, also where producers made the resource', async () => {
    const { sim } = cloud()
    const counted = resourceTypes.map(({ type }) => type).filter(isCounted)
    expect(counted).to.include.members([
      'aws-asg',
      'aws-ecs-service',
      'aws-eks-nodegroup',
      'gcp-mig',
      'gcp-gke-nodepool',
      'azure-vmss',
      'azure-aks-nodepool',
      'azure-databricks-instance-pool',
      'aws-eks-deployment',
      'gcp-gke-statefulset',
    ])
    expect(counted).to.not.include.members(['aws-ec2', 'aws-rds', 'azure-aks', 'aws-eks-cronjob'])
    for (const type of counted) {
      const ref = { resourceUid: `one/${type}`, type, region: 'r' }
      expect(await sim.look(foreign, ref), type).to.deep.equal({ exists: true })
      const start = {
        id: `start/${type}`,
        kind: 'start',
        resource: ref,
        params: { min: 2, max: 6, desired: 3 },
      } as const
      await sim.act(foreign, start)
      const on = { exists: true, status: 'running', capacity: { min: 2, max: 6, desired: 3 } }
      expect(await sim.look(foreign, ref), type).to.deep.equal(on)
      await sim.act(foreign, { id: `stop/${type}`, kind: 'stop', resource: ref })
      const off = { exists: true, status: 'stopped', capacity: { min: 0, max: 6, desired: 0 } }
      expect(await sim.look(foreign, ref), type).to.deep.equal(off)
    }
  })

  it('keeps at least one as the most of a managed node group that is off', async () => {
    const { sim } = cloud()
    const resource = { resourceUid: 'ng', type: 'aws-eks-nodegroup', region: 'r', specs: { max_size: 0 } }
    await sim.act(foreign, { id: 'a', kind: 'stop', resource })
    expect((await sim.look(foreign, resource)).capacity).to.deep.equal({ min: 0, max: 1, desired: 0 })
  })

  it('scales within bounds, and moves the bounds for a number outside of them', async () => {
    const { sim } = cloud()
    const counts = async (params: CloudAction['params']) => {
      await act(sim, 'scale', 'shop-edge', params)
      return (await look(sim, 'shop-edge')).capacity
    }
    expect(await counts({ min: 6, max: 10, desired: 6 })).to.deep.equal({ min: 6, max: 10, desired: 6 })
    expect(await counts({ min: 1, max: 5 })).to.deep.equal({ min: 1, max: 5, desired: 5 })
    expect(await counts({ desired: 7 })).to.deep.equal({ min: 1, max: 7, desired: 7 })
    expect(await counts({ min: 0, desired: 0 })).to.deep.equal({ min: 0, max: 7, desired: 0 })
    expect((await look(sim, 'shop-edge')).status).to.equal('stopped')
  })

  it('shows what takes its time on the way until the planned seconds have passed', async () => {
    const { sim, pass } = cloud()
    sim.faults.set({
      faults: [
        { call: 'stop', times: 1, settleSeconds: 90 },
        { call: 'start', times: 1, settleSeconds: 60 },
      ],
    })
    expect(await act(sim, 'stop', 'orders-db')).to.deep.equal({ status: 'running', observedState: 'stopping' })
    const shown = async () => (await look(sim, 'orders-db')).status
    expect(await shown()).to.equal('stopping')
    pass(89)
    expect(await shown()).to.equal('stopping')
    pass(1)
    expect(await shown()).to.equal('stopped')
    expect(await act(sim, 'start', 'orders-db')).to.deep.equal({ status: 'running', observedState: 'starting' })
    pass(59)
    expect(await shown()).to.equal('starting')
    pass(1)
    expect(await shown()).to.equal('running')
  })

  it('shows what is asked for again as done when it first is, also where producers made the resource', async () => {
    const { sim, pass } = cloud()
    const resource = { resourceUid: 'i-1', type: 'aws-ec2', region: 'us-east-1' }
    sim.faults.set({ faults: [{ call: 'stop', times: 2, settleSeconds: 90 }] })
    const shown = async () => (await sim.look(foreign, resource)).status
    await sim.act(foreign, { id: 'stop-1', kind: 'stop', resource })
    pass(60)
    await sim.act(foreign, { id: 'stop-2', kind: 'stop', resource })
    expect(await shown()).to.equal('stopping')
    pass(30)
    expect(await shown()).to.equal('stopped')
  })

  it('is struck by plans for look, for state and for every call, and not by one for describe', async () => {
    const { sim } = cloud()
    const struck = async (call: 'look' | 'state' | '*' | 'describe') => {
      sim.faults.set({ faults: [{ call, error: 'throttled', times: 1 }] })
      return look(sim, 'shop-web-1').then(
        () => 'ok',
        (error: { code: string }) => error.code,
      )
    }
    expect([await struck('look'), await struck('state'), await struck('*'), await struck('describe')]).to.deep.equal([
      'throttled',
      'throttled',
      'throttled',
      'ok',
    ])
  })

  it('says of what only people can mend how and where, and which errors are refused credentials', () => {
    const errors = ['credentials_refused', 'credentials_expired', 'access_denied', 'user_action: No', 'throttled']
    const faults = errors.map((error) => plannedFault(error))
    expect(faults.map(isCredentialsRefused)).to.deep.equal([true, true, false, false, false])
    const told = faults.map((fault) => new Fault('refused', 'billing_check_failed', 'reachable', {}, fault))
    expect(told.map(isCredentialsRefused)).to.deep.equal([true, true, false, false, false])
    expect(faults[0]!.detail).to.deep.equal({
      bucket: 'user_action',
      fixHint: 'Save credentials that the cloud accepts for this account.',
      consoleUrl: 'https://console.example.com/credentials',
    })
    expect(faults[3]!.detail).to.deep.equal({
      bucket: 'user_action',
      fixHint: 'Fix the problem in the cloud as the message says, then retry.',
      consoleUrl: 'https://console.example.com/',
    })
    expect(faults[4]!.detail).to.deep.equal({ bucket: 'transient' })
  })
})
