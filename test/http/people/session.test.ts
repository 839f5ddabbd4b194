import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { Session } from '#http/identity/session/session-entity.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { askFrom } from '#test/harness/from.ts'
import {
  active,
  advance,
  ask,
  claimsOf,
  colleague,
  founder,
  login,
  password,
  person,
  resetClock,
  type Person,
} from '#test/harness/people.ts'
import { testProduct } from '#test/harness/product.ts'

const send = ({ accessToken: token }: Pick<Person, 'accessToken'>, method: string, path: string, body?: unknown) =>
  ask(method, path, { token, ...(body !== undefined && { body }) })
const sidOf = ({ accessToken }: Pick<Person, 'accessToken'>) => claimsOf(accessToken)['sid'] as string
const isAlive = async (who: Person) => (await send(who, 'GET', '/organisations')).status === 200
const eventsOf = async (who: Person, type: string) =>
  (await send(who, 'GET', `/security-events?type=${type}`)).body.data.items as any[]

describe('own sessions', () => {
  it('are listed newest first: when, how and from where they began, and which one asks', async () => {
    const one = await person()
    const { body } = await askFrom('127.0.0.7', 'POST', '/auth/login', {
      body: { provider: 'email', email: one.email, password },
    })
    const other = { ...one, ...body.data } as Person
    await active(other, '')
    const listed = (await send(one, 'GET', '/auth/sessions')).body.data
    const shape = { method: 'email', secondFactor: false }
    expect(listed).to.deep.equal([
      {
        ...shape,
        id: sidOf(other),
        createdAt: listed[0].createdAt,
        lastUsedAt: listed[0].lastUsedAt,
        ip: '127.0.0.7',
        userAgent: 'test of 127.0.0.7',
        current: false,
      },
      {
        ...shape,
        id: sidOf(one),
        createdAt: listed[1].createdAt,
        lastUsedAt: listed[1].createdAt,
        ip: '127.0.0.1',
        userAgent: 'node',
        current: true,
      },
    ])
    expect(Date.parse(listed[0].lastUsedAt)).to.be.above(Date.parse(listed[0].createdAt))
    expect(Date.parse(listed[0].createdAt)).to.be.above(Date.parse(listed[1].createdAt))
  })

  it('are ended one by one, at once, and are listed no more', async () => {
    const one = await founder()
    const other = await login(one.email)
    expect(await isAlive(other)).to.equal(true)
    expect((await send(one, 'DELETE', `/auth/sessions/${sidOf(other)}`)).status).to.equal(204)
    expect([await isAlive(other), await isAlive(one)]).to.deep.equal([false, true])
    const refreshed = await ask('POST', '/auth/refresh', { body: { refreshToken: other.refreshToken } })
    expect(refreshed.status).to.equal(401)
    const listed = (await send(one, 'GET', '/auth/sessions')).body.data
    expect(listed.map(({ id }: any) => id)).to.deep.equal([sidOf(one)])
    const [event] = await eventsOf(one, 'session_ended')
    expect([event.userID, event.principal, event.detail]).to.deep.equal([
      one.userId,
      `session:${sidOf(one)}`,
      { sessionID: sidOf(other) },
    ])
    expect((await send(one, 'DELETE', `/auth/sessions/${sidOf(other)}`)).status, 'it is gone').to.equal(404)
  })

  it('are ended all but the one that asks', async () => {
    const one = await person()
    const others = [await login(one.email), await login(one.email)]
    expect((await send(one, 'DELETE', '/auth/sessions')).status).to.equal(204)
    expect(await Promise.all([one, ...others].map(isAlive))).to.deep.equal([true, false, false])
    expect((await send(one, 'DELETE', '/auth/sessions')).status, 'there are none').to.equal(204)
  })

  it('are one’s own alone, whatever role one has', async () => {
    const ana = await founder()
    const ben = await colleague(ana, 'viewer')
    for (const id of [sidOf(ben), randomUUID(), 'none']) {
      const { status, body } = await send(ana, 'DELETE', `/auth/sessions/${id}`)
      expect([status, body.code], id).to.deep.equal([404, 'not_found'])
    }
    await send(ana, 'DELETE', '/auth/sessions')
    expect(await isAlive(ben)).to.equal(true)
    const listed = (await send(ben, 'GET', '/auth/sessions')).body.data
    expect(listed.map(({ id }: any) => id))
      .to.include(sidOf(ben))
      .and.not.include(sidOf(ana))
  })

  it('are shown to no token of a machine', async () => {
    const ana = await founder()
    const { body } = await send(ana, 'POST', '/settings/personal-access-tokens', { name: 'ci' })
    for (const method of ['GET', 'DELETE']) {
      expect((await ask(method, '/auth/sessions', { token: body.data.token })).status).to.equal(403)
    }
  })

  it('through a provider of an organization reach those of that organization alone', async () => {
    const ana = await founder()
    const provided = await login(ana.email)
    const em = (await testProduct()).product.get(tokens.identity).em()
    await em.nativeUpdate(Session, { id: sidOf(provided) }, { boundTo: ana.orgId, method: 'saml' })
    const listed = (await send(provided, 'GET', '/auth/sessions')).body.data
    expect(listed.map(({ id }: any) => id)).to.deep.equal([sidOf(provided)])
    expect((await send(provided, 'DELETE', `/auth/sessions/${sidOf(ana)}`)).status).to.equal(404)
    await send(provided, 'DELETE', '/auth/sessions')
    expect(await isAlive(ana)).to.equal(true)
    const change = { currentPassword: password, newPassword: 'another good password' }
    expect((await send(provided, 'POST', '/auth/password/change', change)).status, 'nor the password').to.equal(403)
    expect((await send(provided, 'POST', '/auth/second-factor', { password })).status).to.equal(403)
  })
})

describe('a password', () => {
  afterEach(resetClock)

  it('is changed by the one that it was; all other sessions end', async () => {
    const one = await founder()
    const other = await login(one.email)
    const change = { currentPassword: password, newPassword: 'another good password' }
    const answer = await send(one, 'POST', '/auth/password/change', change)
    expect([answer.status, answer.body]).to.deep.equal([200, { data: { changed: true } }])
    expect([await isAlive(one), await isAlive(other)]).to.deep.equal([true, false])
    const logIn = (given: string) =>
      ask('POST', '/auth/login', { body: { provider: 'email', email: one.email, password: given } })
    expect((await logIn(password)).status).to.equal(401)
    expect((await logIn('another good password')).status).to.equal(200)
    const [event] = await eventsOf(one, 'password_changed')
    expect([event.userID, event.email, event.principal]).to.deep.equal([one.userId, one.email, `session:${sidOf(one)}`])
  })

  it('is not changed by a wrong one, and wrong ones count as at sign-in', async () => {
    const one = await person()
    const other = await login(one.email)
    const change = () =>
      send(one, 'POST', '/auth/password/change', { currentPassword: 'wrong one', newPassword: 'another good password' })
    for (let n = 0; n < 10; n++) {
      if (n >= 5) await advance(2 ** (n - 5))
      const { status, body } = await change()
      expect([status, body.code]).to.deep.equal([403, 'invalid_password'])
    }
    expect((await change()).body.code).to.equal('too_many_attempts')
    const { status } = await ask('POST', '/auth/login', { body: { provider: 'email', email: one.email, password } })
    expect(status).to.equal(429)
    expect([await isAlive(one), await isAlive(other)]).to.deep.equal([true, true])
  })
})
