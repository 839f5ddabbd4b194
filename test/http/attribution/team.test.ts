import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { colleague, type Founder } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { amount, deepIt } from '#test/harness/tier.ts'

const uids = (count: number, prefix = 'i') => Array.from({ length: count }, (_, i) => `${prefix}-${i}`)

describe('teams', () => {
  let org: Tenant
  before(async () => void (org = await tenant()))

  const make = async (body: object = {}) =>
    (await org.send('POST', '/teams', { name: `Team ${randomUUID()}`, ...body })).body.data
  const assign = (id: string, resourceUIDs: readonly string[], by = org) =>
    by.send('POST', `/teams/${id}/resources`, { resourceUIDs })
  const countOf = async (id: string): Promise<number> => (await org.get(`/teams/${id}`)).body.data.resourceCount
  /** The team of resources as ClickHouse has it, by uid; empty means none. */
  const factsOf = async (...wanted: string[]): Promise<Record<string, string>> => {
    const rows = await org.facts(
      `SELECT resource_uid, team_id FROM team_assignment FINAL
       WHERE org_id = {org:String} AND resource_uid IN {wanted:Array(String)} ORDER BY resource_uid`,
      { wanted },
    )
    return Object.fromEntries(rows.map(({ resource_uid, team_id }) => [resource_uid, team_id]))
  }
  const stateOf = (id: string) =>
    org.facts('SELECT name, deleted FROM team_state FINAL WHERE org_id = {org:String} AND team_id = {id:String}', {
      id,
    })
  const codeOf = ({ status, body }: { status: number; body: any }) => `${status} ${body?.code}`

  it('are made, shown, changed and deleted, and ClickHouse knows each change at once', async () => {
    const { status, headers, body } = await org.send('POST', '/teams', { name: '  Payments  ', description: 'money' })
    expect(status).to.equal(201)
    const { id, createdAt, updatedAt, ...rest } = body.data
    expect(headers.get('location')).to.equal(`/teams/${id}`)
    expect(rest).to.deep.equal({
      orgID: org.orgId,
      name: 'Payments',
      description: 'money',
      memberUserIDs: [],
      resourceCount: 0,
    })
    expect(updatedAt).to.equal(createdAt)
    expect(await stateOf(id)).to.deep.equal([{ name: 'Payments', deleted: 0 }])
    expect((await org.get(`/teams/${id}`)).body.data).to.deep.equal(body.data)

    const patched = await org.send('PATCH', `/teams/${id}`, { name: 'Billing', description: null })
    const { updatedAt: changedAt, ...changed } = patched.body.data
    const kept = { orgID: org.orgId, memberUserIDs: [], resourceCount: 0 }
    expect(changed).to.deep.equal({ id, name: 'Billing', createdAt, ...kept })
    expect(changedAt > updatedAt).to.equal(true)
    expect(await stateOf(id)).to.deep.equal([{ name: 'Billing', deleted: 0 }])

    expect((await org.send('DELETE', `/teams/${id}`)).status).to.equal(204)
    expect(await stateOf(id)).to.deep.equal([{ name: 'Billing', deleted: 1 }])
    expect(codeOf(await org.get(`/teams/${id}`))).to.equal('404 not_found')
  })

  it('have members of the organization alone, each once', async () => {
    const ben = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, 'viewer')
    const other = await tenant()
    const eve = await colleague({ accessToken: other.token, orgId: other.orgId } as Founder, 'viewer')
    const team = await make({ memberUserIDs: [ben.userId, ben.userId] })
    expect(team.memberUserIDs).to.deep.equal([ben.userId])
    const refused = await org.send('PATCH', `/teams/${team.id}`, { memberUserIDs: [ben.userId, eve.userId] })
    expect(codeOf(refused)).to.equal('400 validation_failed')
    expect(refused.body.errors.map((e: any) => e.name)).to.deep.equal(['/memberUserIDs/1'])
    expect((await org.get(`/teams/${team.id}`)).body.data.memberUserIDs).to.deep.equal([ben.userId])
    const left = await org.send('PATCH', `/teams/${team.id}`, { memberUserIDs: [] })
    expect(left.body.data.memberUserIDs).to.deep.equal([])
  })

  it('have a name of their own, whatever its case, also when two are made at once', async () => {
    const name = `Shop ${randomUUID()}`
    const answers = await Promise.all(
      [name, name.toUpperCase()].map((given) => org.send('POST', '/teams', { name: given })),
    )
    expect(answers.map(codeOf).toSorted()).to.deep.equal(['201 undefined', '409 already_exists'])
    const { id } = await make()
    expect(codeOf(await org.send('PATCH', `/teams/${id}`, { name: name.toLowerCase() }))).to.equal('409 already_exists')
    const own = answers.find(({ status }) => status === 201)!.body.data
    const again = await org.send('PATCH', `/teams/${own.id}`, { name: own.name.toUpperCase() })
    expect([again.status, again.body.data.name]).to.deep.equal([200, own.name.toUpperCase()])
    for (const given of ['', '   ', 'x'.repeat(101)])
      expect(codeOf(await org.send('POST', '/teams', { name: given })), given).to.equal('400 validation_failed')
  })

  it('are listed by name, found by a part of it, a page at a time', async () => {
    const own = await tenant()
    for (const name of ['beta 100%', 'alpha', 'gamma']) await own.send('POST', '/teams', { name })
    const { id } = (await own.get('/teams?search=ALPH')).body.data.items[0]
    await assign(id, ['i-1', 'i-2'], own)
    const list = async (query: string) => {
      const { items, ...rest } = (await own.get(`/teams?${query}`)).body.data
      return { ...rest, items: items.map((team: any) => [team.name, team.resourceCount]) }
    }
    expect(await list('limit=2')).to.deep.equal({
      items: [
        ['alpha', 2],
        ['beta 100%', 0],
      ],
      total: 3,
      page: 1,
      limit: 2,
      hasMore: true,
    })
    expect(await list('limit=2&page=2')).to.deep.include({ items: [['gamma', 0]], hasMore: false })
    expect(await list('search=0%25')).to.deep.include({ items: [['beta 100%', 0]], total: 1 })
  })

  it('take resources from each other: a resource has one team, known to ClickHouse', async () => {
    const [one, two] = [await make(), await make()]
    const given = await assign(one.id, ['m-1', 'm-2', 'm-1'])
    expect([given.status, given.body.data]).to.deep.equal([200, { assigned: 2 }])
    expect((await assign(two.id, ['m-2', 'm-3'])).body.data).to.deep.equal({ assigned: 2 })
    expect(await factsOf('m-1', 'm-2', 'm-3')).to.deep.equal({ 'm-1': one.id, 'm-2': two.id, 'm-3': two.id })
    expect([await countOf(one.id), await countOf(two.id)]).to.deep.equal([1, 2])

    const resourceUIDs = ['m-1', 'm-2', 'm-9']
    const removed = await org.send('DELETE', `/teams/${two.id}/resources`, { resourceUIDs })
    expect([removed.status, removed.body.data]).to.deep.equal([200, { removed: 1 }])
    expect(await factsOf('m-1', 'm-2', 'm-9')).to.deep.equal({ 'm-1': one.id, 'm-2': '' })
    expect([await countOf(one.id), await countOf(two.id)]).to.deep.equal([1, 1])
  })

  it('keep since when a resource belongs to them when it is assigned again', async () => {
    const { id } = await make()
    const since = async () =>
      (await org.facts(`SELECT assigned_at FROM team_assignment FINAL
        WHERE org_id = {org:String} AND resource_uid = 'again-1'`)) as { assigned_at: string }[]
    await assign(id, ['again-1'])
    const before = await since()
    expect(before).to.have.length(1)
    expect((await assign(id, ['again-1', 'again-2'])).body.data).to.deep.equal({ assigned: 2 })
    expect(await since()).to.deep.equal(before)
  })

  it('leave their resources unassigned when they are deleted', async () => {
    const { id } = await make()
    await assign(id, ['left-1'])
    await org.send('DELETE', `/teams/${id}`)
    const { rowCount } = await org.connections.store.pool.query('select from team_resource where team_id = $1', [id])
    expect(rowCount).to.equal(0)
    const unassigned = await org.facts(
      `SELECT a.resource_uid FROM team_assignment AS a FINAL
       INNER JOIN team_state AS s FINAL ON s.org_id = a.org_id AND s.team_id = a.team_id
       WHERE a.org_id = {org:String} AND a.resource_uid = 'left-1' AND s.deleted = 1`,
    )
    expect(unassigned).to.have.length(1)
  })

  deepIt('take 2000 resources at once, and refuse 2001 and none', async () => {
    const { id } = await make()
    for (const method of ['POST', 'DELETE'])
      for (const resourceUIDs of [uids(2001), []]) {
        const refused = await org.send(method, `/teams/${id}/resources`, { resourceUIDs })
        expect(codeOf(refused), `${method} ${resourceUIDs.length}`).to.equal('400 validation_failed')
        expect(refused.body.errors[0].name).to.equal('/resourceUIDs')
      }
    expect(codeOf(await org.send('DELETE', `/teams/${id}/resources`))).to.equal('400 validation_failed')
    expect((await assign(id, uids(2000, 'many'))).body.data).to.deep.equal({ assigned: 2000 })
    const [{ n }] = await org.facts(
      'SELECT toUInt32(count()) AS n FROM team_assignment FINAL WHERE org_id = {org:String} AND team_id = {id:String}',
      { id },
    )
    expect([n, await countOf(id)]).to.deep.equal([2000, 2000])
  })

  it('end the same in PostgreSQL and in ClickHouse when many move one resource at once', async () => {
    const teams = await Promise.all(Array.from({ length: amount(3, 6, 20) }, () => make()))
    const answers = await Promise.all(teams.flatMap(({ id }) => [assign(id, ['race-1']), assign(id, ['race-1'])]))
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200))
    const { rows } = await org.connections.store.pool.query(
      `select team_id, assigned_at from team_resource where org_id = $1 and resource_uid = 'race-1'`,
      [org.orgId],
    )
    expect(rows).to.have.length(1)
    const facts = await org.facts(
      `SELECT team_id, toString(toUnixTimestamp64Milli(assigned_at)) AS ms FROM team_assignment FINAL
       WHERE org_id = {org:String} AND resource_uid = 'race-1'`,
    )
    expect(facts).to.deep.equal([{ team_id: rows[0].team_id, ms: String(rows[0].assigned_at.getTime()) }])
  })

  it('of another organization are not there', async () => {
    const other = await tenant()
    const { id } = await make()
    await assign(id, ['far-1'])
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'Taken' }],
      ['DELETE', '', undefined],
      ['POST', '/resources', { resourceUIDs: ['far-1'] }],
      ['DELETE', '/resources', { resourceUIDs: ['far-1'] }],
    ] as const) {
      expect(codeOf(await other.send(method, `/teams/${id}${path}`, body)), `${method} ${path}`).to.equal(
        '404 not_found',
      )
    }
    expect((await other.get('/teams')).body.data.total).to.equal(0)
    expect(await factsOf('far-1')).to.deep.equal({ 'far-1': id })
  })
})
