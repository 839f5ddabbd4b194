import { expect } from 'chai'
import { Registry } from 'prom-client'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { measureRequests } from '#http/edge/limit/measure.ts'
import { route } from '#http/edge/route.ts'
import { served } from '#test/http/serving.ts'

const reply = t.Object({ id: t.String() })
const params = t.Object({ id: t.String() })

describe('the metrics of requests', () => {
  const registry = new Registry()
  const routes = [
    route({
      method: 'GET',
      path: '/things/:id',
      summary: '',
      permission: 'public',
      params,
      reply,
      refuses: { 422: ['limit_reached'] },
      handle: async ({ params: { id } }) => {
        if (id === 'gone') throw Fault.missing('thing', id)
        if (id === 'full') throw Fault.refused('limit_reached', 'There are ten.')
        if (id === 'busy') throw Fault.invalid('rate_limited', 'Slow down.')
        if (id === 'broken') throw new Error('broken')
        return { id }
      },
    }),
    route({
      method: 'POST',
      path: '/things',
      summary: '',
      permission: 'public',
      body: params,
      reply,
      status: 201,
      handle: async ({ body }) => body,
    }),
  ]
  const site = served(routes, undefined, { measure: measureRequests(registry) })

  /** The counts by `method route status`. */
  async function counts(): Promise<Record<string, number>> {
    const { values } = await registry.getSingleMetric('tidemark_http_requests_total')!.get()
    return Object.fromEntries(
      values.map(({ labels: { method, route, status }, value }) => [`${method} ${route} ${status}`, value]),
    )
  }

  it('tell method, declared route and status, and nothing that was asked', async () => {
    for (const path of [
      '/things/a',
      '/api/things/b',
      '/things/gone',
      '/things/broken',
      '/things/b?secret=c',
      '/x/1',
      '/x/2',
      '/%ff',
    ])
      await (await site.get(path)).text()
    await site.send('POST', '/things', { id: 'a' })
    await site.send('POST', '/things', { name: 'a' })
    await site.send('DELETE', '/things/a')
    await site.send('HEAD', '/things/a')
    await site.send('PROPFIND', '/things/a')
    await site.send('LOCK', '/x')
    expect(await counts()).to.deep.equal({
      'GET /things/:id 200': 2,
      'GET /things/:id 400': 1,
      'GET /things/:id 404': 1,
      'GET /things/:id 500': 1,
      'GET (none) 404': 2,
      'GET (none) 400': 1,
      'POST /things 201': 1,
      'POST /things 400': 1,
      'DELETE (none) 405': 1,
      'HEAD /things/:id 200': 1,
      'other (none) 405': 1,
      'other (none) 404': 1,
    })
    const text = await registry.metrics()
    for (const asked of ['secret', '/api', '"/x', 'gone']) expect(text).to.not.include(asked)
  })

  it('time each route by method', async () => {
    const of = (labels: string) => new RegExp(`^tidemark_http_request_seconds_count{${labels}} (\\d+)$`, 'm')
    const text = await registry.metrics()
    expect(of('method="GET",route="/things/:id"').exec(text)?.[1]).to.equal('5')
    expect(of('method="POST",route="/things"').exec(text)?.[1]).to.equal('2')
    const sum = /_seconds_sum{method="GET",route="\/things\/:id"} ([\d.e-]+)$/m.exec(text)![1]
    expect(Number(sum)).to.be.within(0.000_01, 5)
  })

  it('count what quotas refuse, by its code, and nothing else [G-125]', async () => {
    for (const path of ['/things/full', '/things/busy', '/things/busy', '/things/gone', '/things/a', '/x'])
      await (await site.get(path)).text()
    const { values } = await registry.getSingleMetric('tidemark_quota_refusals_total')!.get()
    expect(values.map(({ labels: { code }, value }) => [code, value])).to.deep.equal([
      ['limit_reached', 1],
      ['rate_limited', 2],
    ])
  })
})
