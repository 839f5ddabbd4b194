import { expect } from 'chai'
import type { DatabaseRequest } from '#streams/cloud/provision.ts'
import type { SimulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { cloud, code, foreign, jobId, provisioned } from '#test/streams/cloud/provisioning.ts'

describe('simulated cloud: databases', () => {
  const database = (fields: Partial<DatabaseRequest> = {}): DatabaseRequest => ({
    jobId,
    databaseId: 'db-1',
    region: 'us-east-1',
    name: 'shop',
    owner: 'shop_app',
    engine: 'postgres',
    outputs: {},
    password: null,
    token: 'token-1',
    ...fields,
  })
  const callsOf = (sim: SimulatedCloud) =>
    sim.calls
      .filter(({ call, repeated }) => /Database$|User$/.test(call) && !repeated)
      .map(({ call, outcome }) => `${call} ${outcome}`)

  it('are made with their owners and dropped with them, each once, on a server that is there [PROV-08] [PROV-11]', async () => {
    const world = cloud()
    const { sim } = world
    expect(await code(sim.createDatabase(foreign, database()))).to.equal('user_action resource_not_found')
    await provisioned(world, foreign, 'datastore')
    const first = await sim.createDatabase(foreign, database())
    expect(Object.keys(first.secrets)).to.deep.equal(['shop_app'])
    expect(await sim.createDatabase(foreign, database())).to.deep.equal(first)
    expect(await code(sim.createDatabase(foreign, database({ databaseId: 'db-2', token: 'token-2' })))).to.equal(
      'user_action already_exists',
    )
    await sim.dropDatabase(foreign, database())
    await sim.dropDatabase(foreign, database())
    expect(callsOf(sim)).to.deep.equal([
      'createUser user_action',
      'createUser ok',
      'createDatabase ok',
      'createUser user_action',
      'dropDatabase ok',
      'revokeUser ok',
    ])
    // The name is free again.
    await sim.createDatabase(foreign, database({ databaseId: 'db-3', token: 'token-3' }))
    await sim.dropDatabase(foreign, database({ databaseId: 'db-4', token: 'token-4' }))
  })

  it('are not made by a call that comes behind what dropped them [PROV-11]', async () => {
    const world = cloud()
    await provisioned(world, foreign, 'datastore')
    await world.sim.dropDatabase(foreign, database())
    expect(await code(world.sim.createDatabase(foreign, database()))).to.equal('system token_retired')
    expect(world.sim.madeFor('acct-1').some(({ step }) => step === 'database' || step === 'user')).to.equal(false)
  })

  it('that fail half way are made, and dropped, to their end', async () => {
    const world = cloud()
    const { sim } = world
    await provisioned(world, foreign, 'datastore')
    const plan = (call: string) => sim.faults.set({ faults: [{ call, error: 'throttled', times: 1 }] as never })
    plan('createDatabase')
    expect(await code(sim.createDatabase(foreign, database()))).to.equal('transient throttled')
    await sim.createDatabase(foreign, database())
    plan('revokeUser')
    expect(await code(sim.dropDatabase(foreign, database()))).to.equal('transient throttled')
    await sim.dropDatabase(foreign, database())
    expect(callsOf(sim)).to.deep.equal([
      'createUser ok',
      'createDatabase transient',
      'createDatabase ok',
      'dropDatabase ok',
      'revokeUser transient',
      'revokeUser ok',
    ])
  })
})
