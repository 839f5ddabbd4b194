import { expect } from 'chai'
import { carriedOut } from '#config/command/line/route.ts'
import type { Instance } from '#config/product/instance.ts'
import { assembleProduct } from '#config/product/open-instance.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

describe('a route that a command carries out', () => {
  let org: Tenant
  let instance: Instance
  const body = {
    domain: 'tagging',
    targetType: 'organisation',
    name: 'Location',
    spec: { tag: { key: 'location', value: { fields: ['res.region'], join: '-', standardize: true } } },
    enabled: true,
  }
  const named = async () =>
    (await carriedOut<{ items: { name: string; version: number }[] }>(instance, org.orgId, 'GET /policies')).items.map(
      ({ name, version }) => [name, version],
    )

  before(async () => {
    org = await tenant()
    const { connections } = org
    const { settings } = connections
    const applyStreamUsers = async () => true
    instance = {
      ...assembleProduct(connections),
      settings,
      isRunning: true,
      url: undefined,
      publicUrl: undefined,
      natsUrl: '',
      applyStreamUsers,
    }
  })

  it('does what the API does, in the name of the operator', async () => {
    const { id } = await carriedOut<{ id: string }>(instance, org.orgId, 'POST /policies', { body })
    const changed = { body: { ...body, name: 'Place' }, params: { policyID: id } }
    await carriedOut(instance, org.orgId, 'PUT /policies/:policyID', changed)
    expect(await named()).to.deep.equal([['Place', 2]])
    await carriedOut(instance, org.orgId, 'DELETE /policies/:policyID', { params: { policyID: id } })
    expect(await named()).to.deep.equal([])
    const events = async () =>
      (await org.get('/security-events?limit=100')).body.data.items
        .filter(({ type }: any) => type.startsWith('policy_'))
        .map(({ type, principal }: any) => `${type} ${principal}`)
    await until('the events', async () => (await events()).length === 3)
    expect(await events()).to.have.members([
      'policy_created operator',
      'policy_changed operator',
      'policy_deleted operator',
    ])
  })

  it('refuses what the API refuses, naming the place', async () => {
    const wrong = {
      ...body,
      spec: { tag: { ...body.spec.tag, value: { ...body.spec.tag.value, fields: ['res.tags'] } } },
    }
    const refused = await carriedOut(instance, org.orgId, 'POST /policies', { body: wrong }).catch(
      (error: Error) => error,
    )
    expect((refused as Error).message).to.contain('/spec/tag/value/fields/0')
  })

  it('reads while no product runs, and changes nothing then', async () => {
    const resting = { ...instance, isRunning: false }
    const { total } = await carriedOut<{ total: number }>(resting, org.orgId, 'GET /policies')
    const refused = await carriedOut(resting, org.orgId, 'POST /policies', { body }).catch((error: Error) => error)
    expect([total, (refused as Error).message]).to.deep.equal([
      0,
      'Tidemark is not running. Start it with "npm start", then run this command again.',
    ])
  })

  it('finds nothing in an organization that there is not', async () => {
    const refused = await carriedOut(instance, 'nobody', 'GET /policies').catch((error: Error) => error)
    expect((refused as Error).message).to.equal(
      'Organization nobody was not found. Run "tidemark org list" to see all organizations.',
    )
  })
})
