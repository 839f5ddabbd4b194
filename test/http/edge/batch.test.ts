import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { batches } from '#http/edge/batch/routes.ts'
import { edge } from '#http/edge/edge.ts'
import { within } from '#http/edge/inner-request.ts'
import type { Limits } from '#http/edge/limit/limit.ts'
import { route } from '#http/edge/route.ts'
import { reply } from '#http/store/reply.ts'
import { caller, problem, scopeOf, served } from '#test/http/serving.ts'

const seen: object[] = []
const plain = { permission: 'service.view', reply: t.Unknown() } as const
const all = [
  route({
    ...plain,
    method: 'GET',
    path: '/sums/:id',
    summary: 'A sum',
    params: t.Object({ id: t.String() }),
    query: t.Object({ from: t.Optional(t.String()) }),
    handle: async ({ params, query, client, headers }) => {
      seen.push({ ip: client.ip, requestId: client.requestId, token: headers['authorization'] })
      return { ...params, ...query }
    },
  }),
  route({
    ...plain,
    method: 'GET',
    path: '/list',
    summary: 'A list',
    handle: async () => reply([1, 2], { headers: { 'X-Total-Count': '7' } }),
  }),
  route({
    ...plain,
    method: 'GET',
    path: '/broken',
    summary: 'Away',
    handle: async () => {
      throw Fault.transient('unavailable', 'A store is away.')
    },
  }),
  route({ ...plain, method: 'GET', path: '/admin', permission: 'admin', summary: 'Of admins', handle: async () => 1 }),
  route({
    ...plain,
    method: 'GET',
    path: '/sums/stream',
    media: 'text/event-stream',
    summary: 'Endless',
    handle: async () => '',
  }),
  route({ ...plain, method: 'GET', path: '/open', permission: 'public', summary: 'Of anyone', handle: async () => 1 }),
  route({ ...plain, method: 'GET', path: '/token', secret: true, summary: 'A secret', handle: async () => 1 }),
  route({ ...plain, method: 'POST', path: '/change', summary: 'A change', handle: async () => 1 }),
]

describe('a batch of requests', () => {
  let taken = 0
  let left = Infinity
  const limiter = {
    take: async () => {
      taken++
      return { isAllowed: left-- > 0, remaining: 0, retryAfter: 7, resetAt: 0 }
    },
    isOpen: () => true,
  } as unknown as Limits
  const options = { limits: { limiter, rates: { caller: { perMinute: 60 } } as never } }
  const scope = scopeOf({}, caller('viewer'))
  const app = edge(all, scope, options)
  const site = served(
    [
      ...all,
      ...batches(
        all,
        within(() => app),
      ),
    ],
    scope,
    options,
  )
  beforeEach(() => {
    left = Infinity
    taken = 0
    seen.length = 0
  })

  const ask = (paths: readonly string[], headers = {}) => site.send('POST', '/batch', { paths }, headers)
  /** In the order of the paths. */
  const parts = async (paths: readonly string[], headers = {}): Promise<any[]> => {
    const response = await ask(paths, headers)
    expect([response.status, response.headers.get('content-type')]).to.deep.equal([200, 'application/x-ndjson'])
    const lines = (await response.text()).trimEnd().split('\n')
    const found = lines.map((line) => JSON.parse(line) as { index: number })
    return found.toSorted((a, b) => a.index - b.index)
  }

  it('answers each path as it would be answered alone, with its query and the headers of lists', async () => {
    expect(await parts(['/sums/a?from=2026-01-01', '/api/sums/b', '/list'])).to.deep.equal([
      { index: 0, status: 200, headers: {}, body: { data: { id: 'a', from: '2026-01-01' } } },
      { index: 1, status: 200, headers: {}, body: { data: { id: 'b' } } },
      { index: 2, status: 200, headers: { 'x-total-count': '7' }, body: { data: [1, 2] } },
    ])
  })

  it('is asked as its caller, from their address, under the ID of their request', async () => {
    await parts(['/sums/a'], { authorization: 'Bearer x', 'x-request-id': 'r-1' })
    expect(seen).to.deep.equal([{ ip: '127.0.0.1', requestId: 'r-1', token: 'Bearer x' }])
  })

  it('has an error for the part that fails alone: a missing permission, a store that is away, a wrong parameter', async () => {
    const found = await parts(['/admin', '/broken', '/sums/a?to=1', '/nowhere', '/list'])
    expect(found.map(({ status, body }) => [status, body.code ?? 'fine'])).to.deep.equal([
      [403, 'forbidden'],
      [503, 'unavailable'],
      [400, 'invalid_parameter'],
      [400, 'not_batchable'],
      [200, 'fine'],
    ])
    expect(found[1].headers).to.deep.equal({ 'retry-after': '5' })
  })

  it('takes no stream, no secret, no public path, no change, no other host, and no batch', async () => {
    const paths = ['/sums/stream', '/token', '/open', '/change', '//other.example/list', 'list', '/batch']
    expect((await parts(paths)).map(({ status, body }) => [status, body.code])).to.deep.equal(
      paths.map(() => [400, 'not_batchable']),
    )
  })

  it('counts each part against the rate limit of its caller, and itself', async () => {
    await parts(['/list', '/list', '/sums/a'])
    expect(taken).to.equal(4)
    left = 2
    taken = 0
    const found = await parts(['/list', '/list'])
    expect(found.map(({ status }) => status).toSorted()).to.deep.equal([200, 429])
  })

  it('takes 1 to 40 paths', async () => {
    for (const paths of [[], Array.from({ length: 41 }, () => '/list')]) {
      const response = await ask(paths)
      expect([response.status, (await problem(response))['code']]).to.deep.equal([400, 'validation_failed'])
    }
    expect(await parts(Array.from({ length: 40 }, () => '/list'))).to.have.length(40)
  })
})
