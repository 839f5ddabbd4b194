import { expect } from 'chai'
import { SecondFactor, RecoveryCode } from '#http/identity/second-factor/entity.ts'
import { enter } from '#http/identity/second-factor/second-factor.ts'
import { User } from '#http/identity/entity.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { answer, challenged, loginWith, shownBy, withDevice } from '#test/harness/device.ts'
import { askFrom } from '#test/harness/from.ts'
import {
  address,
  advance,
  ask,
  codeFor,
  founder,
  login,
  password,
  person,
  resetClock,
  type Person,
} from '#test/harness/people.ts'
import { testProduct } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'
import { google, issuer, logIn, signed } from '#test/http/identity/social-provider.ts'

const send = ({ accessToken: token }: Pick<Person, 'accessToken'>, method: string, path: string, body?: unknown) =>
  ask(method, path, { token, ...(body !== undefined && { body }) })
const refusal = ({ status, body }: { status: number; body: any }) => `${status} ${body?.code}`
const stateOf = async (who: Person) => (await send(who, 'GET', '/auth/second-factor')).body.data
const eventsOf = async (who: Person, type: string) =>
  (await send(who, 'GET', `/security-events?type=${type}`)).body.data.items as any[]
const identity = async () => (await testProduct()).product.get(tokens.identity)
/** A code that is not `right`. */
const other = (right: string) => String((Number(right) + 1) % 1_000_000).padStart(6, '0')

describe('a second factor', () => {
  afterEach(resetClock)

  it('is enrolled by a secret that a first code confirms, with ten recovery codes shown once', async () => {
    const ana = await founder()
    expect(await stateOf(ana)).to.deep.equal({ enabled: false, enabledAt: null, recoveryCodesLeft: 0 })
    const begun = await send(ana, 'POST', '/auth/second-factor', { password })
    expect([begun.status, begun.headers.get('cache-control')]).to.deep.equal([201, 'no-store'])
    const { secret, otpauthURL } = begun.body.data
    expect(secret).to.match(/^[A-Z2-7]{32}$/)
    const url = new URL(otpauthURL)
    expect([url.protocol, url.host, decodeURIComponent(url.pathname)]).to.deep.equal([
      'otpauth:',
      'totp',
      `/Tidemark:${ana.email}`,
    ])
    expect(Object.fromEntries(url.searchParams)).to.include({ secret, issuer: 'Tidemark' })
    await login(ana.email) // Not confirmed, it is not asked for.
    expect((await stateOf(ana)).enabled).to.equal(false)
    const code = await shownBy({ secret })
    const wrong = await send(ana, 'POST', '/auth/second-factor/confirm', { code: other(code) })
    expect(refusal(wrong)).to.equal('400 invalid_otp')
    const confirmed = await send(ana, 'POST', '/auth/second-factor/confirm', { code })
    expect([confirmed.status, confirmed.headers.get('cache-control')]).to.deep.equal([200, 'no-store'])
    const { recoveryCodes } = confirmed.body.data
    expect(new Set(recoveryCodes).size).to.equal(10)
    for (const one of recoveryCodes) expect(one).to.match(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/)
    const state = await stateOf(ana)
    expect(state).to.deep.equal({ enabled: true, enabledAt: state.enabledAt, recoveryCodesLeft: 10 })
    expect(refusal(await send(ana, 'POST', '/auth/second-factor', { password }))).to.equal('409 already_exists')
    const again = await send(ana, 'POST', '/auth/second-factor/confirm', { code })
    expect(refusal(again)).to.equal('409 invalid_transition')
    const [event] = await eventsOf(ana, 'second_factor_enabled')
    expect([event.userID, event.email]).to.deep.equal([ana.userId, ana.email])
  })

  it('is asked for at sign-in: a challenge instead of tokens, and a code turns it into them', async () => {
    const { email, ...rest } = await founder()
    const device = await withDevice(rest)
    const asked = await ask('POST', '/auth/login', { body: { provider: 'email', email, password } })
    expect([asked.status, asked.body.code, asked.headers.get('cache-control')]).to.deep.equal([
      403,
      'mfa_required',
      'no-store',
    ])
    expect(JSON.stringify(asked.body)).to.not.contain('Token')
    const wrong = await ask('POST', '/auth/login', { body: { provider: 'email', email, password: 'wrong one' } })
    expect([wrong.status, wrong.body.code, wrong.body.challenge]).to.deep.equal([401, 'invalid_credentials', undefined])
    const { challenge } = asked.body
    const code = await shownBy(device)
    expect(refusal(await answer(challenge, other(code)))).to.equal('400 invalid_otp')
    const signedIn = await answer(challenge, code)
    expect([signedIn.status, signedIn.headers.get('cache-control')]).to.deep.equal([200, 'no-store'])
    expect(Object.keys(signedIn.body.data)).to.have.members(['accessToken', 'refreshToken', 'tenants', 'user'])
    const listed = (await send(signedIn.body.data, 'GET', '/auth/sessions')).body.data
    expect(listed[0]).to.include({ method: 'email', secondFactor: true, current: true })
    expect(refusal(await answer(challenge, await shownBy(device, 1))), 'one use').to.equal('401 invalid_challenge')
  })

  it('takes a code once, at whichever challenge, of two at once one alone', async () => {
    const { email, ...rest } = await person()
    const device = await withDevice(rest)
    const challenges = [await challenged(email), await challenged(email), await challenged(email)] as const
    const code = await shownBy(device)
    const answers = await Promise.all([answer(challenges[0], code), answer(challenges[1], code)])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([200, 400])
    expect(refusal(await answer(challenges[2], code))).to.equal('400 invalid_otp')
    expect((await answer(challenges[2], await shownBy(device, 1))).status, 'a clock that is ahead').to.equal(200)
    const late = await challenged(email)
    expect(refusal(await answer(late, await shownBy(device))), 'older than the last').to.equal('400 invalid_otp')
  })

  it('takes codes of now and of 30 seconds either way', async () => {
    const { email, ...rest } = await person()
    const device = await withDevice(rest)
    // To the middle of one of the steps of 30 seconds: none begins between a code and its check.
    const { clock } = (await testProduct()).connections
    await advance(300 + Math.round((45_000 - (clock.now() % 30_000)) / 1000))
    const challenge = await challenged(email)
    for (const steps of [-3, 3]) {
      expect(refusal(await answer(challenge, await shownBy(device, steps)))).to.equal('400 invalid_otp')
    }
    expect((await answer(challenge, await shownBy(device, -1))).status).to.equal(200)
  })

  it('has challenges of five minutes and five tries, for one person', async () => {
    const [ana, ben] = [await person(), await person()]
    const devices = [await withDevice(ana), await withDevice(ben)] as const
    const first = await challenged(ana.email)
    expect(refusal(await answer(first, await shownBy(devices[1])))).to.equal('400 invalid_otp')
    const code = await shownBy(devices[0])
    for (let n = 0; n < 4; n++) await answer(first, other(code))
    expect(refusal(await answer(first, code))).to.equal('401 invalid_challenge')
    const second = await challenged(ana.email)
    await advance(301)
    expect(refusal(await answer(second, await shownBy(devices[0])))).to.equal('401 invalid_challenge')
    expect(refusal(await answer('x'.repeat(43), '123456'))).to.equal('401 invalid_challenge')
  })

  deepIt('is throttled by block of addresses and account, and its owner is not kept out', async () => {
    const { email, ...rest } = await person()
    const device = await withDevice(rest)
    const guess = async (from: string, code: string) => {
      const { body } = await askFrom(from, 'POST', '/auth/login', { body: { provider: 'email', email, password } })
      return askFrom(from, 'POST', '/auth/login/totp', { body: { challenge: body.challenge, code } })
    }
    const right = await shownBy(device)
    for (let n = 0; n < 10; n++) {
      if (n >= 5) await advance(2 ** (n - 5))
      expect(refusal(await guess('127.0.0.2', other(right)))).to.equal('400 invalid_otp')
    }
    expect(refusal(await guess('127.0.0.2', await shownBy(device)))).to.equal('429 too_many_attempts')
    await loginWith(email, device)
  })

  it('is replaced by a recovery code when the device is lost, each once, and that is written down', async () => {
    const ana = await founder()
    const device = await withDevice(ana)
    const [one, two] = device.recoveryCodes as [string, string]
    const signedIn = await answer(await challenged(ana.email), one.toUpperCase().replaceAll('-', ' '))
    expect(signedIn.status).to.equal(200)
    expect((await stateOf(ana)).recoveryCodesLeft).to.equal(9)
    expect(refusal(await answer(await challenged(ana.email), one))).to.equal('400 invalid_otp')
    expect((await answer(await challenged(ana.email), two)).status).to.equal(200)
    expect(refusal(await answer(await challenged(ana.email), 'aaaa-bbbb-cccc-dddd'))).to.equal('400 invalid_otp')
    const used = await eventsOf(ana, 'recovery_code_used')
    expect(used.map(({ userID, email }) => [userID, email])).to.deep.equal(
      Array.from({ length: 2 }, () => [ana.userId, ana.email]),
    )
    const failed = await eventsOf(ana, 'login_failed')
    expect(failed.map(({ detail }) => detail)).to.deep.include({ method: 'second_factor' })
  })

  it('is disabled by the password and a code together, and written down', async () => {
    const ana = await founder()
    const device = await withDevice(ana)
    const disable = (body: object) => send(ana, 'POST', '/auth/second-factor/disable', body)
    const code = await shownBy(device)
    expect(refusal(await disable({ password: 'wrong one', code }))).to.equal('403 invalid_password')
    expect(refusal(await disable({ code }))).to.equal('403 invalid_password')
    expect(refusal(await disable({ password, code: other(code) }))).to.equal('400 invalid_otp')
    expect((await disable({ password, code })).status).to.equal(204)
    await login(ana.email)
    expect(await stateOf(ana)).to.deep.equal({ enabled: false, enabledAt: null, recoveryCodesLeft: 0 })
    expect(refusal(await disable({ password, code: device.recoveryCodes[0] }))).to.equal('409 invalid_transition')
    expect(await eventsOf(ana, 'second_factor_disabled')).to.have.length(1)
    const second = await withDevice(ana)
    expect(second.secret).to.not.equal(device.secret)
    const old = await answer(await challenged(ana.email), device.recoveryCodes[1]!)
    expect(refusal(old), 'codes of before').to.equal('400 invalid_otp')
  })

  it('is begun with the password alone', async () => {
    const who = await person()
    for (const body of [{}, { password: 'wrong one' }])
      expect(refusal(await send(who, 'POST', '/auth/second-factor', body))).to.equal('403 invalid_password')
  })

  it('of an account without a password is begun in the first five minutes of a session alone', async () => {
    const { social, claims, pair } = await issuer()
    const said = claims(address())
    const signIn = async () => logIn(social, google(await signed(said, pair)))
    const who = await signIn()
    const begin = async ({ accessToken }: { accessToken: string }) =>
      refusal(await send({ accessToken }, 'POST', '/auth/second-factor', {}))
    await advance(240)
    expect(await begin(who)).to.equal('201 undefined')
    await advance(61)
    expect(await begin(who)).to.equal('403 fresh_sign_in_required')
    const { body } = await ask('POST', '/auth/refresh', { body: { refreshToken: who.refreshToken } })
    expect(await begin(body.data), 'a refresh is no sign-in').to.equal('403 fresh_sign_in_required')
    expect(await begin(await signIn())).to.equal('201 undefined')
  })

  it('is kept sealed, and recovery codes as their hashes', async () => {
    const ana = await founder()
    const { secret, recoveryCodes } = await withDevice(ana)
    const em = (await identity()).em()
    const rows = [
      await em.findOneOrFail(SecondFactor, { userId: ana.userId }),
      ...(await em.find(RecoveryCode, { userId: ana.userId })),
    ]
    expect(rows).to.have.length(11)
    const text = JSON.stringify(rows)
    for (const one of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))])
      expect(text).to.not.contain(one)
  })

  it('is asked for after a sign-in by another provider, too', async () => {
    const ana = await founder()
    await withDevice(ana)
    const tools = await identity()
    const user = await tools.em().findOneOrFail(User, { id: ana.userId })
    const client = { ip: '127.0.0.1', userAgent: '', requestId: '' }
    const refused = await enter(tools, user, 'google', client).catch((error: any) => error.code)
    expect(refused).to.equal('mfa_required')
  })

  it('outlives a new password that is set by mail', async () => {
    const who = await person()
    const device = await withDevice(who)
    await ask('POST', '/auth/password/forget', { body: { email: who.email } })
    const otp = await codeFor(who.email)
    const newPassword = 'another good password'
    await ask('PATCH', '/auth/password/reset', { body: { email: who.email, otp, newPassword } })
    const challenge = await challenged(who.email, newPassword)
    expect((await answer(challenge, await shownBy(device))).status).to.equal(200)
  })
})
