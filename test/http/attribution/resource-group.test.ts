import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const codeOf = ({ status, body }: { status: number; body: any }) => `${status} ${body?.code}`

describe('resource groups', () => {
  let org: Tenant
  before(async () => void (org = await tenant()))

  const make = async (members: readonly object[] = []) =>
    (await org.send('POST', '/resource-groups', { name: `Group ${randomUUID()}`, members })).body.data
  const put = (id: string, members: readonly object[]) => org.send('PUT', `/resource-groups/${id}/members`, { members })
  const stateOf = (id: string) =>
    org.facts(
      'SELECT name, deleted FROM resource_group_state FINAL WHERE org_id = {org:String} AND group_id = {id:String}',
      { id },
    )
  /** Who is in the group by ClickHouse, and since when (milliseconds since 1970). */
  const factsOf = async (id: string): Promise<Record<string, number>> => {
    const rows = await org.facts(
      `SELECT resource_uid, toUnixTimestamp64Milli(added_at) AS ms FROM resource_group_member FINAL
       WHERE org_id = {org:String} AND group_id = {id:String} AND removed = 0 ORDER BY resource_uid`,
      { id },
    )
    return Object.fromEntries(rows.map(({ resource_uid, ms }) => [resource_uid, Number(ms)]))
  }

  it('are made with members in the order in which they start, changed and deleted, known to ClickHouse', async () => {
    const given = [
      { resourceUID: 'web', tier: 2 },
      { resourceUID: 'cache', order: 5 },
      { resourceUID: 'db' },
      { resourceUID: 'app', tier: 2, order: 0 },
    ]
    const { status, headers, body } = await org.send('POST', '/resource-groups', { name: ' Shop ', members: given })
    expect(status).to.equal(201)
    const { id, createdAt, updatedAt, ...rest } = body.data
    const members = [
      { resourceUID: 'db', tier: 1, order: 0 },
      { resourceUID: 'cache', tier: 1, order: 5 },
      { resourceUID: 'app', tier: 2, order: 0 },
      { resourceUID: 'web', tier: 2, order: 0 },
    ]
    expect(headers.get('location')).to.equal(`/resource-groups/${id}`)
    expect(rest).to.deep.equal({ orgID: org.orgId, name: 'Shop', members })
    expect(updatedAt).to.equal(createdAt)
    const made = Date.parse(createdAt)
    expect(await stateOf(id)).to.deep.equal([{ name: 'Shop', deleted: 0 }])
    expect(await factsOf(id)).to.deep.equal({ app: made, cache: made, db: made, web: made })

    const patched = await org.send('PATCH', `/resource-groups/${id}`, { name: 'Store', description: 'sells' })
    expect(patched.body.data).to.deep.include({ name: 'Store', description: 'sells', members, createdAt })
    expect((await org.get(`/resource-groups/${id}`)).body.data).to.deep.equal(patched.body.data)
    expect(await stateOf(id)).to.deep.equal([{ name: 'Store', deleted: 0 }])
    const emptied = await org.send('PATCH', `/resource-groups/${id}`, { members: [{ resourceUID: 'db' }] })
    expect(emptied.body.data.members).to.deep.equal([{ resourceUID: 'db', tier: 1, order: 0 }])
    expect(await factsOf(id)).to.deep.equal({ db: made })

    expect((await org.send('DELETE', `/resource-groups/${id}`)).status).to.equal(204)
    expect(await stateOf(id)).to.deep.equal([{ name: 'Store', deleted: 1 }])
    expect(await factsOf(id)).to.deep.equal({})
    expect(codeOf(await org.get(`/resource-groups/${id}`))).to.equal('404 not_found')
  })

  it('have their members replaced: who stays keeps since when, who comes back begins anew', async () => {
    const { id, createdAt } = await make([{ resourceUID: 'a' }, { resourceUID: 'b' }])
    const first = Date.parse(createdAt)
    const second = (await put(id, [{ resourceUID: 'a', tier: 3, order: 4 }, { resourceUID: 'c' }])).body.data
    expect(second.members).to.deep.equal([
      { resourceUID: 'c', tier: 1, order: 0 },
      { resourceUID: 'a', tier: 3, order: 4 },
    ])
    expect(await factsOf(id)).to.deep.equal({ a: first, c: Date.parse(second.updatedAt) })
    const third = (await put(id, [{ resourceUID: 'a' }, { resourceUID: 'b' }])).body.data
    expect(third.updatedAt > second.updatedAt).to.equal(true)
    expect(await factsOf(id)).to.deep.equal({ a: first, b: Date.parse(third.updatedAt) })
  })

  it('share resources', async () => {
    const [one, two] = [await make([{ resourceUID: 'shared' }]), await make([{ resourceUID: 'shared' }])]
    await put(one.id, [])
    expect(await factsOf(one.id)).to.deep.equal({})
    expect(Object.keys(await factsOf(two.id))).to.deep.equal(['shared'])
    expect((await org.get(`/resource-groups/${two.id}`)).body.data).to.deep.equal(two)
  })

  it('refuse members that stand twice, are nothing, or have a place that is none, and change nothing', async () => {
    const group = await make([{ resourceUID: 'kept' }])
    for (const [members, name] of [
      [[{ resourceUID: 'x' }, { resourceUID: 'y' }, { resourceUID: 'x', tier: 2 }], '/members/2/resourceUID'],
      [[{ resourceUID: '' }], '/members/0/resourceUID'],
      [[{ resourceUID: 'x', tier: 0 }], '/members/0/tier'],
      [[{ resourceUID: 'x', tier: 1.5 }], '/members/0/tier'],
      [[{ resourceUID: 'x', tier: 2 ** 31 }], '/members/0/tier'],
      [[{ resourceUID: 'x', order: -1 }], '/members/0/order'],
    ] as const) {
      const refused = await put(group.id, members)
      expect(codeOf(refused), name).to.equal('400 validation_failed')
      expect(refused.body.errors.map((e: any) => e.name)).to.deep.equal([name])
    }
    expect((await org.get(`/resource-groups/${group.id}`)).body.data).to.deep.equal(group)
  })

  deepIt('hold 2000 members, and refuse 2001', async () => {
    const members = (count: number) => Array.from({ length: count }, (_, i) => ({ resourceUID: `i-${i}`, order: i }))
    const group = await make()
    const refused = await put(group.id, members(2001))
    expect([codeOf(refused), refused.body.errors[0].name]).to.deep.equal(['400 validation_failed', '/members'])
    const full = (await put(group.id, members(2000))).body.data.members
    expect(full).to.deep.equal(members(2000).map((member) => ({ ...member, tier: 1 })))
    expect(Object.keys(await factsOf(group.id))).to.have.length(2000)
  })

  it('have a name of their own, whatever its case; teams may have it too', async () => {
    const name = `Same ${randomUUID()}`
    const answers = await Promise.all(
      [name, name.toUpperCase()].map((given) => org.send('POST', '/resource-groups', { name: given })),
    )
    expect(answers.map(codeOf).toSorted()).to.deep.equal(['201 undefined', '409 already_exists'])
    expect((await org.send('POST', '/teams', { name })).status).to.equal(201)
    const { id } = await make()
    expect(codeOf(await org.send('PATCH', `/resource-groups/${id}`, { name }))).to.equal('409 already_exists')
  })

  it('are listed by name with their members, found by a part of the name, a page at a time', async () => {
    const own = await tenant()
    for (const name of ['beta', 'alpha', 'gamma'])
      await own.send('POST', '/resource-groups', { name, members: [{ resourceUID: `of-${name}` }] })
    const list = async (query: string) => {
      const { items, ...rest } = (await own.get(`/resource-groups?${query}`)).body.data
      return { ...rest, items: items.map((group: any) => [group.name, group.members[0].resourceUID]) }
    }
    expect(await list('limit=2')).to.deep.equal({
      items: [
        ['alpha', 'of-alpha'],
        ['beta', 'of-beta'],
      ],
      total: 3,
      page: 1,
      limit: 2,
      hasMore: true,
    })
    expect(await list('limit=2&page=2')).to.deep.include({ items: [['gamma', 'of-gamma']], hasMore: false })
    expect(await list('search=ET')).to.deep.include({ items: [['beta', 'of-beta']], total: 1 })
  })

  it('end the same in PostgreSQL and in ClickHouse when many replace their members at once', async () => {
    const { id } = await make()
    const sets = Array.from({ length: 8 }, (_, i) => ['x', 'y', 'z'].filter((_uid, bit) => ((i >> bit) & 1) === 1))
    const answers = await Promise.all(
      sets.map((set) =>
        put(
          id,
          set.map((resourceUID) => ({ resourceUID })),
        ),
      ),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(8).fill(200))
    const { rows } = await org.connections.store.pool.query(
      'select resource_uid, added_at from resource_group_member where org_id = $1 and group_id = $2',
      [org.orgId, id],
    )
    const kept = Object.fromEntries(rows.map((row) => [row.resource_uid, row.added_at.getTime()]))
    expect(await factsOf(id)).to.deep.equal(kept)
  })

  it('of another organization are not there', async () => {
    const other = await tenant()
    const group = await make([{ resourceUID: 'far' }])
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'Taken' }],
      ['DELETE', '', undefined],
      ['PUT', '/members', { members: [] }],
    ] as const) {
      const answer = await other.send(method, `/resource-groups/${group.id}${path}`, body)
      expect(codeOf(answer), method).to.equal('404 not_found')
    }
    expect((await other.get('/resource-groups')).body.data.total).to.equal(0)
    expect((await org.get(`/resource-groups/${group.id}`)).body.data).to.deep.equal(group)
  })
})
