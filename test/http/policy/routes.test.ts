import { expect } from 'chai'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'

const spec = {
  selector: { all: [{ attr: 'res.provider', op: 'in', values: ['aws'] }] },
  tag: { key: 'location', value: { fields: ['res.provider', 'res.region'], join: '-', standardize: true } },
}
const body = (fields: object = {}) => ({
  domain: 'tagging',
  targetType: 'organisation',
  name: 'Location',
  spec,
  enabled: true,
  ...fields,
})
const tagged = (tag: object) => ({ ...spec, tag: { ...spec.tag, ...tag } })
const valued = (value: object) => tagged({ value: { ...spec.tag.value, ...value } })

/** Status, code and what is named. */
const told = ({ status, body: said }: Answer) => [
  status,
  said?.code,
  ...(said?.errors ?? []).map((e: any) => `${e.name} ${e.code}`),
]

describe('policies', () => {
  let org: Tenant
  before(async () => void (org = await tenant()))
  const make = (fields: object = {}) => org.send('POST', '/policies', body(fields))

  it('are made, read, replaced and deleted, with exactly these fields [TPOL-01] [TPOL-04] [TPOL-05] [TPOL-07]', async () => {
    const made = await make()
    expect([made.status, made.headers.get('location')]).to.deep.equal([201, `/policies/${made.body.data.id}`])
    const { id, createdAt, updatedAt, ...rest } = made.body.data
    expect(rest).to.deep.equal({ orgID: org.orgId, ...body(), version: 1, pendingResources: 0, cutResources: 0 })
    expect(updatedAt).to.equal(createdAt)
    expect((await org.get(`/policies/${id}`)).body.data).to.deep.equal(made.body.data)

    const { selector: _, ...whole } = spec
    const other = body({ name: 'Place', spec: whole, enabled: false })
    const put = await org.send('PUT', `/policies/${id}`, other)
    expect(put.status).to.equal(200)
    expect(put.body.data).to.deep.equal({
      ...made.body.data,
      ...other,
      version: 2,
      updatedAt: put.body.data.updatedAt,
    })
    expect(Date.parse(put.body.data.updatedAt)).to.be.at.least(Date.parse(createdAt))
    expect(told(await org.send('PUT', `/policies/${id}`, { ...other, domain: 'allocation' }))).to.deep.equal([
      400,
      'validation_failed',
      '/domain domain',
    ])

    expect((await org.send('DELETE', `/policies/${id}`)).status).to.equal(204)
    for (const [method, given] of [['GET'], ['PUT', other], ['DELETE']] as const)
      expect(told(await org.send(method, `/policies/${id}`, given)), method).to.deep.equal([404, 'not_found'])
    const { items } = (await org.get('/security-events?type=policy_created,policy_changed,policy_deleted')).body.data
    expect(items.map((one: any) => [one.type, one.detail])).to.have.deep.members([
      ['policy_created', { policyID: id, domain: 'tagging', name: 'Location' }],
      ['policy_changed', { policyID: id, domain: 'tagging', name: 'Place' }],
      ['policy_deleted', { policyID: id, domain: 'tagging', name: 'Place' }],
    ])
  })

  it('are listed by domain, oldest first, in pages', async () => {
    const own = await tenant()
    const allocation = { priority: 10, teamFromTag: { key: 'team' } }
    const names = ['Second', 'First', 'Third']
    for (const name of names) expect((await own.send('POST', '/policies', body({ name }))).status).to.equal(201)
    const other = await own.send('POST', '/policies', body({ domain: 'allocation', spec: allocation }))
    expect([other.status, other.body.data.pendingResources]).to.deep.equal([201, undefined])
    const list = async (query: string) => {
      const { items, ...page } = (await own.get(`/policies${query}`)).body.data
      return [items.map((one: any) => one.name), page]
    }
    expect(await list('')).to.deep.equal([['Location', ...names], { total: 4, page: 1, limit: 20, hasMore: false }])
    expect(await list('?domain=tagging&limit=2')).to.deep.equal([
      ['Second', 'First'],
      { total: 3, page: 1, limit: 2, hasMore: true },
    ])
    expect(await list('?domain=tagging&limit=2&page=2')).to.deep.equal([
      ['Third'],
      { total: 3, page: 2, limit: 2, hasMore: false },
    ])
    expect(told(await own.get('/policies?domain=none'))).to.deep.equal([400, 'validation_failed', 'domain enum'])
  })

  it('are refused with every error by its place, and nothing is kept [TPOL-04] [TPOL-08] [TPOL-09]', async () => {
    const own = await tenant()
    const { fields: _, ...without } = spec.tag.value
    const condition = (fields: object) => ({
      ...spec,
      selector: { all: [{ attr: 'res.type', op: 'in', values: ['a'], ...fields }] },
    })
    for (const [fields, ...expected] of [
      [{ domain: 'none' }, 'validation_failed', '/domain enum'],
      [{ targetType: 'resource' }, 'validation_failed', '/targetType enum'],
      [{ enabled: undefined }, 'validation_failed', '/enabled required'],
      [{ enabled: 'true' }, 'validation_failed', '/enabled type'],
      [{ spec: undefined }, 'validation_failed', '/spec required'],
      [{ spec: 'x' }, 'validation_failed', '/spec type'],
      [{ spec: {} }, 'validation_failed', '/spec/tag required'],
      [{ spec: valued({ fields: ['res.tags'] }) }, 'validation_failed', '/spec/tag/value/fields/0 enum'],
      [{ spec: valued({ fields: [] }) }, 'validation_failed', '/spec/tag/value/fields minItems'],
      [{ spec: valued({ fields: 'res.type' }) }, 'validation_failed', '/spec/tag/value/fields type'],
      [{ spec: tagged({ value: without }) }, 'validation_failed', '/spec/tag/value/fields required'],
      [{ spec: valued({ join: '------' }) }, 'validation_failed', '/spec/tag/value/join maxLength'],
      [{ spec: valued({ standardize: 'yes' }) }, 'validation_failed', '/spec/tag/value/standardize type'],
      [{ spec: tagged({ key: '' }) }, 'validation_failed', '/spec/tag/key minLength', '/spec/tag/key pattern'],
      [{ spec: tagged({ color: 'red' }) }, 'invalid_parameter', '/spec/tag/color additionalProperties'],
      [{ spec: condition({ attr: 'res.mood' }) }, 'validation_failed', '/spec/selector/all/0/attr unknown'],
      [{ spec: condition({ op: 'like' }) }, 'validation_failed', '/spec/selector/all/0/op enum'],
      [{ spec: condition({ values: [] }) }, 'validation_failed', '/spec/selector/all/0/values minItems'],
    ] as const)
      expect(told(await own.send('POST', '/policies', body(fields))), JSON.stringify(fields)).to.deep.equal([
        400,
        ...expected,
      ])
    expect((await own.get('/policies')).body.data.total).to.equal(0)
  })

  it('have names of their own within a domain, in any case', async () => {
    const own = await tenant()
    const send = (method: string, path: string, name: string) => own.send(method, path, body({ name }))
    const { id } = (await send('POST', '/policies', 'Cost center')).body.data
    await send('POST', '/policies', 'Other')
    expect(told(await send('POST', '/policies', ' COST CENTER'))).to.deep.equal([409, 'already_exists'])
    expect(told(await send('PUT', `/policies/${id}`, 'other'))).to.deep.equal([409, 'already_exists'])
    expect((await send('PUT', `/policies/${id}`, 'COST CENTER')).body.data.name).to.equal('COST CENTER')
    const allocation = { domain: 'allocation', spec: { priority: 1, teamFromTag: { key: 'team' } } }
    expect((await own.send('POST', '/policies', body({ ...allocation, name: 'Other' }))).status).to.equal(201)
  })

  it('are 200 of a domain at most', async () => {
    const own = await tenant()
    const now = new Date()
    const sql = `insert into policy (org_id, id, domain, target_type, name, spec, enabled, version, set_version, created_at, updated_at)
      select $1, gen_random_uuid()::text, 'tagging', 'organisation', 'p' || n, $2::jsonb, true, 1, n, $3, $3
      from generate_series(1, $4::int) as n`
    await own.connections.store.pool.query(sql, [own.orgId, JSON.stringify(spec), now, 199])
    expect((await own.send('POST', '/policies', body())).status).to.equal(201)
    expect(told(await own.send('POST', '/policies', body({ name: 'One more' })))).to.deep.equal([422, 'limit_reached'])
    expect((await own.get('/policies?limit=1')).body.data.total).to.equal(200)
  })

  it('say why they are passed over where their domain does not take them any more', async () => {
    const { id } = (await make({ name: 'Old' })).body.data
    const sql = `update policy set spec = jsonb_set(spec, '{tag,value,fields}', '["res.mood"]') where id = $1`
    await org.connections.store.pool.query(sql, [id])
    const { lastError, enabled } = (await org.get(`/policies/${id}`)).body.data
    expect([lastError.startsWith('/tag/value/fields/0 '), enabled]).to.deep.equal([true, true])
  })

  it('of a domain that is not known here are shown, and can be deleted', async () => {
    const { id } = (await make({ name: 'Newer' })).body.data
    await org.connections.store.pool.query(`update policy set domain = 'newer' where id = $1`, [id])
    expect((await org.get(`/policies/${id}`)).body.data.domain).to.equal('newer')
    expect((await org.send('DELETE', `/policies/${id}`)).status).to.equal(204)
  })

  it('are checked without being kept, of every domain', async () => {
    const check = async (domain: string, given: unknown) =>
      (await org.send('POST', '/policies/validations', { domain, spec: given })).body.data
    const before = (await org.get('/policies')).body.data.total
    expect(await check('tagging', spec)).to.deep.equal({ valid: true, errors: [] })
    const { valid, errors } = await check('allocation', { priority: 1, team: 'none' })
    expect([valid, errors]).to.deep.equal([
      false,
      [{ path: '/team', code: 'unknown', message: 'is not a team in this organization' }],
    ])
    expect((await check('shared-cost', {})).errors.map((one: any) => one.path)).to.have.members([
      '/selector',
      '/method',
    ])
    expect(told(await org.send('POST', '/policies/validations', { domain: 'none', spec }))).to.deep.equal([
      400,
      'validation_failed',
      '/domain enum',
    ])
    expect((await org.get('/policies')).body.data.total).to.equal(before)
  })
})
