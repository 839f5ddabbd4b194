import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { list, paging } from '#http/edge/parameter/paging.ts'
import { statusOf } from '#http/edge/problem.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'
import { caller, problem, scopeOf, served } from '#test/http/serving.ts'

const open = { permission: 'service.view', summary: 'a test' } as const

const faults: Record<string, Fault> = {
  invalid: Fault.invalid('validation_failed', 'No.'),
  unauthenticated: Fault.unauthenticated('invalid_token', 'No.'),
  forbidden: Fault.forbidden('forbidden', 'No.'),
  missing: Fault.missing('thing', 'x'),
  conflict: Fault.conflict('invalid_transition', 'No.'),
  refused: Fault.refused('not_schedulable', 'No.'),
  transient: Fault.transient('unavailable', 'Not now.', new Error('the password is swordfish')),
  limited: Fault.invalid('rate_limited', 'Slowly.', { retryAfter: 17 }),
  upstream: Fault.transient('upstream_failed', 'Their fault.'),
  cloud: new Fault('refused', 'quota', 'Over quota.', { bucket: 'user_action', fixHint: 'Ask for more.' }),
  defect: new Fault('defect', 'boom', 'secret: swordfish', { secret: 'swordfish' }),
}

const routes: Route[] = [
  route({
    ...open,
    method: 'GET',
    path: '/things/:thingID',
    params: t.Object({ thingID: t.String({ maxLength: 40 }) }),
    reply: t.Object({ id: t.String() }),
    handle: async ({ params }) => ({ id: params.thingID }),
  }),
  route({
    ...open,
    method: 'GET',
    path: '/things/count',
    reply: t.Object({ count: t.Integer() }),
    handle: async () => ({ count: 3 }),
  }),
  route({
    ...open,
    method: 'GET',
    path: '/things',
    query: t.Object({
      ...paging(20, 100),
      kind: t.Optional(list(t.String(), { maxItems: 3 })),
      wanted: t.Optional(t.Boolean()),
      size: t.Optional(t.Number()),
      order: t.Enum(['up', 'down'], { default: 'up' }),
      name: t.Optional(t.String()),
    }),
    reply: t.Unknown(),
    handle: async ({ query }) => query,
  }),
  route({
    ...open,
    method: 'POST',
    path: '/things',
    status: 201,
    body: t.Object({
      name: t.String(),
      size: t.Integer(),
      tags: t.Optional(t.Record(t.String(), t.Unknown())),
      inner: t.Optional(t.Object({ a: t.Optional(t.String()) })),
    }),
    reply: t.Unknown(),
    handle: async ({ body }) => reply(body, { headers: { Location: '/things/1' } }),
  }),
  route({
    ...open,
    method: 'PATCH',
    path: '/things',
    body: t.Object({ name: t.Optional(t.String()) }),
    reply: t.Unknown(),
    handle: async ({ body }) => body,
  }),
  route({ ...open, method: 'DELETE', path: '/things/:thingID', status: 204, handle: async () => {} }),
  route({
    ...open,
    method: 'GET',
    path: '/bare',
    bare: true,
    deprecated: { since: '2026-01-01', sunset: '2027-01-01T00:00:00Z', link: '/things' },
    reply: t.Object({ items: t.Array(t.Unknown()) }),
    handle: async () => ({ items: [] }),
  }),
  route({
    ...open,
    method: 'GET',
    path: '/liar',
    reply: t.Object({ id: t.String() }),
    handle: async () => ({ id: 5 }) as never,
  }),
  route({
    ...open,
    method: 'GET',
    path: '/crash',
    reply: t.Unknown(),
    handle: async () => {
      throw new TypeError('swordfish is not a function')
    },
  }),
  ...Object.entries(faults).map(([name, fault]) =>
    route({
      ...open,
      method: 'GET',
      path: `/fault/${name}`,
      refuses: { [statusOf(fault)]: [fault.code] },
      reply: t.Unknown(),
      handle: async () => {
        throw fault
      },
    }),
  ),
]

describe('http edge', () => {
  const site = served(routes)

  describe('answers', () => {
    it('wraps payloads in data, as application/json [GEN-01] [GEN-03]', async () => {
      const r = await site.get('/things/count')
      expect(r.status).to.equal(200)
      expect(r.headers.get('content-type')).to.equal('application/json; charset=utf-8')
      expect(await r.json()).to.deep.equal({ data: { count: 3 } })
    })
    it('leaves data out where the endpoint is declared bare, and says when it goes away [GEN-06]', async () => {
      const r = await site.get('/bare')
      expect(await r.json()).to.deep.equal({ items: [] })
      expect(r.headers.get('deprecation')).to.equal('@1767225600')
      expect(r.headers.get('sunset')).to.equal('Fri, 01 Jan 2027 00:00:00 GMT')
      expect(r.headers.get('link')).to.equal('</things>; rel="deprecation"')
    })
    it('refuses a limit above the maximum where strict handling is preferred, and says that it was', async () => {
      const lenient = await site.get('/things?limit=500')
      expect([lenient.status, lenient.headers.get('preference-applied')]).to.deep.equal([200, null])
      const strict = await site.get('/things?limit=500', { prefer: 'respond-async, handling=strict' })
      expect(strict.headers.get('preference-applied')).to.equal('handling=strict')
      expect(await problem(strict)).to.deep.include({ status: 400, code: 'limit_too_large' })
      expect((await site.get('/things?limit=100', { prefer: 'handling=strict' })).status).to.equal(200)
    })
    it('answers creation with 201 and Location, deletion with 204 and no body', async () => {
      const created = await site.send('POST', '/things', { name: 'a', size: 1 })
      expect(created.status).to.equal(201)
      expect(created.headers.get('location')).to.equal('/things/1')
      const deleted = await site.send('DELETE', '/things/1')
      expect(deleted.status).to.equal(204)
      expect(await deleted.text()).to.equal('')
    })
    it('answers HEAD as GET without a body', async () => {
      const r = await site.send('HEAD', '/things/count')
      expect(r.status).to.equal(200)
      expect(r.headers.get('content-length')).to.equal('20')
      expect(await r.text()).to.equal('')
    })
    it('gives every answer a request id, its own or the one it was sent, and the version of the contract', async () => {
      const own = await site.get('/things/count')
      expect(own.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/)
      expect(own.headers.get('api-version')).to.equal('1')
      const given = await site.get('/nowhere', { 'x-request-id': 'trace-1.a:b_c' })
      expect(given.headers.get('x-request-id')).to.equal('trace-1.a:b_c')
      expect((await problem(given))['requestId']).to.equal('trace-1.a:b_c')
      const strange = await site.get('/things/count', { 'x-request-id': '<script>' })
      expect(strange.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/)
    })
    it('sets security headers that let an answer load and embed nothing', async () => {
      const { headers } = await site.get('/things/count')
      expect(headers.get('content-security-policy')).to.equal(
        "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
      )
      expect(headers.get('x-content-type-options')).to.equal('nosniff')
      expect(headers.get('strict-transport-security')).to.match(/^max-age=31536000; ?includeSubDomains$/)
      expect(headers.get('x-frame-options')).to.equal('DENY')
      expect(headers.get('referrer-policy')).to.equal('no-referrer')
      expect(headers.get('x-powered-by')).to.equal(null)
    })
    it('answers 500 when a payload is not what the route declares and replies are verified', async () => {
      expect((await site.get('/liar')).status).to.equal(500)
    })
  })

  describe('paths', () => {
    it('takes /api in front of every path [GEN-18]', async () => {
      expect(await (await site.get('/api/things/count')).json()).to.deep.equal({ data: { count: 3 } })
      expect((await problem(await site.get('/api/nowhere')))['instance']).to.equal('/api/nowhere')
      expect((await site.get('/apis/things/count')).status).to.equal(404)
    })
    it('prefers fixed segments to parameters, whatever the order of declaration [GEN-16]', async () => {
      expect(await (await site.get('/things/count')).json()).to.deep.equal({ data: { count: 3 } })
      expect(await (await site.get('/things/counter')).json()).to.deep.equal({ data: { id: 'counter' } })
    })
    it('decodes slashes and signs of path parameters once [GEN-15]', async () => {
      const r = await site.get('/things/projects%2Fp%2Fi%20%E2%82%AC%252F')
      expect(await r.json()).to.deep.equal({ data: { id: 'projects/p/i €%2F' } })
    })
    it('refuses paths that are not percent-encoded text', async () => {
      expect((await site.get('/things/%ZZ')).status).to.equal(400)
      expect((await site.get('/things/%ff')).status).to.equal(400)
      const nul = await problem(await site.get('/things/a%00b'))
      expect(nul['errors']).to.deep.equal([
        { in: 'path', name: 'thingID', code: 'text', message: 'contains a character that is not allowed in text' },
      ])
    })
    it('names a path parameter that is wrong [LIM-05]', async () => {
      const body = await problem(await site.get(`/things/${'x'.repeat(41)}`))
      expect(body['status']).to.equal(400)
      expect(body['errors']).to.have.length(1)
      expect(body['errors'][0]).to.include({ in: 'path', name: 'thingID', code: 'maxLength' })
    })
    it('answers unknown paths with a 404 problem [LIM-06]', async () => {
      const r = await site.get('/nowhere', { 'x-request-id': 'r1' })
      expect(r.status).to.equal(404)
      expect(await problem(r)).to.deep.equal({
        type: 'urn:tidemark:problem:not_found',
        title: 'Not found',
        status: 404,
        detail: 'No such path.',
        instance: '/nowhere',
        code: 'not_found',
        requestId: 'r1',
      })
    })
    it('answers unknown methods of known paths with 405 and the known ones', async () => {
      for (const method of ['PUT', 'DELETE', 'PROPFIND']) {
        const r = await site.send(method, '/things')
        expect(r.status).to.equal(405)
        expect(r.headers.get('allow')).to.equal('GET, HEAD, PATCH, POST')
        expect((await problem(r))['code']).to.equal('method_not_allowed')
      }
      const options = await site.send('OPTIONS', '/things')
      expect(options.status).to.equal(204)
      expect(options.headers.get('allow')).to.equal('GET, HEAD, PATCH, POST')
    })
  })

  describe('faults', () => {
    const expected: Record<string, [number, string]> = {
      invalid: [400, 'validation_failed'],
      unauthenticated: [401, 'invalid_token'],
      forbidden: [403, 'forbidden'],
      missing: [404, 'not_found'],
      conflict: [409, 'invalid_transition'],
      refused: [422, 'not_schedulable'],
      limited: [429, 'rate_limited'],
      upstream: [502, 'upstream_failed'],
      transient: [503, 'unavailable'],
      defect: [500, 'internal'],
    }
    for (const [name, [status, code]] of Object.entries(expected)) {
      it(`answers ${name} with ${status} ${code} and every member of a problem [LIM-06]`, async () => {
        const r = await site.get(`/fault/${name}`)
        expect(r.status).to.equal(status)
        const body = await problem(r)
        expect(body).to.include({ type: `urn:tidemark:problem:${code}`, status, code, instance: `/fault/${name}` })
        expect(body).to.include.keys('title', 'detail', 'requestId')
        expect(JSON.stringify(body)).not.to.contain('swordfish')
      })
    }
    it('says with 401 how to come in, with 429 and 503 when to come back', async () => {
      expect((await site.get('/fault/unauthenticated')).headers.get('www-authenticate')).to.equal('Bearer')
      expect((await site.get('/fault/limited')).headers.get('retry-after')).to.equal('17')
      expect((await site.get('/fault/transient')).headers.get('retry-after')).to.equal('5')
    })
    it('tells nothing of what it did not expect', async () => {
      const r = await site.get('/crash')
      expect(r.status).to.equal(500)
      const body = await problem(r)
      expect(body).to.include({ code: 'internal', detail: 'An internal error occurred.' })
      expect(JSON.stringify(body)).not.to.contain('swordfish')
    })
    it('passes on who can act on a fault of a cloud', async () => {
      const body = await problem(await site.get('/fault/cloud'))
      expect(body).to.include({ status: 422, bucket: 'user_action', retryable: false, fixHint: 'Ask for more.' })
    })
  })

  describe('query strings', () => {
    const query = async (text: string) => ((await (await site.get(`/things?${text}`)).json()) as any).data
    const errors = async (text: string) => (await problem(await site.get(`/things?${text}`)))['errors']

    it('fills in defaults [GEN-11]', async () => {
      expect(await query('name=')).to.deep.equal({ page: 1, limit: 20, order: 'up', name: '' })
    })
    it('reads numbers, booleans and lists, repeated or joined by commas', async () => {
      expect(await query('page=2&limit=5&wanted=false&size=1.5&kind=a,b&kind=c&order=down')).to.deep.equal({
        page: 2,
        limit: 5,
        wanted: false,
        size: 1.5,
        kind: ['a', 'b', 'c'],
        order: 'down',
      })
    })
    it('takes a limit over the maximum as the maximum [LIM-01]', async () => {
      expect(await query('limit=101')).to.include({ limit: 100 })
      expect(await query('limit=99999999999999999999999')).to.include({ limit: 100 })
    })
    for (const bad of ['0', '-1', 'abc', '1.5', '', '1e3', '0x10', ' 1', '101.5', 'NaN']) {
      it(`refuses the limit and the page "${bad}" [LIM-02] [GEN-11]`, async () => {
        for (const name of ['limit', 'page']) {
          const found = await errors(`${name}=${encodeURIComponent(bad)}`)
          expect(found.map((e: any) => [e.in, e.name])).to.deep.equal([['query', name]])
        }
      })
    }
    it('names every wrong parameter, not only the first [LIM-05]', async () => {
      const found = await errors('limit=0&wanted=maybe&order=sideways&kind=a,b,c,d')
      expect(found.map((e: any) => e.name).toSorted()).to.deep.equal(['kind', 'limit', 'order', 'wanted'])
    })
    it('refuses a parameter given twice where one value is taken', async () => {
      expect(await errors('order=up&order=down')).to.deep.equal([
        { in: 'query', name: 'order', code: 'repeated', message: 'must be given only once' },
      ])
    })
    it('refuses NUL, which no store takes', async () => {
      expect((await errors('name=a%00b'))[0]).to.include({ in: 'query', name: 'name', code: 'text' })
      expect((await errors('kind=a,b%00'))[0]).to.include({ in: 'query', name: 'kind', code: 'text' })
    })
  })
})

describe('http permissions', () => {
  const ok = { reply: t.Object({}), handle: async () => ({}) }
  const guarded = [
    route({ ...ok, method: 'GET', path: '/view', summary: '', permission: 'space.view' }),
    route({ ...ok, method: 'POST', path: '/create', summary: '', permission: 'space.create' }),
    route({ ...ok, method: 'DELETE', path: '/delete', summary: '', permission: 'space.delete' }),
    route({ ...ok, method: 'POST', path: '/admin', summary: '', permission: 'admin' }),
    route({ ...ok, method: 'GET', path: '/public', summary: '', permission: 'public' }),
  ]
  const allowed = { owner: 5, admin: 5, editor: 3, viewer: 2 } as const
  for (const role of ['owner', 'admin', 'editor', 'viewer'] as const) {
    describe(role, () => {
      const site = served(guarded, scopeOf({}, caller(role)))
      it(`may use ${allowed[role]} of the five, and gets 403 forbidden for the others`, async () => {
        const statuses = await Promise.all(guarded.map(async (r) => (await site.send(r.method, r.path)).status))
        expect(statuses.filter((status) => status === 200)).to.have.length(allowed[role])
        expect(statuses.filter((status) => status === 403)).to.have.length(5 - allowed[role])
      })
    })
  }
})
