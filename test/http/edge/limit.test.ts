import { request } from 'node:http'
import { expect } from 'chai'
import { t } from '#engine/value/schema.ts'
import { systemRights } from '#http/identity/organization/role.ts'
import { limitHeaders, Limiter, type Rate, type Rates } from '#http/edge/limit/limit.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { RequestScope } from '#http/edge/edge.ts'
import { caller, problem, served, type Site } from '#test/http/serving.ts'

const perCaller: Rate = { name: 'default', perMinute: 600, burst: 120 }
const perAddress: Rate = { name: 'auth', perMinute: 20, burst: 20 }
const inbound: Rate = { name: 'inbound', perMinute: 600, burst: 600 }

describe('a limiter [LIM-04]', () => {
  let now = 0
  let limiter: Limiter
  beforeEach(() => {
    now = 1_000_000
    limiter = new Limiter(() => now)
  })
  const take = (rate: Rate, times = 1, key = 'ana') => {
    for (let i = 1; i < times; i++) limiter.take(rate, key)
    return limiter.take(rate, key)
  }

  it('lets a burst through, then one each tenth of a second', () => {
    expect(take(perCaller)).to.deep.equal({ isAllowed: true, left: 119, fullIn: 1, retryAfter: 0 })
    expect(take(perCaller, 119)).to.deep.equal({ isAllowed: true, left: 0, fullIn: 12, retryAfter: 0 })
    expect(take(perCaller)).to.deep.equal({ isAllowed: false, left: 0, fullIn: 12, retryAfter: 1 })
    now += 100
    expect(take(perCaller).isAllowed).to.equal(true)
    expect(take(perCaller).isAllowed).to.equal(false)
    now += 12_000
    expect(take(perCaller)).to.include({ isAllowed: true, left: 119 })
  })

  it('says how long to wait, and lets in one who waits that long', () => {
    take(perAddress, 20)
    const waits: number[] = []
    for (let waited = 0; waited < 3; waited++) {
      waits.push(take(perAddress).retryAfter)
      now += 1000
    }
    expect(waits).to.deep.equal([3, 2, 1])
    expect(take(perAddress)).to.deep.equal({ isAllowed: true, left: 0, fullIn: 60, retryAfter: 0 })
  })

  it('is full again after a minute, and never fuller', () => {
    take(perAddress, 20)
    now += 30_000
    expect(take(perAddress)).to.include({ left: 9, fullIn: 33 })
    now += 3_600_000
    expect(take(perAddress)).to.include({ left: 19, fullIn: 3 })
  })

  it('gives nothing for a clock that is set back, and counts on from there', () => {
    take(perAddress, 20)
    now -= 3_600_000
    expect(take(perAddress).isAllowed).to.equal(false)
    now += 3_000
    expect([take(perAddress).isAllowed, take(perAddress).isAllowed]).to.deep.equal([true, false])
  })

  it('keeps keys and rates apart', () => {
    take(perAddress, 21)
    expect(take(perAddress, 1, 'ben')).to.include({ isAllowed: true, left: 19 })
    expect(take(inbound)).to.include({ isAllowed: true, left: 599 })
  })

  it('names its rate, what is left and when it is full [LIM-04]', () => {
    expect(limitHeaders(perCaller, take(perCaller, 21))).to.deep.equal({
      'RateLimit-Policy': '"default";q=600;w=60',
      RateLimit: '"default";r=99;t=3',
    })
  })
})

const ok = { method: 'GET', summary: '', reply: t.Object({}), handle: async () => ({}) } as const
const routes: Route[] = [
  route({ ...ok, path: '/things', permission: 'service.view', orgOptional: true }),
  route({ ...ok, path: '/settings', permission: 'admin' }),
  route({ ...ok, path: '/internal/things', permission: 'internal' }),
  route({ ...ok, path: '/auth/x', permission: 'public', limit: 'auth' }),
  route({ ...ok, path: '/webhooks/x', permission: 'public', limit: 'inbound' }),
  route({ ...ok, path: '/healthz', permission: 'public' }),
]

/** Callers are named by the header `x-who`, `<organization>/<principal>/<person>`. */
const scope: RequestScope = {
  caller: async ({ headers }) => {
    const [orgId = '', principal = '', userId = 'ana'] = String(headers['x-who'] ?? 'o1/ana').split('/')
    const kind = principal.startsWith('svc:') ? 'internal' : 'pat'
    return { ...caller(), ...systemRights('viewer'), kind, orgId, principal, userId }
  },
  services: () => ({}) as never,
}

const limitsOf = (rates: Partial<Rates> = {}) => ({
  limiter: new Limiter(() => 1_000_000),
  rates: { caller: perCaller, auth: perAddress, inbound, ...rates },
})

/** The statuses of `times` requests at once, each with how often it came. */
async function statuses(site: Site, path: string, times: number, headers: Record<string, string> = {}) {
  const answers = await Promise.all(Array.from({ length: times }, () => site.get(path, headers)))
  return Object.fromEntries([...Map.groupBy(answers, (r) => r.status)].map(([status, own]) => [status, own.length]))
}

/** The status of a request that comes from another address of this machine. */
const from = (site: Site, localAddress: string, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(new URL(path, site.url), { localAddress }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    sent.on('error', reject).end()
  })

describe('rate limits', () => {
  describe('of a caller', () => {
    const whole = served(routes, scope, { limits: limitsOf() })
    /** A tenth of it, for what does not depend on how much it is. */
    const site = served(routes, scope, { limits: limitsOf({ caller: { ...perCaller, perMinute: 60, burst: 12 } }) })

    it('refuse the 121st request at once, and say when to come back [LIM-04]', async () => {
      const first = await whole.get('/things')
      expect(first.headers.get('ratelimit-policy')).to.equal('"default";q=600;w=60')
      expect(first.headers.get('ratelimit')).to.equal('"default";r=119;t=1')
      expect(first.headers.get('retry-after')).to.equal(null)
      expect(await statuses(whole, '/things', 120)).to.deep.equal({ 200: 119, 429: 1 })
      const late = await whole.get('/things')
      const headers = ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => late.headers.get(name))
      expect(headers).to.deep.equal(['"default";q=600;w=60', '"default";r=0;t=12', '1'])
      expect(await problem(late)).to.include({ status: 429, code: 'rate_limited' })
    })

    it('are of each organization, whoever calls and by which token, and of no address [LIM-04]', async () => {
      expect(await statuses(site, '/things', 6, { 'x-who': 'o3/cyd' })).to.deep.equal({ 200: 6 })
      expect(await statuses(site, '/things', 7, { 'x-who': 'o3/ben' })).to.deep.equal({ 200: 6, 429: 1 })
      expect(await statuses(site, '/things', 1, { 'x-who': 'o3/cyd' })).to.deep.equal({ 429: 1 })
      expect(await statuses(site, '/things', 1, { 'x-who': 'o2/cyd' })).to.deep.equal({ 200: 1 })
    })

    it('are of each principal that works in no organization [LIM-04]', async () => {
      expect(await statuses(site, '/things', 13, { 'x-who': '/cyd' })).to.deep.equal({ 200: 12, 429: 1 })
      expect(await statuses(site, '/things', 1, { 'x-who': '/ben' })).to.deep.equal({ 200: 1 })
    })

    it('are not of our own services, which have theirs in each organization', async () => {
      await statuses(site, '/things', 13, { 'x-who': 'o5/cyd' })
      const by = (times: number, who: string) => statuses(site, '/internal/things', times, { 'x-who': who })
      expect(await by(13, 'o5/svc:scheduler')).to.deep.equal({ 200: 12, 429: 1 })
      expect(await by(1, 'o6/svc:scheduler')).to.deep.equal({ 200: 1 })
    })

    it('count what is refused, and hold on every path', async () => {
      const headers = { 'x-who': 'o4/dan' }
      expect(await statuses(site, '/settings', 13, headers)).to.deep.equal({ 403: 12, 429: 1 })
      expect(await statuses(site, '/things', 1, headers)).to.deep.equal({ 429: 1 })
      expect(await statuses(site, '/api/things', 1, headers)).to.deep.equal({ 429: 1 })
    })
  })

  describe('of a person', () => {
    const person: Rate = { name: 'person', perMinute: 60, burst: 12 }
    const site = served(routes, scope, { limits: limitsOf({ person }) })

    it('hold over all their organizations and tokens, and take nothing from others there [G-125]', async () => {
      expect(await statuses(site, '/things', 6, { 'x-who': 'o1/s1/eve' })).to.deep.equal({ 200: 6 })
      expect(await statuses(site, '/things', 5, { 'x-who': 'o2/s2/eve' })).to.deep.equal({ 200: 5 })
      const last = await site.get('/things', { 'x-who': '/s3/eve' })
      expect([last.status, last.headers.get('ratelimit')]).to.deep.equal([200, '"person";r=0;t=12'])
      const late = await site.get('/things', { 'x-who': 'o3/s1/eve' })
      const headers = ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => late.headers.get(name))
      expect(headers).to.deep.equal(['"person";q=60;w=60', '"person";r=0;t=12', '1'])
      expect(await problem(late)).to.include({ status: 429, code: 'rate_limited' })
      const bens = await site.get('/things', { 'x-who': 'o3/s4/ben' })
      expect([bens.status, bens.headers.get('ratelimit')]).to.deep.equal([200, '"person";r=11;t=1'])
      const own = await site.get('/internal/things', { 'x-who': 'o3/svc:a/eve' })
      expect([own.status, own.headers.get('ratelimit')]).to.deep.equal([200, '"default";r=119;t=1'])
    })

    it('leave what the organization has to others: it is not counted what a person asks beyond their rate [G-125]', async () => {
      expect(await statuses(site, '/things', 200, { 'x-who': 'o8/s1/mal' })).to.deep.equal({ 200: 12, 429: 188 })
      for (const who of ['ida', 'joe', 'kim', 'lea', 'max', 'ned', 'ola', 'pia', 'ron'])
        expect(await statuses(site, '/things', 12, { 'x-who': `o8/s1/${who}` }), who).to.deep.equal({ 200: 12 })
      expect(await statuses(site, '/things', 1, { 'x-who': 'o8/s1/sue' })).to.deep.equal({ 429: 1 })
    })
  })

  describe('of an address', () => {
    const site = served(routes, scope, { limits: limitsOf() })

    it('hold on open routes that name one, by what they are for [LIM-04]', async () => {
      expect(await statuses(site, '/auth/x', 21)).to.deep.equal({ 200: 20, 429: 1 })
      const late = await site.get('/auth/x', { 'x-who': 'o9/new' })
      const headers = ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => late.headers.get(name))
      expect(headers).to.deep.equal(['"auth";q=20;w=60', '"auth";r=0;t=60', '3'])
      expect((await site.get('/webhooks/x')).headers.get('ratelimit')).to.equal('"inbound";r=599;t=1')
      expect((await site.get('/healthz')).headers.get('ratelimit')).to.equal(null)
      expect(await from(site, '127.0.0.1', '/auth/x')).to.equal(429)
      expect(await from(site, '127.0.0.2', '/auth/x')).to.equal(200)
    })

    it('do not believe what a caller says of its address', async () => {
      await statuses(site, '/auth/x', 21)
      for (const headers of [{ 'x-forwarded-for': '198.51.100.1' }, { 'x-real-ip': '198.51.100.2' }])
        expect(await statuses(site, '/auth/x', 1, headers as never)).to.deep.equal({ 429: 1 })
    })
  })

  for (const [trustedProxies, seen] of [
    [1, (ip: string) => `198.51.100.7, ${ip}`],
    [2, (ip: string) => `198.51.100.7, ${ip}, 192.0.2.9`],
  ] as const) {
    describe(`behind ${trustedProxies} proxies`, () => {
      const site = served(routes, scope, { limits: limitsOf(), trustedProxies })
      const by = (ip: string, times: number, forged = '') =>
        statuses(site, '/auth/x', times, { 'x-forwarded-for': forged + seen(ip) })

      it('are of the address that the outermost of ours saw, whatever stands before it [LIM-04]', async () => {
        expect(await by('203.0.113.1', 21)).to.deep.equal({ 200: 20, 429: 1 })
        expect(await by('203.0.113.1', 1, '203.0.113.99, ')).to.deep.equal({ 429: 1 })
        expect(await by('203.0.113.2', 1)).to.deep.equal({ 200: 1 })
        expect(await statuses(site, '/auth/x', 1)).to.deep.equal({ 200: 1 })
      })

      it('are of the 64 bits that one network has of IPv6', async () => {
        expect(await by('2001:db8:1:2::1', 20)).to.deep.equal({ 200: 20 })
        expect(await by('2001:DB8:1:2:ffff:ffff:ffff:ffff', 1)).to.deep.equal({ 429: 1 })
        expect(await by('2001:db8:1:3::1', 1)).to.deep.equal({ 200: 1 })
        expect(await by('::ffff:203.0.113.7', 20)).to.deep.equal({ 200: 20 })
        expect(await by('203.0.113.7', 1)).to.deep.equal({ 429: 1 })
      })
    })
  }

  describe('of 0', () => {
    const off = { caller: { ...perCaller, perMinute: 0, burst: 5 }, auth: { ...perAddress, perMinute: 0, burst: 5 } }
    const site = served(routes, scope, { limits: limitsOf(off) })

    it('are none [LIM-04]', async () => {
      expect(await statuses(site, '/things', 8)).to.deep.equal({ 200: 8 })
      expect(await statuses(site, '/auth/x', 8)).to.deep.equal({ 200: 8 })
      expect((await site.get('/things')).headers.get('ratelimit')).to.equal(null)
    })
  })
})
