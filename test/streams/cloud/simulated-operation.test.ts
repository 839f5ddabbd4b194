import { expect } from 'chai'
import { decoder } from '#engine/value/schema.ts'
import { actionKinds, changingCalls, type CloudAction, type ResourceRef } from '#streams/cloud/connector.ts'
import { operationsOf } from '#streams/cloud/resource/operation.ts'
import { resourceTypes } from '#streams/cloud/resource/resource-type.ts'
import { FaultPlan } from '#streams/cloud/simulated/state/faults.ts'
import { foreign, operated, outcome } from '#test/streams/cloud/operating.ts'

describe('simulated cloud: operations', () => {
  it('are known again by their id, each kind there is', () => {
    const { sim } = operated()
    const kinds = [...actionKinds, ...changingCalls]
    expect(sim.repeats).to.deep.equal(Object.fromEntries(kinds.map((kind) => [kind, 'token'])))
  })

  it('are carried out for each type that has them and refused for every other, also where producers made the resource', async () => {
    const { sim } = operated()
    for (const { type } of resourceTypes)
      for (const kind of ['resize', 'set', 'snapshot', 'delete'] as const) {
        const resource = { resourceUid: `one/${type}`, type, region: 'r' }
        const action = { id: `${kind}/${type}`, kind, resource, size: 'any', specs: { plan: 'other' } }
        const expected = operationsOf(type).has(kind) ? 'ok' : 'user_action unsupported_action'
        expect(await outcome(sim.act(foreign, action)), action.id).to.equal(expected)
      }
    const resource = { resourceUid: 'odd', type: 'aws-oddity', region: 'r' }
    expect(await outcome(sim.act(foreign, { id: 'odd', kind: 'resize', resource, size: 'XL' }))).to.equal('ok')
  })

  it('make a machine that is stopped another size, which it says with its rate; one that is on must be stopped', async () => {
    const { act, look, found } = operated()
    const size = 'm5.large'
    expect(await outcome(act('resize', 'shop-web-1', { size }))).to.equal('user_action invalid_state')
    await act('stop', 'shop-web-1')
    expect(await act('resize', 'shop-web-1', { size })).to.deep.equal({ status: 'succeeded' })
    expect(await look('shop-web-1')).to.include({ status: 'stopped', instanceType: 'm5.large' })
    await act('start', 'shop-web-1')
    const { instanceType, hourlyRateUSD, status } = (await found('shop-web-1'))!
    expect({ instanceType, hourlyRateUSD, status }).to.deep.equal({
      instanceType: 'm5.large',
      hourlyRateUSD: 0.096,
      status: 'running',
    })
    expect(await outcome(act('resize', 'orders-db', { size: 'db.r5.large' }))).to.equal(
      'user_action unsupported_action',
    )
  })

  it('leave a machine of another size in the plan it is covered by', async () => {
    const { act, found } = operated()
    expect((await found('search-1'))!.hourlyRateUSD).to.equal(0.18144)
    await act('stop', 'search-1')
    await act('resize', 'search-1', { size: 'r5.2xlarge' })
    expect((await found('search-1'))!.hourlyRateUSD).to.equal(0.36288)
  })

  it('make of it what recommendations name, at the price that they go by', async () => {
    const { act, found } = operated()
    // node.csv: rds, postgres, t4g, medium.
    await act('set', 'stage-db', { specs: { instance_type: 'db.t4g.medium' } })
    expect(await found('stage-db')).to.include({ instanceType: 'db.t4g.medium', hourlyRateUSD: 0.065 })
    // ec2.csv: m6g.large.
    await act('stop', 'shop-web-1')
    await act('resize', 'shop-web-1', { size: 'm6g.large' })
    await act('start', 'shop-web-1')
    expect(await found('shop-web-1')).to.include({ instanceType: 'm6g.large', hourlyRateUSD: 0.077 })
  })

  it('refuse a size that has no price, and gigabytes there cannot be, of resources of the world only', async () => {
    const { sim, act } = operated()
    await act('stop', 'shop-web-1')
    const wrong = 'user_action invalid_size'
    for (const size of ['m5.huge', 'constructor', ''])
      expect(await outcome(act('resize', 'shop-web-1', { size })), size).to.equal(wrong)
    expect(await outcome(act('resize', 'shop-web-1'))).to.equal(wrong)
    for (const specs of [{ instance_type: 'gp9' }, { instanceType: 3 }, { size_gb: 0 }, { size_gb: '8' }])
      expect(await outcome(act('set', 'migration-scratch-1', { specs })), JSON.stringify(specs)).to.equal(wrong)
    const resource = { resourceUid: 'i-1', type: 'aws-ec2', region: 'us-east-1' }
    expect(await outcome(sim.act(foreign, { id: 'a', kind: 'resize', resource, size: 'm5.huge' }))).to.equal('ok')
  })

  it('set what specs say and leave the others, with the size and the gigabytes where there are any', async () => {
    const { act, look, found } = operated()
    const before = (await look('migration-scratch-1')).specs!
    const specs = { volume_type: 'gp3', iops: 4000, instance_type: 'gp3', size_gb: 200, owner: ['a', 'b'] }
    await act('set', 'migration-scratch-1', { specs })
    expect((await look('migration-scratch-1')).specs).to.deep.equal({ ...before, ...specs })
    expect(await found('migration-scratch-1')).to.deep.include({ instanceType: 'gp3', sizeGB: 200 })
    await act('set', 'migration-scratch-1', { specs: { iops: 5000 } })
    expect((await look('migration-scratch-1')).specs).to.deep.equal({ ...before, ...specs, iops: 5000 })
    await act('set', 'shop-front', { specs: { instance_type: 'large', size_gb: 5 } })
    const front = (await found('shop-front'))!
    expect(front.specs).to.include({ instance_type: 'large', size_gb: 5 })
    expect(front).to.not.have.any.keys('instanceType', 'sizeGB')
  })

  it('say the size of a resize also in specs that name it', async () => {
    const { act, look } = operated()
    await act('set', 'shop-web-1', { specs: { instance_type: 'm5.2xlarge' } })
    await act('stop', 'shop-web-1')
    await act('resize', 'shop-web-1', { size: 't3.large' })
    const { instanceType, specs } = await look('shop-web-1')
    expect([instanceType, specs!['instance_type']]).to.deep.equal(['t3.large', 't3.large'])
  })

  it('set counts without scaling; what is scaled later says its counts again', async () => {
    const { act, look } = operated()
    const told = async () => {
      const { capacity, specs } = await look('shop-edge')
      return [capacity, specs!['min_size']]
    }
    await act('scale', 'shop-edge', { params: { min: 1 } })
    await act('set', 'shop-edge', { specs: { min_size: 0 } })
    expect(await told()).to.deep.equal([{ min: 1, max: 10, desired: 4 }, 0])
    await act('scale', 'shop-edge', { params: { min: 3 } })
    expect(await told()).to.deep.equal([{ min: 3, max: 10, desired: 4 }, 3])
  })

  it('deallocate a machine that was switched off from inside, by a stop as by setting its power state', async () => {
    const { act, look, billed } = operated()
    const told = async () => {
      const { status, specs } = await look('erp-app-1')
      return [status, specs!['power_state']]
    }
    const off = async (more?: Partial<CloudAction>) => {
      await act('set', 'erp-app-1', { specs: { power_state: 'stopped' } })
      expect(await told()).to.deep.equal(['stopped', 'stopped'])
      const [line] = await billed('erp-app-1', '2026-03-17')
      expect(line?.usageHours).to.equal(24)
      await act(more ? 'set' : 'stop', 'erp-app-1', more)
      expect(await told()).to.deep.equal(['stopped', 'deallocated'])
      expect(await billed('erp-app-1', '2026-03-17')).to.deep.equal([])
    }
    await off()
    await act('start', 'erp-app-1')
    expect(await told()).to.deep.equal(['running', 'running'])
    await off({ specs: { power_state: 'deallocated' } })
    await act('set', 'erp-app-1', { specs: { power_state: 'running' } })
    expect(await told()).to.deep.equal(['running', 'running'])
  })

  it('take what was paused for good back by no start', async () => {
    const { sim, act, look } = operated()
    await act('pause', 'sessionize')
    expect((await look('sessionize')).status).to.equal('stopped')
    expect(await outcome(act('start', 'sessionize'))).to.equal('user_action unsupported_action')
    const resource = { resourceUid: 'job', type: 'gcp-dataflow-job', region: 'r' }
    const of = (id: string, kind: CloudAction['kind']) => outcome(sim.act(foreign, { id, kind, resource }))
    const ends = [await of('a', 'start'), await of('b', 'pause'), await of('c', 'start'), await of('b', 'pause')]
    expect(ends).to.deep.equal(['ok', 'ok', 'user_action unsupported_action', 'ok'])
    const pool = { resourceUid: 'pool', type: 'azure-synapse-sql-pool', region: 'r' }
    await sim.act(foreign, { id: 'd', kind: 'pause', resource: pool })
    expect(await outcome(sim.act(foreign, { id: 'e', kind: 'start', resource: pool }))).to.equal('ok')
  })

  it('snapshot without altering anything', async () => {
    const { act, look, found, sim } = operated()
    const before = [await look('orders-db'), await found('orders-db')]
    expect(await act('snapshot', 'orders-db')).to.deep.equal({ status: 'succeeded' })
    expect([await look('orders-db'), await found('orders-db')]).to.deep.equal(before)
    expect(sim.calls.map(({ call }) => call)).to.include('snapshot')
    expect(await outcome(act('snapshot', 'shop-front'))).to.equal('user_action unsupported_action')
  })

  it('delete a resource with what it holds: no look and no scan finds it, and nothing is done to it any more', async () => {
    const { act, look, found, of } = operated()
    expect(await act('delete', 'shop-web-1')).to.deep.equal({ status: 'succeeded' })
    for (const name of ['shop-web-1', 'shop-web-1-disk'])
      expect([await look(name), await found(name)], name).to.deep.equal([{ exists: false }, undefined])
    expect((await look('shop-web-2')).exists).to.equal(true)
    const gone = 'user_action resource_not_found'
    for (const kind of ['resize', 'set', 'snapshot', 'start', 'stop'] as const)
      expect(await outcome(act(kind, 'shop-web-1', { size: 'm5.large', specs: {} })), kind).to.equal(gone)
    expect(await act('delete', 'shop-web-1')).to.deep.equal({ status: 'succeeded' })
    expect(await act('delete', 'shop-web-1-disk')).to.deep.equal({ status: 'succeeded' })
    const resource = { ...of('shop-web-2').ref, resourceUid: 'i-never' }
    expect(await act('delete', 'shop-web-2', { resource })).to.deep.equal({ status: 'succeeded' })
    expect(await outcome(act('set', 'shop-web-2', { resource, specs: {} }))).to.equal(gone)
  })

  it('keep what one account does from every other account', async () => {
    const { sim, act, of } = operated()
    const { account, ref } = of('shop-web-1')
    await act('delete', 'shop-web-1')
    expect((await sim.look({ ...account, id: 'acct-9' }, ref)).exists).to.equal(true)
  })

  it('tell of what producers made what was done to it, and nothing else', async () => {
    const { sim } = operated()
    let serial = 0
    const machine: ResourceRef = { resourceUid: 'vm', type: 'azure-vm', region: 'r', specs: { power_state: 'stopped' } }
    const act = (kind: CloudAction['kind'], more: Partial<CloudAction> = {}) =>
      sim.act(foreign, { id: `a-${(serial += 1)}`, kind, resource: machine, ...more })
    const told = () => sim.look(foreign, machine)
    await act('resize', { size: 'any' })
    expect(await told()).to.deep.equal({ exists: true, instanceType: 'any' })
    await act('stop')
    const off = { exists: true, status: 'stopped', instanceType: 'any' }
    expect(await told()).to.deep.equal({ ...off, specs: { power_state: 'deallocated' } })
    await act('set', { specs: { priority: 'Spot' } })
    expect(await told()).to.deep.equal({ ...off, specs: { power_state: 'deallocated', priority: 'Spot' } })
    await act('start')
    const on = { ...off, status: 'running', specs: { power_state: 'running', priority: 'Spot' } }
    expect(await told()).to.deep.equal(on)
    expect(await outcome(act('resize', { size: 'other' }))).to.equal('user_action invalid_state')
    await act('snapshot')
    expect(await told()).to.deep.equal(on)
    await act('set', { specs: { power_state: 'deallocated', instanceType: 'small' } })
    const set = { power_state: 'deallocated', priority: 'Spot', instanceType: 'small' }
    expect(await told()).to.deep.equal({ ...off, instanceType: 'small', specs: set })
    await act('delete')
    expect(await told()).to.deep.equal({ exists: false })
    expect(await outcome(act('set', { specs: {} }))).to.equal('user_action resource_not_found')
  })
})

describe('simulated cloud: operations under a plan', () => {
  it('are named in plans', () => {
    const faults = (['resize', 'set', 'snapshot', 'delete'] as const).map((call) => ({ call, times: 1 }))
    expect(decoder(FaultPlan)({ faults })).to.deep.equal({ faults })
  })

  it('fail as planned and have no effect then, and are held up', async () => {
    const { sim, waits, act, look } = operated()
    sim.faults.set({
      faults: [
        { call: 'delete', error: 'throttled', times: 1 },
        { call: 'set', times: 1, delaySeconds: 3 },
      ],
    })
    expect(await outcome(act('delete', 'orders-db'))).to.equal('transient throttled')
    expect((await look('orders-db')).exists).to.equal(true)
    await act('set', 'orders-db', { specs: { multi_az: false } })
    expect([waits, (await look('orders-db')).specs!['multi_az']]).to.deep.equal([[3000], false])
  })

  it('show what was until they have settled, and say until then that they are under way', async () => {
    const { sim, act, look, pass, found } = operated()
    await act('stop', 'shop-web-1')
    const settling = (call: 'resize' | 'set' | 'delete' | 'snapshot') =>
      sim.faults.set({ faults: [{ call, times: 1, settleSeconds: 60 }] })
    const told = async () => {
      const { exists, instanceType, specs } = await look('shop-web-1')
      return [exists, instanceType, specs?.['monitoring_detailed'], (await found('shop-web-1'))?.instanceType]
    }
    const asked = async (more: Partial<CloudAction> & { kind: 'resize' | 'set' | 'delete' | 'snapshot' }) => {
      const again = () => act(more.kind, 'shop-web-1', { id: more.kind, ...more })
      settling(more.kind)
      const before = await told()
      expect(await again(), more.kind).to.deep.equal({ status: 'running' })
      pass(59)
      expect([await told(), await again()], more.kind).to.deep.equal([before, { status: 'running' }])
      pass(1)
      expect(await again(), more.kind).to.deep.equal({ status: 'succeeded' })
      return told()
    }
    expect(await asked({ kind: 'snapshot' })).to.deep.equal([true, 'm5.xlarge', false, 'm5.xlarge'])
    expect(await asked({ kind: 'resize', size: 'm5.large' })).to.deep.equal([true, 'm5.large', false, 'm5.large'])
    const specs = { monitoring_detailed: true }
    expect(await asked({ kind: 'set', specs })).to.deep.equal([true, 'm5.large', true, 'm5.large'])
    expect(await asked({ kind: 'delete' })).to.deep.equal([false, undefined, undefined, undefined])
  })

  it('show what was set before, until what sets it anew has settled', async () => {
    const { sim, act, look, pass } = operated()
    const told = async () => (await look('orders-db')).specs!['iops']
    await act('set', 'orders-db', { specs: { iops: 4000 } })
    sim.faults.set({ faults: [{ call: 'set', times: 1, settleSeconds: 60 }] })
    await act('set', 'orders-db', { specs: { iops: 5000 } })
    expect(await told()).to.equal(4000)
    pass(60)
    expect(await told()).to.equal(5000)
  })

  it('are done with a deletion under way, asked again under another id, when the first is', async () => {
    const { sim, act, look, pass } = operated()
    sim.faults.set({ faults: [{ call: 'delete', times: 2, settleSeconds: 60 }] })
    await act('delete', 'orders-db')
    pass(40)
    const again = () => act('delete', 'orders-db', { id: 'again' })
    expect(await again()).to.deep.equal({ status: 'running' })
    pass(20)
    expect([await again(), (await look('orders-db')).exists]).to.deep.equal([{ status: 'succeeded' }, false])
  })

  it('show a stop by specs on its way, and the state as it was until then', async () => {
    const { sim, act, look, pass } = operated()
    sim.faults.set({ faults: [{ call: 'set', times: 1, settleSeconds: 60 }] })
    await act('set', 'erp-app-1', { specs: { power_state: 'deallocated' } })
    const told = async () => {
      const { status, specs } = await look('erp-app-1')
      return [status, specs!['power_state']]
    }
    expect(await told()).to.deep.equal(['stopping', 'running'])
    pass(60)
    expect(await told()).to.deep.equal(['stopped', 'deallocated'])
  })
})
