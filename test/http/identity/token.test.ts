import { expect } from 'chai'
import { pino } from 'pino'
import { edge } from '#http/edge/edge.ts'
import { tokenScope } from '#http/edge/scope.ts'
import { routes, site } from '#http/index.ts'
import { serve, type Serving } from '#http/edge/serve.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { PersonalAccessToken } from '#http/identity/entity.ts'
import { tellOfTokenEnds } from '#http/identity/token/token-end.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { asService } from '#http/store/tenant.ts'
import { orders, placed } from '#test/harness/place.ts'
import { tenant, testProduct, until, type Tenant } from '#test/harness/product.ts'
import {
  address,
  advance,
  ask,
  codeFor,
  colleague,
  founder,
  mailsTo,
  password,
  resetClock,
  type Founder,
} from '#test/harness/people.ts'
import { sample, deepIt } from '#test/harness/tier.ts'

const settings = '/settings/personal-access-tokens'
const account = { name: 'x', provider: 'nowhere', externalID: 'x' }

/** A token of a person: its secret and its path. */
async function tokenOf({ accessToken }: Pick<Founder, 'accessToken'>, more: object = {}) {
  const { status, body } = await ask('POST', settings, { token: accessToken, body: { name: 'ci', ...more } })
  if (status !== 201) throw new Error(`cannot make a token: ${JSON.stringify(body)}`)
  return { secret: body.data.token as string, path: `${settings}/${body.data.id}` }
}
const answerTo = async (token: string, method = 'GET', path = '/resources/count', body?: unknown) => {
  const { status, body: given } = await ask(method, path, { token, ...(body !== undefined && { body }) })
  return status >= 400 ? `${status} ${given.code}` : String(status)
}

describe('a personal access token [S-32]', () => {
  afterEach(resetClock)
  let ana: Founder
  before(async () => void (ana = await founder()))

  it('is shown once, by its last four characters after, to its person alone [AUTH-22]', async () => {
    const ben = await colleague(ana, 'editor')
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
    const made = await ask('POST', settings, { token: ben.accessToken, body: { name: ' deploy ', expiresAt } })
    const { token, ...shown } = made.body.data
    expect(token).to.match(/^svc_pat_[A-Za-z0-9_-]{43}$/)
    expect([made.status, made.headers.get('location')]).to.deep.equal([201, `${settings}/${shown.id}`])
    const { id, createdAt } = shown
    const prefix = `svc_pat_…${token.slice(-4)}`
    const fixed = { name: 'deploy', scope: 'api', role: null, lastUsedAt: null }
    expect(shown).to.deep.equal({ ...fixed, id, prefix, createdAt, expiresAt })
    expect((await ask('GET', settings, { token: ben.accessToken })).body.data).to.deep.equal([shown])
    expect((await ask('GET', settings, { token: ana.accessToken })).body.data).to.deep.equal([])
    expect(await answerTo(ana.accessToken, 'DELETE', `${settings}/${id}`)).to.equal('404 not_found')
    expect(await answerTo(token)).to.equal('200')
    const [used] = (await ask('GET', settings, { token: ben.accessToken })).body.data
    expect(used.lastUsedAt).to.be.a('string')
  })

  it('works after 15 minutes, and makes no tokens [AUTH-24] [AUTH-26]', async () => {
    const ben = await colleague(ana, 'editor')
    const { secret } = await tokenOf(ben, { expiresAt: null })
    await advance(901)
    expect(await answerTo(ben.accessToken)).to.equal('401 invalid_token')
    expect(await answerTo(secret)).to.equal('200')
    expect(await answerTo(secret, 'POST', settings, { name: 'more' })).to.equal('403 forbidden')
    expect(await answerTo(secret, 'GET', settings)).to.equal('403 forbidden')
    await advance(300 * 86_400)
    expect(await answerTo(secret)).to.equal('200')
  })

  it('may do what its person may at the moment [AUTH-25]', async () => {
    const ben = await colleague(ana, 'editor')
    const { secret } = await tokenOf(ben)
    const write = () => answerTo(secret, 'POST', '/cloud-accounts', account)
    expect(await write()).to.equal('400 validation_failed')
    const demoted = { token: ana.accessToken, body: { roleID: 'viewer' } }
    expect((await ask('PATCH', `/members/${ben.userId}`, demoted)).status).to.equal(200)
    expect(await write()).to.equal('403 forbidden')
    expect(await answerTo(secret)).to.equal('200')
  })

  it('is refused at once when it is revoked, and when it expires [AUTH-23]', async () => {
    const { secret, path } = await tokenOf(ana)
    const expiring = await tokenOf(ana, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() })
    expect([await answerTo(secret), await answerTo(expiring.secret)]).to.deep.equal(['200', '200'])
    const shouted = path.replace(/[^/]+$/, (id) => id.toUpperCase())
    expect(await answerTo(ana.accessToken, 'DELETE', shouted)).to.equal('404 not_found')
    expect(await answerTo(ana.accessToken, 'DELETE', path)).to.equal('204')
    expect(await answerTo(secret)).to.equal('401 invalid_token')
    expect(await answerTo(ana.accessToken, 'DELETE', path)).to.equal('404 not_found')
    await advance(3_601)
    expect(await answerTo(expiring.secret)).to.equal('401 invalid_token')
  })

  it('expires in the future, and has a name', async () => {
    for (const body of [
      {},
      { name: '' },
      { name: 'x'.repeat(101) },
      { name: 'x', expiresAt: '2020-01-01T00:00:00Z' },
      { name: 'x', expiresAt: 'soon' },
      { name: 'x', role: 'owner' },
    ])
      expect(await answerTo(ana.accessToken, 'POST', settings, body), JSON.stringify(body)).to.equal(
        '400 validation_failed',
      )
    const given = { name: 'x', roleID: 'owner' }
    expect(await answerTo(ana.accessToken, 'POST', settings, given)).to.equal('400 invalid_parameter')
  })

  it('is good for 90 days where nothing is said, and its person is told of the end once, a week before', async () => {
    const [ben, identity] = [await colleague(ana, 'editor'), (await testProduct()).product.get(tokens.identity)]
    const made = async (more: object) =>
      (await ask('POST', settings, { token: ben.accessToken, body: { name: 'ci', ...more } })).body.data
    const { createdAt, expiresAt } = await made({})
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).to.equal(90 * 86_400_000)
    expect((await made({ expiresAt: null })).expiresAt).to.equal(null)
    await made({ expiresAt: new Date(Date.parse(createdAt) + 7 * 86_400_000).toISOString() })
    const { userId } = ben
    const look = async (days: number) => {
      await advance(days * 86_400)
      await Promise.all([tellOfTokenEnds(identity), tellOfTokenEnds(identity)])
      const where = { userId, endToldAt: { $ne: null } }
      return asService(() => identity.em().count(PersonalAccessToken, where))
    }
    expect([await look(1), await look(81), await look(2), await look(1)]).to.deep.equal([0, 0, 1, 1])
    const told = async () => (await mailsTo(ben.email)).filter(({ subject }) => subject.includes('token'))
    await until('a mail of the token', async () => (await told()).length > 0)
    expect((await told()).map(({ subject }) => subject)).to.deep.equal([
      `Your Tidemark token “ci” expires on ${expiresAt.slice(0, 10)}`,
    ])
  })

  it('counts in the header alone, not in an address or a cookie [AUTH-13] [AUTH-29]', async () => {
    const { secret } = await tokenOf(ana)
    for (const query of [`access_token=${secret}`, `token=${secret}`, `authorization=Bearer%20${secret}`]) {
      const { status, body } = await ask('GET', `/resources/count?${query}`)
      expect([status, body.code], query.slice(0, 12)).to.deep.equal([401, 'unauthenticated'])
      expect(JSON.stringify(body)).to.not.contain(secret)
    }
    for (const headers of [
      { Cookie: `access_token=${secret}; token=${secret}` },
      { 'X-Api-Key': secret },
      { Authorization: `Basic ${Buffer.from(`x:${secret}`).toString('base64')}` },
    ])
      expect((await ask('GET', '/resources/count', { headers: headers as never })).status).to.equal(401)
  })
})

describe('the report scope of a role [S-32]', () => {
  const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
  const seen = `from=${day}&to=${day}`
  const queries: Record<string, string> = {
    '/reports/summary': `period=${day.slice(0, 7)}`,
    '/reports/costs/breakdown': `dims=cloud_account_id&dims=region&${seen}`,
    '/reports/resources/summary': '',
    '/reports/unit-economics': `metric=orders&${seen}`,
  }
  // Nothing was found, changed, committed or claimed on that day, no month was closed, a day makes no forecast, no clusters; of one resource below.
  const empty = [
    '/reports/anomalies',
    '/reports/anomalies/:anomalyID',
    '/reports/forecast',
    '/reports/snapshots',
    '/reports/resources/activity',
    '/reports/resources/metrics/daily',
    '/reports/commitments',
    '/reports/savings',
    '/reports/savings/projection',
    '/reports/savings/claims',
    '/reports/savings/claims/:claimID',
    '/reports/kubernetes',
    '/reports/kubernetes/receipt',
    '/reports/kubernetes/labels',
  ]
  const paths = routes
    .filter(({ method, path }) => method === 'GET' && path.startsWith('/reports') && !empty.includes(path))
    .map(placed)
  let org: Tenant

  before(async () => {
    org = await tenant()
    const found = (cloudAccountId: string, resourceUid: string, region: string, provider: 'aws' | 'gcp') => ({
      cloudAccountId,
      provider,
      region,
      resourceUid,
      name: resourceUid,
      status: 'running' as const,
      type: provider === 'aws' ? 'aws-ec2' : 'gcp-vm',
      tags: { env: 'prod' },
    })
    await org.send('POST', '/unit-metrics', orders)
    const all = [
      found('acct-mine', 'uid-mine', 'region-mine', 'aws'),
      found('acct-other', 'uid-other', 'region-other', 'gcp'),
      found('acct-other', 'uid-other-2', 'region-other', 'gcp'),
    ]
    // Before the day that is asked about, in whichever month that is.
    await org.publish(resourceDiscovered, all, { time: new Date(Date.parse(day) - 10 * 86_400_000) })
    const measured = async (place: string, resourceUid: string, value: number) => {
      const samples = [{ metric: 'cpu_percent' as const, value, ts: `${day}T10:00:00Z` }]
      await org.publish(metricSample, [{ resourceUid, samples }], { place })
    }
    const line = (cloudAccountId: string, provider: 'aws' | 'gcp', who: string, costUSD: number) => ({
      lineId: `${day}/${who}`,
      cloudAccountId,
      provider,
      costUSD,
      usageDate: day,
      resourceUid: `uid-${who}`,
      serviceName: `service-${who}`,
      region: `region-${who}`,
      exportedAt: `${day}T23:00:00Z`,
    })
    await Promise.all([
      measured('acct-mine', 'uid-mine', 10),
      measured('acct-other', 'uid-other', 90),
      org.publish(billingLine, [line('acct-mine', 'aws', 'mine', 60), line('acct-other', 'gcp', 'other', 65)]),
    ])
  })

  /** A member whose role sees the costs of `cloudAccountIDs`. */
  async function scoped(name: string, cloudAccountIDs: string[]): Promise<Founder> {
    const reportScope = { all: false, cloudAccountIDs }
    const role = await org.send('POST', '/roles', { name, permissions: ['service.view'], reportScope })
    return colleague({ accessToken: org.token, orgId: org.orgId } as Founder, role.body.data.id)
  }
  const read = async (token: string, path: string, more = '') => {
    const { status, body } = await ask('GET', `${path}?${queries[path] ?? seen}${more}`, { token })
    expect(status, `${path} ${JSON.stringify(body)}`).to.equal(200)
    return body.data
  }
  /** The few figures that say whose costs were counted. */
  const figures = async (token: string) => {
    const summary = await read(token, '/reports/summary')
    const { totalUSD } = await read(token, '/reports/costs/breakdown')
    const { cpu } = await read(token, '/reports/metrics')
    const trends = (await read(token, '/reports/trends')).items.map((item: any) => item.costUSD)
    const { total } = await read(token, '/reports/resources/summary')
    return [summary.totalCostUSD, summary.resourceCount, totalUSD, cpu.avgPercent, trends, total]
  }

  it('narrows every figure to its accounts: 60 of 125 [RBAC-04]', async () => {
    const ben = await scoped('one account', ['acct-mine'])
    expect(await figures(org.token)).to.deep.equal([125, 3, 125, 50, [125], 3])
    const mine = [60, 1, 60, 10, [60], 1]
    expect(await figures(ben.accessToken)).to.deep.equal(mine)
    const { secret } = await tokenOf(ben)
    expect((await read(secret, '/reports/summary')).totalCostUSD).to.equal(60)
  })

  // In `npm test` the figures of each report before such a role are those of test/http/report/scope.test.ts.
  deepIt('shows nothing of another account in any report, whatever is asked [RBAC-04]', async () => {
    const ben = await scoped('my account', ['acct-mine'])
    expect(paths).to.have.length.above(8)
    const more = sample(['', '&provider=gcp', '&region=region-other', '&cloud_account_id=acct-other'])
    for (const path of sample(paths, 2)) {
      const whole = JSON.stringify(await read(org.token, path))
      for (const narrowed of more) {
        const text = JSON.stringify(await read(ben.accessToken, path, narrowed))
        expect(text, `${path}${narrowed}`).to.not.match(/other(?!USD|":)|gcp|\b125\b|\b65\b|\b90\b/)
        if (narrowed === '') expect(text, path).to.not.equal(whole)
      }
    }
    for (const narrowed of ['&filter[cloud_account_id]=acct-other', '&filter[resource_uid]=uid-other'])
      expect(await read(ben.accessToken, '/reports/costs/breakdown', narrowed)).to.include({ totalUSD: 0 })
    for (const group of sample(['resource', 'purchase_type', 'resource_type'], 1)) {
      const text = JSON.stringify(await read(ben.accessToken, '/reports/costs/resources', `&group_by=${group}`))
      expect(text, group).to.match(/60/)
      expect(text, group).to.not.match(/other(?!USD|":)|gcp|\b125\b|\b65\b/)
    }
    expect(await read(ben.accessToken, '/reports/resources/metrics', '&resource_uid=uid-other')).to.deep.equal([])
    const daily = (token: string) => read(token, '/reports/resources/metrics/daily', '&resource_uid=uid-other')
    expect(JSON.stringify(await daily(org.token))).to.match(/\b90\b/)
    expect(JSON.stringify(await daily(ben.accessToken))).to.not.match(/\b90\b/)
  })

  deepIt('that is empty shows zero in every report [RBAC-04]', async () => {
    const ben = await scoped('nothing', [])
    expect(await figures(ben.accessToken)).to.deep.equal([0, 0, 0, null, [0], 0])
    for (const path of sample(paths, 6))
      for (const narrowed of sample(['&cloud_account_id=acct-mine', ''], 1)) {
        const text = JSON.stringify(await read(ben.accessToken, path, narrowed))
        expect(text, `${path}${narrowed}`).to.not.match(/mine|other(?!USD|":)|aws|gcp|\b60\b|\b125\b/)
      }
  })

  it('follows a change of the role at the next request [RBAC-04]', async () => {
    const ben = await scoped('changing', ['acct-mine'])
    const role = (await org.get('/roles?search=changing')).body.data.items[0]
    const total = async () => (await read(ben.accessToken, '/reports/summary')).totalCostUSD
    expect(await total()).to.equal(60)
    for (const [reportScope, expected] of [
      [{ all: false, cloudAccountIDs: ['acct-other'] }, 65],
      [{ all: false }, 0],
      [{ all: true }, 125],
    ] as const) {
      expect((await org.send('PATCH', `/roles/${role.id}`, { reportScope })).status).to.equal(200)
      expect(await total()).to.equal(expected)
    }
  })
})

describe('secrets', () => {
  const lines: string[] = []
  const bodies: string[] = []
  const secrets = new Set<string>()
  let serving: Serving
  before(async () => {
    const { product } = await testProduct()
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    const { seal, open } = product.get(tokens.seal)
    const { connections } = await testProduct()
    const idempotency = { em: () => connections.orm.em.fork(), now: () => new Date(), seal, open }
    const scope = tokenScope(product.get(tokens.identity).authenticator, product.get(tokens.services))
    const app = edge(site(routes, { version: '1', ready: async () => [] }), scope, { log, idempotency })
    serving = await serve(app, { port: 0, host: '127.0.0.1' })
  })
  after(() => serving.close())

  /** Sends what holds secrets; bodies of failures are kept. */
  async function send(method: string, path: string, given: { body?: unknown; headers?: Record<string, string> } = {}) {
    const { body, headers = {} } = given
    const response = await fetch(`${serving.url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status >= 400 && response.status !== 404) bodies.push(text)
    return { status: response.status, text }
  }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  it('stand in no log and no error, however a request that holds them fails [AUTH-13]', async () => {
    const email = address()
    for (const secret of [password, 'swordfish-1', 'swordfish-2', 'swordfish-3']) secrets.add(secret)
    await send('POST', '/auth/signup', { body: { email, password, name: 'Ana' } })
    const otp = await codeFor(email)
    secrets.add(otp)
    await send('PATCH', '/auth/email/otp/validate', { body: { email, otp: `${otp} `, password } })
    await send('PATCH', '/auth/email/otp/validate', { body: { email, otp } })
    await send('POST', '/auth/login', { body: { provider: 'email', email, password: 'swordfish-1' } })
    await send('POST', '/auth/login', { body: { provider: ['swordfish-2'], email, password, extra: 'swordfish-3' } })
    await send('POST', '/auth/login', { body: `{"password":"${password}"` })
    await send('POST', `/auth/login?password=swordfish-1&token=swordfish-2`, { body: {} })
    const { data } = JSON.parse(
      (await send('POST', '/auth/login', { body: { provider: 'email', email, password } })).text,
    )
    const { accessToken, refreshToken } = data
    const made = await send('POST', '/organisations', { body: { name: 'A' }, headers: bearer(accessToken) })
    const { id } = JSON.parse(made.text).data
    const own = { ...bearer(accessToken), 'x-org-id': id }
    const keyed = { ...own, 'idempotency-key': 'swordfish-3' }
    const pat = JSON.parse((await send('POST', settings, { body: { name: 'x' }, headers: keyed })).text).data.token
    for (const token of [accessToken, refreshToken, pat, accessToken.split('.')[2]]) secrets.add(token)

    for (const token of sample([accessToken, refreshToken, pat, `${pat}x`, `${accessToken}x`], 3)) {
      await send('GET', `/resources/count?access_token=${token}&search=${token}`)
      await send('GET', `/resources?limit=${token}&page=${token}`, { headers: bearer(token) })
      await send('GET', `/resources/${token}`, { headers: own })
      await send('GET', `/nowhere/${token.slice(0, 3)}?t=${token}`, { headers: bearer(token) })
      await send('POST', '/auth/refresh', { body: { refreshToken: `${token}!`, tenantID: 5 } })
      await send('POST', '/roles', { body: { name: 5, extra: token }, headers: own })
      await send('GET', '/organisations', { headers: { authorization: token } })
      await send('GET', '/organisations', { headers: { ...bearer(accessToken), 'x-org-id': token } })
    }
    const credentials = { roleARN: 'swordfish-1', externalID: 'swordfish-2' }
    for (const provider of ['aws', 'gcp', 'swordfish-3'])
      await send('POST', '/cloud-accounts', {
        body: { name: 'x', provider, externalID: 'x', credentials },
        headers: own,
      })
    await send('PATCH', '/auth/password/reset', { body: { email, otp: '000000', newPassword: 'swordfish-1' } })
    await send('POST', '/auth/login', { body: { provider: 'google', token: 'swordfish-1.swordfish-2.swordfish-3' } })
    await send('POST', '/auth/login', { body: { provider: 'saml', token: 'swordfish-1' } })
    expect(lines.length).to.be.above(30)
    expect(bodies.length).to.be.above(20)
    expect(await mailsTo(email)).to.have.length.above(0)
    for (const secret of secrets) expect(lines.join('\n').includes(secret), `log: ${secret}`).to.equal(false)
  })

  it('stand in no error but where it names what was asked for: the instance, and what is not there', () => {
    const told = bodies.map((text) => JSON.stringify({ ...JSON.parse(text), instance: '' }))
    for (const secret of secrets)
      expect(
        told.find((text) => text.includes(secret)),
        secret,
      ).to.equal(undefined)
  })
})
