// tier: deep
/** Sets of machines and pools of nodes at Azure that are scaled, through the whole product. */
import { expect } from 'chai'
import { resetClock } from '#test/harness/people.ts'
import type { Thing } from '#test/streams/cloud/azure/far-side.ts'
import { connectedTo, Subscription, uidOf, type Azure } from './azure.ts'
import { cooled, planned, policyFor, restful, tells, told, type Fleet } from './scaling.ts'
import { unsettled } from './weather.ts'

type Scaled = 'azure-vmss' | 'azure-aks-nodepool'

describe('fleets of Azure that are scaled, where a fifth of the questions is put off or not heard of', () => {
  let of: Subscription
  let org: Azure
  let set: Thing
  let pool: Thing
  beforeEach(async () => {
    of = new Subscription()
    ;({ 'azure-vmss': set, 'azure-aks-nodepool': pool } = of.things)
  })
  afterEach(async () => {
    org.weather.calm()
    await org.end()
    await resetClock()
  })
  const begin = async () => {
    org = await connectedTo(of)
    Object.assign(org.weather, unsettled)
  }
  const fleet = (type: Scaled): Fleet => ({ uid: uidOf(type), type, done: () => of.things[type].effects })
  const capacity = () => set.body['sku'].capacity as number
  const count = () => pool.body['properties'].count as number
  /** A setting that keeps the set within these. */
  const bounded = (minimum: number, maximum: number) => {
    const theirs = { minimum: String(minimum), maximum: String(maximum), default: String(minimum) }
    const profiles = [{ name: 'usual', capacity: theirs, rules: [] }]
    return of.far.add('azure-autoscale', 'theirs', 'on', { properties: { targetResourceUri: set.id, profiles } })
  }
  const boundsOf = (setting: Thing) => {
    const { minimum, maximum } = setting.body['properties'].profiles[0].capacity
    return [minimum, maximum]
  }

  it('are a set that grows by a policy once Azure Monitor says that it is busy, once', async () => {
    await begin()
    const id = await policyFor(org, fleet('azure-vmss'), { min: 3, max: 9, targetCPUPercent: 60 })
    await tells(org, id, [['write', 3, 9]])
    await cooled(org)
    of.busy = 90
    await org.job('target-load')
    // 3 x 90 / 60.
    await org.reached('five machines', async () => capacity() === 5)
    of.busy = undefined
    expect(set.effects).to.deep.equal(['write'])
    await tells(org, id, [
      ['write', 3, 9],
      ['write', 5, 9],
    ])
    await restful(org, id, fleet('azure-vmss'), 60)
  })

  it('are a set for an event, with the setting that scales it, and put back behind it', async () => {
    const setting = bounded(2, 8)
    await begin()
    const id = await policyFor(org, fleet('azure-vmss'), { min: 2, max: 8, targetCPUPercent: 70 })
    // 2, 8 and 3 of them x 3 x 50 / 70, the load being unknown.
    const was = await planned(org, id, async () => {
      expect([boundsOf(setting), capacity()]).to.deep.equal([['5', '18'], 7])
    })
    expect(was).to.deep.equal([2, 8, 3])
    expect([boundsOf(setting), capacity()]).to.deep.equal([['2', '8'], 3])
    expect([setting.effects, set.effects]).to.deep.equal([
      ['write', 'write'],
      ['write', 'write'],
    ])
  })

  it('are a pool of nodes that grows by a policy, and for an event, and back', async () => {
    await begin()
    const nodes = fleet('azure-aks-nodepool')
    const id = await policyFor(org, nodes, { min: 3, max: 9, targetCPUPercent: 60 })
    await tells(org, id, [['write', 3, 9]])
    await cooled(org)
    await told(org, nodes.uid, 90)
    await org.reached('five nodes', async () => count() === 5)
    await tells(org, id, [
      ['write', 3, 9],
      ['write', 5, 9],
    ])
    // 5 x 3 x 50 / 70.
    const was = await planned(org, id, async () => expect(count()).to.equal(11))
    expect(was[2]).to.equal(5)
    expect(count()).to.equal(5)
    expect(pool.effects).to.deep.equal(['write', 'write', 'write'])
  })

  it('are a pool of nodes with bounds of its own, which a policy moves', async () => {
    Object.assign(pool.body['properties'], { enableAutoScaling: true, minCount: 1, maxCount: 4 })
    await begin()
    const nodes = fleet('azure-aks-nodepool')
    const id = await policyFor(org, nodes, { min: 2, max: 9, targetCPUPercent: 60 })
    await tells(org, id, [['write', 2, 9]])
    const { minCount, maxCount } = pool.body['properties']
    expect([minCount, maxCount, count()]).to.deep.equal([2, 9, 3])
    expect(pool.effects).to.deep.equal(['write'])
  })
})
