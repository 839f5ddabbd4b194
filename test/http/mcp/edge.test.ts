import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { edge } from '#http/edge/edge.ts'
import type { Limits, Rate } from '#http/edge/limit/limit.ts'
import { within } from '#http/edge/inner-request.ts'
import { mcp } from '#http/mcp/routes.ts'
import { routes } from '#http/index.ts'
import { caller, scopeOf, served } from '#test/http/serving.ts'

const named = (path: string) => routes.filter((one) => one.path === path)
const ask = (name: string, given: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
})
const headers = { accept: 'application/json, text/event-stream', authorization: 'Bearer x' }

describe('a message of an agent', () => {
  const seen: object[] = []
  let fault: Fault | undefined
  let left = Infinity
  const limiter: Limits = {
    take: async () => ({ isAllowed: left-- > 0, remaining: 0, retryAfter: 7, resetAt: 0 }) as never,
    isOpen: () => true,
  } as never
  const rate: Rate = { perMinute: 60 } as never
  const options = { limits: { limiter, rates: { caller: rate } as never } }
  const handle = async ({ client, query, headers: given }: any) => {
    if (fault) throw fault
    seen.push({ ip: client.ip, requestId: client.requestId, query, token: given.authorization })
    return { items: [], total: 0, page: 1, limit: 20, hasMore: false }
  }
  const teams = named('/teams').map((one) => ({ ...one, handle }))
  const all = [...teams]
  const settings = { publicUrl: 'https://costs.example.com', corsOrigins: [] as string[] }
  const scope = scopeOf({ settings: settings as never }, caller('viewer'))
  const app = edge(all, scope, options)
  const site = served(
    [
      ...all,
      ...mcp(
        all,
        '1',
        within(() => app),
      ),
    ],
    scope,
    options,
  )
  const say = async (body: object, more: Record<string, string> = {}) =>
    site.send('POST', '/mcp', body, { ...headers, ...more })
  const result = async (response: Response) => {
    const { result: found } = (await response.json()) as any
    return [found.isError ?? false, JSON.parse(found.content[0].text)]
  }
  beforeEach(() => {
    fault = undefined
    left = Infinity
    seen.length = 0
  })

  it('has the tools of the routes that are served, and no others', async () => {
    const { result: found } = (await (await say({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).json()) as any
    expect(found.tools.map(({ name }: any) => name)).to.deep.equal(['list_teams'])
  })

  it('has tools that are listed for people too, with the right that each needs', async () => {
    expect((await (await site.get('/mcp/tools', headers)).json()) as object).to.deep.equal({
      data: [{ name: 'list_teams', title: 'List teams, sorted by name', needs: 'service.view', changes: 'nothing' }],
    })
  })

  it('is asked by whoever sent it: with their token, from their address, under the id of their request', async () => {
    const [isError] = await result(await say(ask('list_teams', { page: 2 }), { 'x-request-id': 'r-1' }))
    expect([isError, seen]).to.deep.equal([
      false,
      [{ ip: '127.0.0.1', requestId: 'r-1', query: { page: 2, limit: 20 }, token: 'Bearer x' }],
    ])
  })

  it('is told of a store that is away as the API tells it, and when to come again', async () => {
    fault = Fault.transient('unavailable', 'A store is away.')
    const [isError, { status, code }] = await result(await say(ask('list_teams')))
    expect([isError, status, code]).to.deep.equal([true, 503, 'unavailable'])
  })

  it('is put off by its tool once the rate is used up by what it asks, and by the edge once it is by messages', async () => {
    left = 1
    const [isError, { status, code }] = await result(await say(ask('list_teams')))
    expect([isError, status, code]).to.deep.equal([true, 429, 'rate_limited'])
    left = 0
    const refused = await say(ask('list_teams'))
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '7'])
  })

  it('is answered in JSON whatever of JSON or anything is asked for, and without arguments where they are null', async () => {
    for (const accept of ['*/*', 'application/json', 'application/*;q=0.8, text/html']) {
      const response = await say(ask('list_teams', null as never), { accept })
      expect([response.status, response.headers.get('content-type')]).to.deep.equal([
        200,
        'application/json; charset=utf-8',
      ])
      expect((await result(response))[0]).to.equal(false)
    }
    const refused = await say(ask('list_teams'), { accept: 'text/html' })
    expect(refused.status).to.equal(406)
  })

  it('has questions to begin with, and what can be read without one', async () => {
    const rpc = async (method: string, params: object = {}) =>
      ((await (await say({ jsonrpc: '2.0', id: 1, method, params })).json()) as any).result
    const { prompts } = await rpc('prompts/list')
    expect(prompts.map(({ name }: any) => name)).to.deep.equal([
      'explain_cost_rise',
      'find_waste',
      'prepare_monthly_review',
    ])
    const asked = { name: 'find_waste', arguments: { minimumUSD: '250', other: 'x' } }
    const { messages } = await rpc('prompts/get', asked)
    expect([messages.length, messages[0].role]).to.deep.equal([1, 'user'])
    expect(messages[0].content.text).to.contain('from 250 US dollars a month on')
    // This edge has one of the routes alone.
    const { resources } = await rpc('resources/list')
    expect(resources.map(({ uri }: any) => uri)).to.deep.equal(['tidemark://teams'])
    const { contents } = await rpc('resources/read', { uri: 'tidemark://teams' })
    expect(JSON.parse(contents[0].text).data).to.deep.include({ total: 0, hasMore: false })
    const { error } = (await (
      await say({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'tidemark://other' } })
    ).json()) as any
    expect(error.code).to.equal(-32602)
  })

  it('from a page is taken where it is ours, or of an origin that the operator lets call', async () => {
    const from = async (origin: string, ...allowed: string[]) => {
      settings.corsOrigins = allowed
      const response = await say(ask('list_teams'), { origin })
      return response.status === 200 ? 200 : [response.status, ((await response.json()) as any).code]
    }
    expect(await from('https://costs.example.com')).to.equal(200)
    // By a name that leads to this machine any page could reach a product on it.
    expect(await from('http://rebound.example.net')).to.deep.equal([403, 'cross_site'])
    expect(await from(new URL(site.url).origin)).to.deep.equal([403, 'cross_site'])
    expect(await from('null')).to.deep.equal([403, 'cross_site'])
    expect(await from('https://agent.example.org', 'https://agent.example.org')).to.equal(200)
    expect(await from('https://agent.example.org', '*')).to.equal(200)
  })

  it('that notifies is taken without an answer, and one that names no tool is an error of the protocol', async () => {
    const told = await say({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([told.status, await told.text()]).to.deep.equal([202, ''])
    const { error } = (await (await say(ask('get_resource'))).json()) as any
    expect([error.code, error.message]).to.deep.equal([-32602, 'MCP error -32602: Unknown tool: get_resource.'])
  })
})
