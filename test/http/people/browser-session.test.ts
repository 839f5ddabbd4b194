import { request } from 'node:http'
import { expect } from 'chai'
import { pino } from 'pino'
import { edge } from '#http/edge/edge.ts'
import { Limiter } from '#http/edge/limit/limit.ts'
import { tokenScope } from '#http/edge/scope.ts'
import { serve } from '#http/edge/serve.ts'
import { handedOver, logoutBrowser } from '#http/identity/session/browser.ts'
import { routes } from '#http/index.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { browser, refused, type Browser } from '#test/harness/browser-session.ts'
import { answer as answered, shownBy, withDevice } from '#test/harness/device.ts'
import {
  advance,
  ask,
  claimsOf,
  founder,
  login,
  password,
  person,
  resetClock,
  type Founder,
} from '#test/harness/people.ts'
import { testProduct } from '#test/harness/product.ts'
import { amount, isDeep } from '#test/harness/tier.ts'
import {
  assertion,
  codeOf,
  keyOf,
  post as posted,
  requested,
  response,
  said,
  signed,
  worldOf,
} from '#test/http/identity/saml-provider.ts'

const byPassword = (email: string, given = password) => ({ provider: 'email', email, password: given })
const open = async (accessToken: string) => (await ask('GET', '/organisations', { token: accessToken })).status
const secret = /^[A-Za-z0-9_-]{43}$/
/** For edges of a test's own: each compiles what its routes take and answer. */
const own = routes.filter(({ path }) => path.startsWith('/auth/browser'))

describe('a session of a browser', () => {
  let ana: Founder
  before(async () => void (ana = await founder('Of pages')))
  afterEach(resetClock)

  const signedIn = async (email = ana.email): Promise<Browser & { accessToken: string }> => {
    const page = await browser()
    const { status, body } = await page.post('/login', byPassword(email))
    expect(status).to.equal(200)
    return Object.assign(page, { accessToken: body.data.accessToken as string })
  }

  it('begins with a cookie that no script reads and no other site sends, and its answer holds all but that', async () => {
    const page = await browser()
    const { status, headers, body } = await page.post('/login', byPassword(ana.email))
    expect(status).to.equal(200)
    expect(page.token).to.match(secret)
    expect(headers.get('set-cookie')).to.equal(
      `${page.name}=${page.token}; Path=/auth/browser; Max-Age=2592000; HttpOnly; SameSite=Strict`,
    )
    expect(headers.get('cache-control')).to.equal('no-store')
    const { accessToken } = body.data
    expect(body).to.deep.equal({
      data: {
        accessToken,
        expiresIn: 900,
        user: { email: ana.email, name: 'Ana' },
        tenants: [{ id: ana.orgId, name: 'Of pages' }],
        orgID: ana.orgId,
      },
    })
    expect(claimsOf(accessToken)['org_id']).to.equal(ana.orgId)
    expect(await open(accessToken)).to.equal(200)
  })

  it('has a cookie by the public address: Secure with https, beneath its path, its name with its port', async () => {
    const identity = (await testProduct()).product.get(tokens.identity)
    const { accessToken, refreshToken, tenants } = await login(ana.email)
    const signed = { accessToken, refreshToken, tenants, user: { email: ana.email, name: 'Ana' } }
    const cookieAt = (publicUrl: string) =>
      handedOver({ ...identity, publicUrl: () => publicUrl }, signed).headers['Set-Cookie']
    const rest = 'Max-Age=2592000; HttpOnly; SameSite=Strict'
    expect(cookieAt('https://cost.example/tide')).to.equal(
      `tidemark_session_443=${refreshToken}; Path=/tide/auth/browser; ${rest}; Secure`,
    )
    expect(cookieAt('http://cost.example')).to.equal(`tidemark_session_80=${refreshToken}; Path=/auth/browser; ${rest}`)
    const client = { ip: '', userAgent: '', requestId: '' }
    const gone = await logoutBrowser({ ...identity, publicUrl: () => 'https://cost.example:8443' }, {}, client)
    expect(gone.headers['Set-Cookie']).to.equal(
      'tidemark_session_8443=; Path=/auth/browser; Max-Age=0; HttpOnly; SameSite=Strict; Secure',
    )
  })

  it('goes on by its cookie alone, with a new one each time, and stays what it was', async () => {
    const page = await signedIn()
    const [first, { sid }] = [page.token, claimsOf(page.accessToken)]
    const { status, headers, body } = await page.post('/refresh', {})
    expect(status).to.equal(200)
    expect(page.token).to.match(secret)
    expect(page.token).to.not.equal(first)
    expect(headers.get('set-cookie')).to.equal(
      `${page.name}=${page.token}; Path=/auth/browser; Max-Age=2592000; HttpOnly; SameSite=Strict`,
    )
    const { accessToken, me, ...rest } = body.data
    // What a page needs to begin.
    expect(me).to.deep.equal((await ask('GET', '/auth/me', { token: accessToken })).body.data)
    expect(rest).to.deep.equal({
      user: { email: ana.email, name: 'Ana' },
      tenants: [{ id: ana.orgId, name: 'Of pages' }],
      expiresIn: 900,
      orgID: ana.orgId,
    })
    expect(claimsOf(accessToken)['sid']).to.equal(sid)
  })

  it('gives tabs that ask at once the same successor, and ends when a used one comes back late', async () => {
    const page = await signedIn()
    const first = page.token
    const tabs = await Promise.all(Array.from({ length: amount(4, 10, 10) }, () => page.post('/refresh', {})))
    expect(tabs.map(({ status }) => status)).to.deep.equal(tabs.map(() => 200))
    expect(new Set(tabs.map(({ headers }) => headers.get('set-cookie'))).size).to.equal(1)
    const second = page.token
    expect((await page.post('/refresh', {})).status).to.equal(200)
    await advance(11)
    page.token = first
    const late = await page.post('/refresh', {})
    expect(refused(late)).to.equal('401 invalid_token')
    expect(late.headers.get('set-cookie')).to.equal(
      `${page.name}=; Path=/auth/browser; Max-Age=0; HttpOnly; SameSite=Strict`,
    )
    expect(page.token).to.equal('')
    page.token = second
    expect(refused(await page.post('/refresh', {})), 'the whole session').to.equal('401 invalid_token')
    expect(await open(page.accessToken)).to.equal(401)
  })

  it('is none without its cookie: one of another port, an empty one, and one that is no token', async () => {
    const page = await signedIn()
    const kept = page.token
    const without = await (await browser()).post('/refresh', {})
    expect([refused(without), without.headers.get('set-cookie')]).to.deep.equal(['401 no_session', null])
    for (const [cookie, wanted] of [
      [`tidemark_session_1=${kept}`, '401 no_session'],
      [`x${page.name}=${kept}`, '401 no_session'],
      [`${page.name}=`, '401 no_session'],
      [`${page.name}=${kept}x`, '401 invalid_token'],
      [`${page.name}=${'x'.repeat(43)}`, '401 invalid_token'],
    ] as const)
      expect(refused(await page.post('/refresh', {}, { Cookie: cookie })), cookie).to.equal(wanted)
    page.token = kept
    expect((await page.post('/refresh', {})).status).to.equal(200)
  })

  it('is switched to another organization of its person, and to no other, which leaves the cookie good', async () => {
    const [page, other] = [await signedIn(), await founder('Another')]
    const before = page.token
    expect(refused(await page.post('/refresh', { tenantID: other.orgId }))).to.equal('403 not_a_member')
    expect(page.token).to.equal(before)
    const made = await ask('POST', '/organisations', { token: page.accessToken, body: { name: 'Second' } })
    const second = made.body.data.id as string
    const { body } = await page.post('/refresh', { tenantID: second })
    expect([body.data.orgID, claimsOf(body.data.accessToken)['org_id']]).to.deep.equal([second, second])
    expect(body.data.tenants.map(({ name }: { name: string }) => name)).to.deep.equal(['Of pages', 'Second'])
    expect((await page.post('/refresh', {})).body.data.orgID, 'it stays there').to.equal(second)
    expect((await page.post('/refresh', { tenantID: ana.orgId })).body.data.orgID).to.equal(ana.orgId)
  })

  it('is in no organization until there is one', async () => {
    const { email } = await person()
    const page = await browser()
    const { data } = (await page.post('/login', byPassword(email))).body
    expect([data.orgID, data.tenants]).to.deep.equal([null, []])
    expect((await page.post('/refresh', {})).body.data.orgID).to.equal(null)
  })

  it('ends at logout, at once, and there is nothing to end without one', async () => {
    const [page, other] = [await signedIn(), await signedIn()]
    const kept = page.token
    const gone = `${page.name}=; Path=/auth/browser; Max-Age=0; HttpOnly; SameSite=Strict`
    const ended = await page.post('/logout')
    expect([ended.status, ended.body, ended.headers.get('set-cookie')]).to.deep.equal([204, undefined, gone])
    expect(await open(page.accessToken)).to.equal(401)
    page.token = kept
    expect(refused(await page.post('/refresh', {}))).to.equal('401 invalid_token')
    for (const token of ['', kept, 'x']) {
      page.token = token
      expect((await page.post('/logout')).status, token).to.equal(204)
    }
    expect(await open(other.accessToken)).to.equal(200)
    expect((await other.post('/refresh', {})).status).to.equal(200)
    const told = await ask('GET', '/security-events?type=logout', { token: ana.accessToken })
    expect(told.body.data.items.filter(({ userID }: any) => userID === ana.userId)).to.have.length(1)
  })

  it('asks for a second factor, and begins with a code of it', async () => {
    const eva = await founder()
    const device = await withDevice(eva)
    const page = await browser()
    const asked = await page.post('/login', byPassword(eva.email))
    expect([refused(asked), asked.headers.get('set-cookie')]).to.deep.equal(['403 mfa_required', null])
    const { challenge } = asked.body
    const wrong = await page.post('/login/totp', { challenge, code: 'nope-nope' })
    expect([refused(wrong), page.token]).to.deep.equal(['400 invalid_otp', ''])
    const { status, body } = await page.post('/login/totp', { challenge, code: await shownBy(device) })
    expect([status, body.data.orgID]).to.deep.equal([200, eva.orgId])
    expect(Object.keys(body.data)).to.deep.equal(['accessToken', 'expiresIn', 'user', 'tenants', 'orgID'])
    expect(claimsOf(body.data.accessToken)['amr']).to.deep.equal(['pwd', 'otp', 'mfa'])
    expect(page.token).to.match(secret)
    expect(refused(await answered(challenge, await shownBy(device)))).to.equal('401 invalid_challenge')
  })

  it('begins by SAML too, with the code that led to the console, for that organization alone', async () => {
    const w = await worldOf(await keyOf('browser'))
    const { id, relayState } = await requested(w)
    const led = await posted(response(id, signed(assertion(said(w, id)), w.key)), relayState)
    const page = await browser()
    const given = { provider: 'saml', ...codeOf(led) }
    const { status, body } = await page.post('/login', given)
    expect([status, body.data.orgID]).to.deep.equal([200, w.orgId])
    expect(refused(await page.post('/refresh', { tenantID: ana.orgId }))).to.equal('403 not_a_member')
    expect((await page.post('/refresh', {})).body.data.tenants).to.deep.equal([{ id: w.orgId, name: 'Signs in' }])
    expect(refused(await (await browser()).post('/login', given))).to.equal('401 invalid_credentials')
  })

  it('is refused as anywhere by a wrong password, without a cookie', async () => {
    const page = await browser()
    const wrong = await page.post('/login', byPassword(ana.email, 'another good password'))
    expect([refused(wrong), wrong.headers.get('set-cookie')]).to.deep.equal(['401 invalid_credentials', null])
    expect(refused(await page.post('/login', { provider: 'email', email: ana.email }))).to.equal(
      '400 validation_failed',
    )
  })

  it('is given to pages of this origin alone', async () => {
    const { url } = await testProduct()
    const page = await signedIn()
    const { host, port } = new URL(url)
    const foreign: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: '' },
      { Origin: `http://127.0.0.1:${Number(port) + 1}` },
      { Origin: `http://evil.example:${port}` },
      { Origin: `http://${host}.evil.example` },
      { Origin: 'file://' },
    ]
    const kept = page.token
    const places = [
      ['/login', byPassword(ana.email)],
      ['/login/totp', { challenge: 'x', code: '123456' }],
      ['/link', { token: 'x' }],
      ['/refresh', {}],
      ['/logout', undefined],
    ] as const
    // In `npm test` each page at one place, and each place for two of them.
    for (const [n, headers] of foreign.entries())
      for (const [place, body] of isDeep ? places : [places[n % places.length]!]) {
        const answer = await page.post(place, body, headers)
        const seen = [refused(answer), answer.headers.get('set-cookie')]
        expect(seen, `${place} ${JSON.stringify(headers)}`).to.deep.equal(['403 cross_site', null])
      }
    expect(page.token).to.equal(kept)
    expect((await page.post('/refresh', {})).status).to.equal(200)
  })

  it('is given to browsers that say the origin alone or nothing, by whatever name they ask', async () => {
    const page = await signedIn()
    const { url } = await testProduct()
    const { port } = new URL(url)
    const status = (headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        const type = { 'Content-Type': 'application/json' }
        const sent = request(`${url}/auth/browser/logout`, { method: 'POST', headers: { ...type, ...headers } })
        sent.on('response', (answer) => resolve(answer.resume().statusCode ?? 0)).on('error', reject)
        sent.end()
      })
    expect(await status({})).to.equal(204)
    expect(await status({ Origin: url })).to.equal(204)
    expect(await status({ Host: `LOCALHOST:${port}`, Origin: `http://localhost:${port}` })).to.equal(204)
    // A proxy in front asks by a name of its own; the public address is the browser's.
    expect(await status({ Host: 'edge.internal', Origin: url })).to.equal(204)
    expect(await status({ Host: 'edge.internal', Origin: 'http://localhost' })).to.equal(403)
    expect((await page.post('/refresh', {})).status).to.equal(200)
  })

  it('is never given to another browser that repeats an Idempotency-Key', async () => {
    const [page, other] = [await signedIn(), await signedIn((await founder('Of another')).email)]
    const key = { 'Idempotency-Key': `tab-${Date.now()}` }
    const first = await page.post('/refresh', {}, key)
    const second = await other.post('/refresh', {}, key)
    expect(second.headers.get('idempotency-replayed')).to.equal(null)
    expect([first.body.data.user.email === second.body.data.user.email, page.token === other.token]).to.deep.equal([
      false,
      false,
    ])
    const nobody = await (await browser()).post('/refresh', {}, key)
    expect(refused(nobody)).to.equal('401 no_session')
  })

  it('leaves its refresh token in no answer and in no log line', async () => {
    const { product } = await testProduct()
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    const identity = product.get(tokens.identity)
    const scope = tokenScope(identity.authenticator, product.get(tokens.services))
    const serving = await serve(edge(own, scope, { log, verifyReplies: true }), { port: 0, host: '127.0.0.1' })
    const seen: string[] = []
    const secrets = new Set<string>()
    let cookie = ''
    const post = async (place: string, body: object, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${serving.url}/auth/browser${place}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(cookie !== '' && { Cookie: cookie }), ...headers },
        body: JSON.stringify(body),
      })
      seen.push(await answer.text())
      const [pair = ''] = answer.headers.get('set-cookie')?.split(';') ?? []
      const token = pair.split('=')[1]
      if (token) secrets.add(token)
      if (pair !== '') cookie = token ? pair : ''
      return answer.status
    }
    try {
      const statuses = [
        await post('/login', byPassword(ana.email)),
        await post('/refresh', {}),
        await post('/refresh', { tenantID: 'nowhere' }),
        await post('/refresh', { tenantID: 5 }),
        await post('/refresh', {}, { Origin: 'https://evil.example' }),
        await post('/refresh', {}, { Cookie: `${cookie}x` }),
        await post('/login', byPassword(ana.email)),
        await post('/logout', {}),
      ]
      expect(statuses).to.deep.equal([200, 200, 403, 400, 403, 401, 200, 204])
    } finally {
      await serving.close()
    }
    expect([secrets.size, lines.length]).to.deep.equal([3, 8])
    for (const token of secrets)
      for (const text of [...seen, ...lines]) expect(text.includes(token), text.slice(0, 60)).to.equal(false)
  })

  it('is refreshed as often as all tabs of an office behind one address ask, who may not sign in so often', async () => {
    const { product } = await testProduct()
    const scope = tokenScope(product.get(tokens.identity).authenticator, product.get(tokens.services))
    const rate = (name: string, perMinute: number) => ({ name, perMinute, burst: perMinute })
    const others = { caller: rate('default', 600), refused: rate('refused', 600) }
    const rates = { ...others, auth: rate('auth', 20), inbound: rate('inbound', 600) }
    const limits = { limiter: new Limiter(() => 0), rates }
    const serving = await serve(edge(own, scope, { limits }), { port: 0, host: '127.0.0.1' })
    const post = async (place: string, body: object) => {
      const headers = { 'Content-Type': 'application/json' }
      const sent = { method: 'POST', headers, body: JSON.stringify(body) }
      return (await fetch(`${serving.url}/auth/browser${place}`, sent)).status
    }
    const often = (place: string, body: object) =>
      Array.fromAsync(
        Array.from({ length: amount(22, 60, 60) }, () => place),
        (one) => post(one, body),
      )
    try {
      // Nobody has a session there: what counts is that none is told to slow down.
      expect(new Set(await often('/refresh', {}))).to.deep.equal(new Set([401]))
      const links = await often('/link', { token: 'x' })
      expect([links.indexOf(429), new Set(links)]).to.deep.equal([20, new Set([401, 429])])
    } finally {
      await serving.close()
    }
  })
})
