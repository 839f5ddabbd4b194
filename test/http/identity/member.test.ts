import { expect } from 'chai'
import { normalizeEmail } from '#http/identity/session/login.ts'
import {
  active,
  address,
  ask,
  codeFor,
  colleague,
  founder,
  login,
  mailsTo,
  password,
  person,
  type Founder,
} from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { amount } from '#test/harness/tier.ts'

type Who = Pick<Founder, 'accessToken'>

const send = (who: Who, method: string, path: string, body?: unknown) =>
  ask(method, path, { token: who.accessToken, ...(body !== undefined && { body }) })
const refusal = async (who: Who, method: string, path: string, body?: unknown) => {
  const answer = await send(who, method, path, body)
  return `${answer.status} ${answer.body?.code}`
}
const membersOf = async (who: Who) => (await send(who, 'GET', '/members')).body.data as any[]
const rolesOf = async (who: Who) =>
  Object.fromEntries((await membersOf(who)).map(({ userID, roleID }) => [userID, roleID]))
const patFor = async (who: Who) =>
  (await send(who, 'POST', '/settings/personal-access-tokens', { name: 'ci' })).body.data.token as string

describe('members', () => {
  it('are invited by mail, and active from their first sign-in', async () => {
    const ana = await founder('Bright Works')
    const email = address()
    const answer = await send(ana, 'POST', '/members', { email: email.toUpperCase(), roleID: 'editor' })
    const invited = answer.body.data
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([201, `/members/${invited.userID}`])
    const shown = { userID: invited.userID, email, name: invited.name, roleID: 'editor', status: 'invited' }
    expect(invited).to.deep.equal({ ...shown, createdAt: invited.createdAt })
    await until('the invitation', async () => (await mailsTo(email)).length === 1)
    const [mail] = await mailsTo(email)
    expect(`${mail!.subject} ${mail!.text}`).to.contain('Bright Works')
    await ask('POST', '/auth/signup', { body: { email, password, name: 'Ben' } })
    await ask('PATCH', '/auth/email/otp/validate', { body: { email, otp: await codeFor(email, 2) } })
    expect((await membersOf(ana)).find((m) => m.userID === invited.userID).status).to.equal('invited')
    const ben = await login(email)
    expect(ben.tenants).to.deep.equal([{ id: ana.orgId, name: 'Bright Works' }])
    const now = (await membersOf(ana)).find((m) => m.userID === invited.userID)
    expect(now).to.deep.equal({ ...invited, name: 'Ben', status: 'active' })
    expect(await refusal(ana, 'POST', '/members', { email, roleID: 'viewer' })).to.equal('409 already_exists')
  })

  it('are invited once, however many ask at once', async () => {
    const ana = await founder()
    const body = { email: address(), roleID: 'viewer' }
    const answers = await Promise.all([1, 2, 3, 4].map(() => send(ana, 'POST', '/members', body)))
    expect(answers.map(({ status }) => status).toSorted((x, y) => x - y)).to.deep.equal([201, 409, 409, 409])
    expect(await membersOf(ana)).to.have.length(2)
  })

  it('are listed by address, with those who have an account already', async () => {
    const ana = await founder()
    const ben = await person(`aaa-${address()}`)
    expect((await send(ana, 'POST', '/members', { email: ben.email, roleID: 'viewer' })).status).to.equal(201)
    const list = await membersOf(ana)
    expect(list.map((m) => m.email)).to.deep.equal([ben.email, normalizeEmail(ana.email)].toSorted())
    expect(list.map((m) => Object.keys(m).length)).to.deep.equal([6, 6])
  })

  it('who are invited are shown as if nobody had their address, until they accept: a stranger’s name is not told', async () => {
    const ana = await founder()
    const [ben, nobody] = [await person(), address()]
    const invite = async (email: string) => {
      const answer = await send(ana, 'POST', '/members', { email, roleID: 'viewer' })
      const { userID, createdAt, ...told } = answer.body.data
      expect([typeof userID, typeof createdAt, answer.headers.get('location')]).to.deep.equal([
        'string',
        'string',
        `/members/${userID}`,
      ])
      return { status: answer.status, told, userID }
    }
    for (const email of [ben.email, nobody]) {
      const { status, told, userID } = await invite(email)
      const shown = { email, name: email, roleID: 'viewer', status: 'invited' }
      expect([status, told]).to.deep.equal([201, shown])
      const listed = (await membersOf(ana)).find((m) => m.userID === userID)
      expect(listed).to.deep.equal({ ...shown, userID, createdAt: listed.createdAt })
      const changed = await send(ana, 'PATCH', `/members/${userID}`, { roleID: 'editor' })
      expect(changed.body.data.name).to.equal(email)
    }
    await active(ben, ana.orgId)
    expect((await membersOf(ana)).find((m) => m.email === ben.email).name).to.equal('Ana')
  })

  it('need a role that there is, and a body that is whole', async () => {
    const ana = await founder()
    for (const body of [
      { email: address(), roleID: 'king' },
      { email: address(), roleID: '00000000-0000-4000-8000-000000000000' },
      { email: 'nobody', roleID: 'viewer' },
      { email: address() },
      { roleID: 'viewer' },
    ])
      expect(await refusal(ana, 'POST', '/members', body), JSON.stringify(body)).to.equal('400 validation_failed')
    const path = `/members/${ana.userId}`
    expect(await refusal(ana, 'PATCH', path, { roleID: 'king' })).to.equal('400 validation_failed')
    expect(await refusal(ana, 'PATCH', '/members/none', { roleID: 'viewer' })).to.equal('404 not_found')
    expect(await refusal(ana, 'DELETE', '/members/none')).to.equal('404 not_found')
    expect(await membersOf(ana)).to.have.length(1)
  })

  it('keep an owner: the last one is not demoted and not removed', async () => {
    const ana = await founder()
    const path = `/members/${ana.userId}`
    await send(ana, 'POST', '/members', { email: address(), roleID: 'owner' })
    expect(await refusal(ana, 'PATCH', path, { roleID: 'admin' })).to.equal('409 invalid_transition')
    expect(await refusal(ana, 'DELETE', path)).to.equal('409 invalid_transition')
    expect((await send(ana, 'PATCH', path, { roleID: 'owner' })).status).to.equal(200)
    const ben = await colleague(ana, 'owner')
    expect((await send(ana, 'PATCH', path, { roleID: 'admin' })).status).to.equal(200)
    expect((await rolesOf(ben))[ana.userId]).to.equal('admin')
  })

  it('keep an owner when two demote or remove one another at once', async () => {
    for (const [method, body] of [
      ['PATCH', { roleID: 'viewer' }],
      ['DELETE', undefined],
    ] as const) {
      for (let round = 0; round < amount(1, 3, 50); round++) {
        const ana = await founder()
        const ben = await colleague(ana, 'owner')
        const answers = await Promise.all([
          send(ana, method, `/members/${ben.userId}`, body),
          send(ben, method, `/members/${ana.userId}`, body),
        ])
        const statuses = answers.map(({ status }) => status).toSorted((x, y) => x - y)
        expect(statuses[0], `${method} ${statuses.join()}`).to.equal(body ? 200 : 204)
        expect(statuses[1], `${method} ${statuses.join()}`).to.be.oneOf([403, 409])
        const winner = answers[0].status < 300 ? ana : ben
        const owners = Object.values(await rolesOf(winner)).filter((role) => role === 'owner')
        expect(owners).to.have.length(1)
      }
    }
  })

  it('who are admins neither make owners nor touch them [RBAC-02]', async () => {
    const ana = await founder()
    const ben = await colleague(ana, 'admin')
    const eve = await colleague(ana, 'viewer')
    const owner = `/members/${ana.userId}`
    expect(await refusal(ben, 'POST', '/members', { email: address(), roleID: 'owner' })).to.equal('403 forbidden')
    expect(await refusal(ben, 'PATCH', `/members/${eve.userId}`, { roleID: 'owner' })).to.equal('403 forbidden')
    expect(await refusal(ben, 'PATCH', `/members/${ben.userId}`, { roleID: 'owner' })).to.equal('403 forbidden')
    expect(await refusal(ben, 'PATCH', owner, { roleID: 'admin' })).to.equal('403 forbidden')
    expect(await refusal(ben, 'PATCH', owner, { roleID: 'owner' })).to.equal('403 forbidden')
    expect(await refusal(ben, 'DELETE', owner)).to.equal('403 forbidden')
    expect(await refusal(eve, 'PATCH', `/members/${eve.userId}`, { roleID: 'admin' })).to.equal('403 forbidden')
    expect((await send(ben, 'PATCH', `/members/${eve.userId}`, { roleID: 'admin' })).status).to.equal(200)
    const expected = { [ana.userId]: 'owner', [ben.userId]: 'admin', [eve.userId]: 'admin' }
    expect(await rolesOf(ana)).to.deep.equal(expected)
  })

  it('who are removed get in no more: not by a session, not by a token [AUTH-25]', async () => {
    const ana = await founder()
    const ben = await colleague(ana, 'editor')
    const pat = await patFor(ben)
    const counts = () => Promise.all([ben.accessToken, pat].map((token) => ask('GET', '/resources/count', { token })))
    expect((await counts()).map(({ status }) => status)).to.deep.equal([200, 200])
    expect((await send(ana, 'DELETE', `/members/${ben.userId}`)).status).to.equal(204)
    const codes = (await counts()).map(({ status, body }) => [status, body.code])
    expect(codes).to.deep.equal([
      [403, 'not_a_member'],
      [401, 'invalid_token'],
    ])
    const refreshed = await ask('POST', '/auth/refresh', {
      body: { refreshToken: ben.refreshToken, tenantID: ana.orgId },
    })
    expect(refreshed.body.code).to.equal('not_a_member')
    expect((await login(ben.email)).tenants).to.deep.equal([])
    expect(await membersOf(ana)).to.have.length(1)
  })

  it('who are removed and come back have no token of before', async () => {
    const ana = await founder()
    const ben = await colleague(ana, 'editor')
    const pat = await patFor(ben)
    expect((await send(ana, 'DELETE', `/members/${ben.userId}`)).status).to.equal(204)
    expect((await send(ana, 'POST', '/members', { email: ben.email, roleID: 'viewer' })).status).to.equal(201)
    const back = await active(await login(ben.email), ana.orgId)
    expect((await ask('GET', '/resources/count', { token: back.accessToken })).status).to.equal(200)
    expect((await ask('GET', '/resources/count', { token: pat })).status).to.equal(401)
    expect((await send(back, 'GET', '/settings/personal-access-tokens')).body.data).to.deep.equal([])
  })

  it('are changed under the one spelling of their id, so that it holds at once', async () => {
    const ana = await founder()
    const ben = await colleague(ana, 'editor')
    const path = `/members/${ben.userId.toUpperCase()}`
    expect((await send(ben, 'GET', '/cloud-accounts')).status).to.equal(200)
    expect(await refusal(ana, 'PATCH', path, { roleID: 'viewer' })).to.equal('404 not_found')
    expect(await refusal(ana, 'DELETE', path)).to.equal('404 not_found')
    expect((await rolesOf(ana))[ben.userId]).to.equal('editor')
  })

  it('leave by themselves, when an owner stays', async () => {
    const ana = await founder()
    const ben = await colleague(ana, 'admin')
    expect((await send(ben, 'DELETE', `/members/${ben.userId}`)).status).to.equal(204)
    expect(await refusal(ben, 'GET', '/members')).to.equal('403 not_a_member')
  })
})

describe('organizations of a person', () => {
  it('are listed oldest first, each with the role there; by a token only its own [AUTH-07]', async () => {
    const ana = await founder('Hers')
    const eve = await founder('Other')
    expect((await send(eve, 'POST', '/members', { email: ana.email, roleID: 'viewer' })).status).to.equal(201)
    const own = { id: ana.orgId, name: 'Hers', roleID: 'owner', isClosed: false, deletesAt: null }
    const again = await login(ana.email)
    const other = { id: eve.orgId, name: 'Other', roleID: 'viewer', isClosed: false, deletesAt: null }
    expect((await send(again, 'GET', '/organisations')).body.data).to.deep.equal([own, other])
    const pat = await patFor(ana)
    expect((await ask('GET', '/organisations', { token: pat })).body.data).to.deep.equal([own])
    expect((await send(eve, 'GET', '/organisations')).body.data).to.deep.equal([{ ...other, roleID: 'owner' }])
  })

  it('are open to one who is invited from entering on: a session elsewhere is not in it [AUTH-05] [AUTH-28]', async () => {
    const ana = await founder('Hers')
    const ben = await person()
    expect((await send(ana, 'POST', '/members', { email: ben.email, roleID: 'viewer' })).status).to.equal(201)
    const count = async (token: string) => (await ask('GET', '/resources/count', { token })).status
    expect(await count(ben.accessToken)).to.equal(403)
    expect(await count((await login(ben.email)).accessToken)).to.equal(403)
    expect((await membersOf(ana)).map(({ status }) => status)).to.have.members(['active', 'invited'])
    const { accessToken } = await active(ben, ana.orgId)
    expect(await count(accessToken)).to.equal(200)
    expect((await membersOf(ana)).map(({ status }) => status)).to.deep.equal(['active', 'active'])
  })

  it('have a name of 1 to 100 characters', async () => {
    const ben = await person()
    for (const name of ['', ' ', 'x'.repeat(101), 5])
      expect(await refusal(ben, 'POST', '/organisations', { name }), String(name)).to.equal('400 validation_failed')
    const made = await send(ben, 'POST', '/organisations', { name: 'x'.repeat(100) })
    expect([made.status, made.body.data?.name]).to.deep.equal([201, 'x'.repeat(100)])
  })
})
