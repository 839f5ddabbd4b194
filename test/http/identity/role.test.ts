import { expect } from 'chai'
import { permissions } from '#http/identity/organization/role.ts'
import { ask, colleague, founder, type Founder } from '#test/harness/people.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('roles', () => {
  let ana: Founder
  let eve: Founder
  const send = (method: string, path: string, body?: unknown, who = ana) =>
    ask(method, path, { token: who.accessToken, ...(body !== undefined && { body }) })
  const made = async (body: object, who = ana) => (await send('POST', '/roles', body, who)).body.data
  const refusal = async (method: string, path: string, body?: unknown, who = ana) => {
    const answer = await send(method, path, body, who)
    return `${answer.status} ${answer.body?.code}`
  }
  before(async () => {
    ana = await founder('Ana')
    eve = await founder('Eve')
  })

  it('list the system roles first, with the 16 permissions and the views [RBAC-01] [RBAC-02]', async () => {
    await made({ name: 'zebra' }, eve)
    await made({ name: 'Aardvark' }, eve)
    const { items, total } = (await send('GET', '/roles', undefined, eve)).body.data
    expect(items.map((r: any) => r.name)).to.deep.equal(['owner', 'admin', 'editor', 'viewer', 'Aardvark', 'zebra'])
    expect(total).to.equal(6)
    expect(items.map((r: any) => r.system)).to.deep.equal([true, true, true, true, false, false])
    expect(items.map((r: any) => r.permissions.length)).to.deep.equal([16, 16, 13, 4, 0, 0])
    expect(items[0].permissions).to.deep.equal([...permissions])
    const { createdAt, ...owner } = items[0]
    expect(owner).to.deep.include({ id: 'owner', reportScope: { all: true, cloudAccountIDs: [], teamIDs: [] } })
    expect(createdAt).to.equal(items[0].updatedAt)
    const second = (await send('GET', '/roles?page=2&limit=4', undefined, eve)).body.data
    expect([second.items.map((r: any) => r.name), second.total]).to.deep.equal([['Aardvark', 'zebra'], 6])
    const found = (await send('GET', '/roles?search=ZEB', undefined, eve)).body.data
    expect(found.items.map((r: any) => r.name)).to.deep.equal(['zebra'])
  })

  it('are made, shown, changed and deleted [RBAC-03]', async () => {
    const scope = { all: false, cloudAccountIDs: ['a2', 'a1', 'a2'] }
    const body = { name: '  Finance ', permissions: ['service.update', 'space.view', 'space.view'], reportScope: scope }
    const answer = await send('POST', '/roles', body)
    const role = answer.body.data
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([201, `/roles/${role.id}`])
    expect(role.id).to.match(uuid)
    expect(role).to.deep.include({
      name: 'Finance',
      system: false,
      permissions: ['space.view', 'service.update'],
      reportScope: { all: false, cloudAccountIDs: ['a2', 'a1'], teamIDs: [] },
    })
    expect((await send('GET', `/roles/${role.id}`)).body.data).to.deep.equal(role)
    const renamed = await send('PATCH', `/roles/${role.id}`, { name: 'finance' })
    expect([renamed.status, renamed.body.data.name]).to.deep.equal([200, 'finance'])
    const granted = await send('PATCH', `/roles/${role.id}`, { permissions: [], reportScope: { all: true } })
    expect(granted.body.data).to.deep.include({
      name: 'finance',
      permissions: [],
      reportScope: { all: true, cloudAccountIDs: [], teamIDs: [] },
    })
    const deleted = await send('DELETE', `/roles/${role.id}`)
    expect([deleted.status, deleted.body]).to.deep.equal([204, undefined])
    expect(await refusal('GET', `/roles/${role.id}`)).to.equal('404 not_found')
    expect(await refusal('DELETE', `/roles/${role.id}`)).to.equal('404 not_found')
  })

  it('of the system stay as they are [RBAC-02]', async () => {
    for (const id of ['owner', 'admin', 'editor', 'viewer']) {
      expect((await send('GET', `/roles/${id}`)).body.data).to.include({ id, name: id, system: true })
      expect(await refusal('PATCH', `/roles/${id}`, { permissions: [] })).to.equal('409 invalid_transition')
      expect(await refusal('DELETE', `/roles/${id}`)).to.equal('409 invalid_transition')
    }
  })

  it('have names that no other has, whatever the case', async () => {
    const first = await made({ name: 'Reader' })
    const second = await made({ name: 'Writer' })
    for (const name of ['Reader', 'READER', ' reader ', 'Owner', 'VIEWER'])
      expect(await refusal('POST', '/roles', { name }), name).to.equal('409 already_exists')
    expect(await refusal('PATCH', `/roles/${second.id}`, { name: 'rEADER' })).to.equal('409 already_exists')
    expect((await send('PATCH', `/roles/${first.id}`, { name: 'READER' })).status).to.equal(200)
    expect((await send('POST', '/roles', { name: 'Reader' }, eve)).status, 'another organization').to.equal(201)
  })

  it('have one name even when two are made at once', async () => {
    for (const names of [
      ['Twin', 'Twin', 'Twin', 'Twin'],
      ['Pair', 'pair', 'PAIR', 'paiR'],
    ]) {
      const answers = await Promise.all(names.map((name) => send('POST', '/roles', { name })))
      const statuses = answers.map(({ status }) => status).toSorted((x, y) => x - y)
      expect(statuses, names.join()).to.deep.equal([201, 409, 409, 409])
    }
  })

  it('take the permissions there are, and names of 1 to 100 characters', async () => {
    for (const body of [
      { name: 'x', permissions: ['space.fly'] },
      { name: 'x', permissions: ['admin'] },
      { name: 'x', permissions: 'space.view' },
      { name: '' },
      { name: '   ' },
      { name: 'x'.repeat(101) },
      { name: 'x', reportScope: { cloudAccountIDs: [] } },
      {},
    ])
      expect(await refusal('POST', '/roles', body), JSON.stringify(body)).to.equal('400 validation_failed')
    expect(await refusal('POST', '/roles', { name: 'x', system: true })).to.equal('400 invalid_parameter')
    const names = (await send('GET', '/roles?limit=100')).body.data.items.map((r: any) => r.name)
    expect(names).to.not.include('x')
  })

  it('that somebody has, invited or active, are not deleted', async () => {
    const role = await made({ name: 'In use' })
    const ben = await colleague(ana, role.id)
    expect(await refusal('DELETE', `/roles/${role.id}`)).to.equal('409 invalid_transition')
    const other = { email: `waiting-${role.id}@example.com`, roleID: role.id }
    const waiting = (await send('POST', '/members', other)).body.data.userID
    expect((await send('PATCH', `/members/${ben.userId}`, { roleID: 'viewer' })).status).to.equal(200)
    expect(await refusal('DELETE', `/roles/${role.id}`)).to.equal('409 invalid_transition')
    expect((await send('DELETE', `/members/${waiting}`)).status).to.equal(204)
    expect((await send('DELETE', `/roles/${role.id}`)).status).to.equal(204)
  })

  it('are not deleted from under one who is given them at that moment', async () => {
    const ben = await colleague(ana, 'viewer')
    for (let round = 0; round < 4; round++) {
      const role = await made({ name: `Brief ${round}` })
      const [deleted, given] = await Promise.all([
        send('DELETE', `/roles/${role.id}`),
        send('PATCH', `/members/${ben.userId}`, { roleID: role.id }),
      ])
      expect(`${deleted.status} ${given.status}`).to.be.oneOf(['204 400', '409 200'])
      expect((await send('GET', '/organisations', undefined, ben)).status).to.equal(200)
      expect((await send('PATCH', `/members/${ben.userId}`, { roleID: 'viewer' })).status).to.equal(200)
    }
  })

  it('have one spelling of their id', async () => {
    const role = await made({ name: 'Spelled' })
    const id = role.id.toUpperCase()
    expect(await refusal('GET', `/roles/${id}`)).to.equal('404 not_found')
    expect(await refusal('PATCH', `/roles/${id}`, { name: 'Spelled' })).to.equal('404 not_found')
    expect(await refusal('DELETE', `/roles/${id}`)).to.equal('404 not_found')
    const invitation = { email: 'upper@example.com', roleID: id }
    expect(await refusal('POST', '/members', invitation)).to.equal('400 validation_failed')
  })

  it('of another organization are not there [GEN-10]', async () => {
    const role = await made({ name: 'Hers' }, eve)
    for (const id of [role.id, 'nothing', "' or 1=1 --"]) {
      const path = `/roles/${encodeURIComponent(id)}`
      expect(await refusal('GET', path)).to.equal('404 not_found')
      expect(await refusal('PATCH', path, { name: 'Mine' })).to.equal('404 not_found')
      expect(await refusal('DELETE', path)).to.equal('404 not_found')
    }
    const invitation = { email: 'x@example.com', roleID: role.id }
    expect(await refusal('POST', '/members', invitation)).to.equal('400 validation_failed')
    expect(await refusal('PATCH', `/members/${ana.userId}`, { roleID: role.id })).to.equal('400 validation_failed')
    expect((await send('GET', `/roles/${role.id}`, undefined, eve)).body.data).to.deep.equal(role)
  })
})
