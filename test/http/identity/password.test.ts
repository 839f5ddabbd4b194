import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { User } from '#http/identity/entity.ts'
import { hashOf } from '#http/identity/token/secret.ts'
import { countTry } from '#http/identity/session/throttle.ts'
import { RefreshToken, Session } from '#http/identity/session/session-entity.ts'
import { asService } from '#http/store/tenant.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { testProduct } from '#test/harness/product.ts'
import {
  address,
  advance,
  ask,
  claimsOf,
  codeFor,
  login,
  password,
  person,
  resetClock,
  signedUp,
} from '#test/harness/people.ts'
import { deepIt } from '#test/harness/tier.ts'

const logIn = (email: string, given = password, more: object = {}) =>
  ask('POST', '/auth/login', { body: { provider: 'email', email, password: given, ...more } })
const signUp = (body: unknown) => ask('POST', '/auth/signup', { body })
const em = async () => (await testProduct()).product.get(tokens.identity).em()
const userOf = async (email: string) => (await em()).findOne(User, { email })
/** Whatever else runs here only adds to it. */
const least = (times: number[]) => Math.min(...times)

/** Milliseconds that `work` takes. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

describe('passwords', () => {
  afterEach(resetClock)

  it('sign in when right, in any spelling of the address, and not when wrong [AUTH-01]', async () => {
    const { email } = await person()
    expect((await logIn(email.toUpperCase())).status).to.equal(200)
    for (const given of ['a wrong password', `${password} `, password.toUpperCase(), password.slice(0, -1)]) {
      const { status, body } = await logIn(email, given)
      expect([status, body.code], given).to.deep.equal([401, 'invalid_credentials'])
    }
  })

  it('are refused alike for an address nobody has [AUTH-01]', async () => {
    const { email } = await person()
    const [known, unknown] = [await logIn(email, 'wrong one'), await logIn(address(), 'wrong one')]
    const same = ({ body }: typeof known) => ({ ...body, requestId: '' })
    expect([known.status, same(known)]).to.deep.equal([401, same(unknown)])
  })

  deepIt('are refused as late for an address nobody has [AUTH-01]', async () => {
    const { email } = await person()
    const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] }
    for (let run = 0; run < 15; run++) {
      // After five wrong ones there are pauses; a right one starts anew.
      if (run % 4 === 0) await login(email)
      times.known.push(await timed(() => logIn(email, 'wrong one')))
      times.unknown.push(await timed(() => logIn(address(), 'wrong one')))
    }
    expect(least(times.known) / least(times.unknown)).to.be.within(0.6, 1.6)
  })

  deepIt(
    'have to wait from the sixth wrong one on, twice as long each time, and after ten for the rest of 15 minutes, whether anybody has the address or not [AUTH-01]',
    async () => {
      const [{ email }, nobody] = [await person(), address()]
      for (const who of [email, nobody]) {
        for (let tries = 0; tries < 5; tries++) expect((await logIn(who, 'wrong one')).status).to.equal(401)
        for (const pause of [1, 2, 4, 8, 16]) {
          // Shorter ones may be over before they are seen here.
          if (pause > 4) {
            const { status, body, headers } = await logIn(who)
            expect([status, body.code], who).to.deep.equal([429, 'too_many_attempts'])
            expect(Number(headers.get('retry-after'))).to.be.within(pause - 4, pause)
          }
          await advance(pause)
          expect((await logIn(who, 'wrong one')).status).to.equal(401)
        }
        const { status, body, headers } = await logIn(who)
        expect([status, body.code], who).to.deep.equal([429, 'too_many_attempts'])
        // 900 seconds from the first one, of which 31 were waited.
        expect(Number(headers.get('retry-after'))).to.be.within(769, 869)
      }
      // Those of `nobody` began 31 seconds later, and the tests take their time.
      await advance(700)
      expect((await logIn(email)).status).to.equal(429)
      await advance(170)
      expect((await logIn(email)).status).to.equal(200)
      expect((await logIn(nobody)).status).to.equal(401)
    },
  )

  it('are counted at the same time, too [AUTH-01]', async () => {
    const { email } = await person()
    const tools = (await testProduct()).product.get(tokens.identity)
    const at = tools.now()
    const trying = { purpose: 'login', account: email, ip: '203.0.113.9' } as const
    // Two processes, at one moment.
    const processes = [1, 2].map(() => ({ ...tools, now: () => at }))
    const tries = Array.from({ length: 30 }, (_, n) => countTry(processes[n % 2]!, trying))
    const results = await Promise.allSettled(tries)
    expect(results.filter(({ status }) => status === 'fulfilled').length).to.equal(5)
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []))
    expect(reasons).to.deep.equal(Array.from({ length: 25 }, () => 'too_many_attempts'))
  })

  deepIt('are not refused after nine wrong ones and their pauses, and a right one starts anew [AUTH-01]', async () => {
    const { email } = await person()
    for (let round = 0; round < 2; round++) {
      for (let tries = 0; tries < 9; tries++) {
        if (tries >= 5) await advance(2 ** (tries - 5))
        expect((await logIn(email, 'wrong one')).status).to.equal(401)
      }
      await advance(16)
      expect((await logIn(email)).status).to.equal(200)
    }
  })

  it('are unlocked by a new one [AUTH-09]', async () => {
    const { email } = await person()
    for (let tries = 0; tries < 10; tries++) {
      if (tries >= 5) await advance(2 ** (tries - 5))
      await logIn(email, 'wrong one')
    }
    expect((await logIn(email)).status).to.equal(429)
    await ask('POST', '/auth/password/forget', { body: { email } })
    const otp = await codeFor(email)
    await ask('PATCH', '/auth/password/reset', { body: { email, otp, newPassword: 'another good password' } })
    expect((await logIn(email, 'another good password')).status).to.equal(200)
  })

  it('are kept as argon2id with the parameters OWASP names, each with a salt of its own', async () => {
    const [one, other] = [await userOf((await signedUp()).email), await userOf((await signedUp()).email)]
    const shape = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/
    expect(one!.passwordHash).to.match(shape)
    expect(other!.passwordHash).to.match(shape)
    expect(one!.passwordHash).to.not.equal(other!.passwordHash)
  })

  it('have 8 to 128 characters [AUTH-02]', async () => {
    const long = (length: number) => 'kV9#tq2!zW'.repeat(Math.ceil(length / 10)).slice(0, length)
    for (const length of [8, 128]) {
      expect((await signUp({ email: address(), password: long(length), name: 'Ana' })).status).to.equal(201)
    }
    for (const length of [0, 7, 129, 100_000]) {
      const { status, body } = await signUp({ email: address(), password: long(length), name: 'Ana' })
      expect([status, body.errors[0].name], String(length)).to.deep.equal([400, '/password'])
    }
  })

  it('of 128 characters count to the last one', async () => {
    const email = address()
    const long = 'correct horse é battery staple, '.repeat(4).slice(0, 127)
    await signUp({ email, password: `${long}a`, name: 'Ana' })
    await ask('PATCH', '/auth/email/otp/validate', { body: { email, otp: await codeFor(email) } })
    expect((await logIn(email, `${long}b`)).status).to.equal(401)
    expect((await logIn(email, `${long}a`)).status).to.equal(200)
  })

  it('are of no use without an address, and no other provider takes them [AUTH-17]', async () => {
    for (const provider of ['facebook', 'Email', '', 'oauth_c', 1, null, ['email'], '__proto__', 'toString']) {
      const { status, body } = await ask('POST', '/auth/login', { body: { provider, email: address(), password } })
      expect([status, body.code, body.errors[0].name], String(provider)).to.deep.equal([
        400,
        'validation_failed',
        '/provider',
      ])
    }
    const { body } = await ask('POST', '/auth/login', { body: { provider: 'email' } })
    expect(body.errors.map((error: { name: string }) => error.name)).to.deep.equal(['/email', '/password'])
    for (const provider of ['google', 'github', 'saml', 'oauth_a', 'oauth_b']) {
      const missing = await ask('POST', '/auth/login', { body: { provider, email: address(), password } })
      expect([missing.status, missing.body.errors[0].name], provider).to.deep.equal([400, '/token'])
    }
  })
})

describe('signing up', () => {
  it('takes nothing but an address, a password and a name [AUTH-02]', async () => {
    const fields = {
      emailVerifiedAt: '2026-01-01T00:00:00Z',
      role: 'owner',
      id: randomUUID(),
      orgId: 'x',
      isAdmin: true,
    }
    for (const [name, value] of Object.entries(fields)) {
      const email = address()
      const { status, body } = await signUp({ email, password, name: 'Eve', [name]: value })
      expect([status, body.errors[0].name], name).to.deep.equal([400, `/${name}`])
      expect(await asService(() => userOf(email))).to.equal(null)
    }
  })

  it('takes no key that every object has [AUTH-02]', async () => {
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      const body = `{"email":"${address()}","password":"${password}","name":"Eve","${key}":{"emailVerifiedAt":"2026-01-01"}}`
      const answer = await signUp(body)
      expect([answer.status, answer.body.errors[0].name], key).to.deep.equal([400, `/${key}`])
    }
    expect(({} as Record<string, unknown>)['emailVerifiedAt']).to.equal(undefined)
  })

  it('takes addresses that are some [AUTH-02]', async () => {
    for (const email of ['', 'a', '@b.c', 'a@b', 'a b@c.de', 'a@b.c\nBcc: x@y.de', `${'a'.repeat(250)}@b.de`, 'a@b@']) {
      const { status, body } = await signUp({ email, password, name: 'Eve' })
      expect([status, body.errors[0].name], email).to.deep.equal([400, '/email'])
    }
  })
})

describe('signing in', () => {
  it('never takes over a session or a refresh token that the client brings', async () => {
    const { email, accessToken, refreshToken } = await person()
    const sid = claimsOf(accessToken)['sid'] as string
    const planted = randomUUID()
    for (const more of [{ sid: planted }, { sessionId: planted }, { refreshToken }]) {
      expect((await logIn(email, password, more)).status, JSON.stringify(more)).to.equal(400)
    }
    const headers = { Cookie: `sid=${planted}; session=${planted}`, Authorization: `Bearer ${accessToken}` }
    const { status, body } = await ask('POST', '/auth/login', {
      body: { provider: 'email', email, password },
      headers,
    })
    expect(status).to.equal(200)
    const got = claimsOf(body.data.accessToken)['sid'] as string
    expect([sid, planted]).to.not.include(got)
    expect(body.data.refreshToken).to.not.equal(refreshToken)
    expect(await (await em()).count(Session, { id: planted })).to.equal(0)
  })

  it('keeps refresh tokens as their hash alone', async () => {
    const { accessToken, refreshToken } = await person()
    const rows = await (await em()).find(RefreshToken, { sessionId: claimsOf(accessToken)['sid'] as string })
    expect(rows.map(({ hash }) => hash)).to.deep.equal([hashOf(refreshToken)])
    expect(JSON.stringify(rows)).to.not.include(refreshToken)
  })
})
