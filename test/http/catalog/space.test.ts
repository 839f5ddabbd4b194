/** Spaces: what their actor is asked for, and what is refused before it is. */
import { expect } from 'chai'
import { uuidOf } from '#engine/value/id.ts'
import { Fault } from '#engine/value/fault.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { answeringCatalog, changedRow, plantedSpaces, takenRow, type Asked } from '#test/harness/catalog-edge.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'

const told = ({ status, body }: Answer) => [status, body?.code]
const wrongs = ({ status, body }: Answer) => [status, ...(body.errors ?? []).map((e: any) => `${e.name} ${e.code}`)]
const body = (fields: object = {}) => ({ name: 'Production', cloudAccountID: 'acct-1', region: 'us-east-1', ...fields })

describe('a space', () => {
  let org: Tenant
  let asked: Asked[]
  let end: () => void
  let refusal: Fault | undefined
  before(async () => {
    ;({ asked, end } = await answeringCatalog(async ({ name, data }) => {
      if (refusal) throw refusal
      if (name === 'space.removed') await takenRow(org, 'space', data.spaceId)
      else if (data.isNew) {
        const { spaceId: id, cloudAccountId, clusterUid, provider, region, kind } = data
        const row = {
          name: data.name,
          cloud_account_id: cloudAccountId,
          cluster_uid: clusterUid,
          provider,
          region,
          kind,
        }
        await plantedSpaces(org, { id, ...row })
      } else {
        const { name: called, status } = data
        await changedRow(org, 'space', data.spaceId, { ...(called && { name: called }), ...(status && { status }) })
      }
      return { spaceId: data.spaceId }
    }))
  })
  after(() => end())
  beforeEach(async () => {
    org = await tenant()
    asked.length = 0
    refusal = undefined
    const account = { cloudAccountId: 'acct-1', provider: 'aws' as const, region: 'us-east-1' }
    await org.publish(resourceDiscovered, [
      { ...account, resourceUid: 'eks-shop', name: 'shop', type: 'aws-eks' },
      { ...account, resourceUid: 'i-1', name: 'web', type: 'aws-ec2' },
    ])
  })
  const make = (fields: object = {}) => org.send('POST', '/spaces', body(fields))

  it('is an account in a region, of the cloud of the account, named by its place [G-25]', async () => {
    const made = await make({ name: ' Production ' })
    const id = uuidOf('space', org.orgId, 'acct-1', 'us-east-1', '')
    const { createdAt, updatedAt, ...rest } = made.body.data
    expect([made.status, made.headers.get('location')]).to.deep.equal([201, `/spaces/${id}`])
    expect(rest).to.deep.equal({
      id,
      orgID: org.orgId,
      ...body(),
      provider: 'aws',
      kind: 'account_region',
      status: 'active',
    })
    expect([createdAt, updatedAt].map((at) => new Date(at).toISOString())).to.deep.equal([createdAt, updatedAt])
    expect((await org.get(`/spaces/${id}`)).body.data).to.deep.equal(made.body.data)
    const [{ name, data }] = asked as [Asked]
    const { userId, ...command } = data
    expect([name, command]).to.deep.equal([
      'space.saved',
      {
        spaceId: id,
        isNew: true,
        name: 'Production',
        cloudAccountId: 'acct-1',
        provider: 'aws',
        region: 'us-east-1',
        kind: 'account_region',
        clusterUid: null,
      },
    ])
    expect(userId).to.match(/\S/)
  })

  it('is in a region that its account covers; one that names no regions covers all [G-25]', async () => {
    await org.connections.store.pool.query(
      `update cloud_account set regions = '["eu-west-1", "eu-north-1"]' where org_id = $1 and id = 'acct-1'`,
      [org.orgId],
    )
    expect(wrongs(await make())).to.deep.equal([400, '/region region'])
    expect(asked).to.deep.equal([])
    expect((await make({ region: 'eu-north-1' })).status).to.equal(201)
  })

  it('is a cluster of the inventory, in its own region [G-25]', async () => {
    const { data } = (await make({ name: 'Shop', clusterUid: 'eks-shop' })).body
    expect([data.id, data.kind, data.clusterUid]).to.deep.equal([
      uuidOf('space', org.orgId, 'acct-1', 'us-east-1', 'eks-shop'),
      'cluster',
      'eks-shop',
    ])
    expect(told(await make({ clusterUid: 'i-1' }))).to.deep.equal([404, 'not_found'])
    expect(told(await make({ clusterUid: 'none' }))).to.deep.equal([404, 'not_found'])
    expect(wrongs(await make({ clusterUid: 'eks-shop', region: 'eu-west-1' }))).to.deep.equal([400, '/region region'])
  })

  it('is refused without a name, an account there is, or a region, and once more in one place [G-25]', async () => {
    expect(wrongs(await org.send('POST', '/spaces', {}))).to.deep.equal([
      400,
      '/name required',
      '/cloudAccountID required',
      '/region required',
    ])
    expect(wrongs(await make({ region: 'us east' }))).to.deep.equal([400, '/region pattern'])
    expect(wrongs(await make({ name: ' ' }))).to.deep.equal([400, '/name pattern'])
    expect(told(await make({ provider: 'aws' }))).to.deep.equal([400, 'invalid_parameter'])
    expect(told(await make({ cloudAccountID: 'acct-9' }))).to.deep.equal([404, 'not_found'])
    expect(asked).to.deep.equal([])
    refusal = Fault.conflict('already_exists', 'There is a space of this account and region.')
    expect(told(await make())).to.deep.equal([409, 'already_exists'])
    expect((await org.get('/spaces')).body.data.total).to.equal(0)
  })

  it('is refused for an account that nobody has said the cloud of', async () => {
    await org.connections.store.pool.query(`update cloud_account set provider = '' where org_id = $1`, [org.orgId])
    expect(told(await make())).to.deep.equal([422, 'capability_missing'])
  })

  it('is listed by name, searched in name, region and account, by the page', async () => {
    const ids = await plantedSpaces(
      org,
      { name: 'b 50%', region: 'eu-west-1' },
      { name: 'A', cloud_account_id: 'acct-2' },
      { name: 'c' },
    )
    await plantedSpaces(await tenant(), { name: 'theirs' })
    const list = async (query: string) => {
      const { items, ...rest } = (await org.get(`/spaces?${query}`)).body.data
      return [items.map(({ id }: any) => ids.indexOf(id)).join(' '), rest]
    }
    const page = (total: number, fields: object = {}) => ({ total, page: 1, limit: 20, hasMore: false, ...fields })
    const [all] = await list('')
    expect(String(all).split(' ').toSorted().join('')).to.equal('012')
    expect(await list('search=50%25')).to.deep.equal(['0', page(1)])
    expect(await list('search=EU-')).to.deep.equal(['0', page(1)])
    expect(await list('search=acct-2')).to.deep.equal(['1', page(1)])
    expect((await list('limit=2&page=2'))[1]).to.deep.equal(page(3, { limit: 2, page: 2 }))
    expect((await org.get('/spaces?limit=500')).body.data.limit).to.equal(100)
  })

  it('is named anew and disabled; its place stays [G-25]', async () => {
    const { id } = (await make()).body.data
    const patch = (fields: object) => org.send('PATCH', `/spaces/${id}`, fields)
    const changed = await patch({ name: 'Live', status: 'disabled' })
    expect([changed.status, changed.body.data.name, changed.body.data.status]).to.deep.equal([200, 'Live', 'disabled'])
    expect(asked[1]!.data).to.deep.include({ spaceId: id, isNew: false, name: 'Live', status: 'disabled' })
    expect(wrongs(await patch({ status: 'gone' }))).to.deep.equal([400, '/status enum'])
    expect(wrongs(await patch({ region: 'eu-west-1' }))).to.deep.equal([400, '/region additionalProperties'])
    expect(told(await (await tenant()).send('PATCH', `/spaces/${id}`, { name: 'x' }))).to.deep.equal([404, 'not_found'])
    expect(asked.length).to.equal(2)
  })

  it('is deleted unless something stands in it, and who did what is written down [G-25]', async () => {
    const signedIn = await org.signedIn()
    const made = await signedIn.send('POST', '/spaces', body())
    const { id } = made.body.data
    await signedIn.send('PATCH', `/spaces/${id}`, { name: 'Live' })
    refusal = Fault.conflict('space_in_use', 'A job is in it.')
    expect(told(await signedIn.send('DELETE', `/spaces/${id}`))).to.deep.equal([409, 'space_in_use'])
    refusal = undefined
    expect((await signedIn.send('DELETE', `/spaces/${id}`)).status).to.equal(204)
    expect(told(await signedIn.send('DELETE', `/spaces/${id}`))).to.deep.equal([404, 'not_found'])
    const { items } = (await signedIn.get('/security-events?type=space_changed')).body.data
    expect(items.map(({ detail }: any) => detail).toReversed()).to.deep.equal(
      ['created', 'changed', 'deleted'].map((change) => ({ spaceID: id, change })),
    )
  })

  it('is for those with the permission of spaces alone [G-17]', async () => {
    const [id] = (await plantedSpaces(org, {})) as [string]
    const viewer = await org.tokenFor('viewer')
    const ask = async (method: string, path: string, given?: object) =>
      (
        await fetch(`${org.url}${path}`, {
          method,
          headers: { Authorization: `Bearer ${viewer}`, 'Content-Type': 'application/json' },
          ...(given && { body: JSON.stringify(given) }),
        })
      ).status
    expect(await ask('GET', `/spaces/${id}`)).to.equal(200)
    expect(await ask('POST', '/spaces', body())).to.equal(403)
    expect(await ask('PATCH', `/spaces/${id}`, { name: 'x' })).to.equal(403)
    expect(await ask('DELETE', `/spaces/${id}`)).to.equal(403)
    expect(asked).to.deep.equal([])
  })
})
