import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { advance, resetClock } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

/** Pulls of a unit metric from a server that stands for a customer's own. */
describe('pulling a unit metric', () => {
  let org: Tenant
  let server: Server
  let answer: RequestListener
  let asked = 0
  let url = ''
  before(async () => {
    server = createServer((request, response) => {
      asked++
      answer(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`
  })
  beforeEach(async () => {
    org = await tenant()
    asked = 0
  })
  afterEach(async () => {
    // Of one that goes on nobody would know why.
    const { items } = (await org.get('/unit-metrics')).body.data
    for (const { id } of items) await org.send('DELETE', `/unit-metrics/${id}`)
    await resetClock()
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const rows = (...given: [string, unknown][]): RequestListener => {
    const list = given.map(([day, count]) => ({ at: { day }, count }))
    return (_request, response) => response.end(JSON.stringify({ data: { list } }))
  }
  const define = async (more: object = {}): Promise<string> => {
    const pull = { url, rowsPath: 'data.list', timestampField: 'at.day', valueField: 'count', intervalMinutes: 15 }
    const metric = { name: 'Orders', key: 'orders', unit: 'order', ingestion: 'pull', aggregation: 'sum' }
    const made = await org.send('POST', '/unit-metrics', { ...metric, pull: { ...pull, ...more } })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    return made.body.data.id as string
  }
  const stored = async () => {
    const all =
      'SELECT toString(toDate(ts)) AS day, value FROM unit_metric_values WHERE org_id = {org:String} ORDER BY ts'
    return (await org.facts<{ day: string; value: number }>(all)).map(({ day, value }) => [day, value])
  }
  const shown = async (id: string) => (await org.get(`/unit-metrics/${id}`)).body.data
  const look = (id: string) => org.send('POST', `/unit-metric-values/${id}/test-pull`)

  it('happens when it is defined and at each interval, with its headers, until it is no longer pulled [UNIT-06]', async () => {
    let key: unknown
    answer = (request, response) => {
      key = `${request.method} ${request.headers['x-key'] as string}`
      rows(['2026-01-01', 5], ['2026-01-02', '6.5'])(request, response)
    }
    const id = await define({ method: 'POST', headers: { 'X-Key': 'k1' } })
    await until('the first pull', async () => (await stored()).length === 2)
    expect([key, await stored()]).to.deep.equal([
      'POST k1',
      [
        ['2026-01-01', 5],
        ['2026-01-02', 6.5],
      ],
    ])
    await until('the time of it', async () => typeof (await shown(id)).lastIngestedAt === 'string')

    answer = rows(['2026-01-02', 7], ['2026-01-03', 8])
    await advance(15 * 60)
    await until('the second pull', async () => (await stored()).length === 3)
    expect(await stored()).to.deep.equal([
      ['2026-01-01', 5],
      ['2026-01-02', 7],
      ['2026-01-03', 8],
    ])
    expect(asked).to.equal(2)

    await org.send('PUT', `/unit-metrics/${id}`, { ingestion: 'push' })
    await advance(15 * 60)
    await org.send('POST', `/unit-metric-values/${id}`, { values: [{ timestamp: '2026-01-04', value: 1 }] })
    expect(asked).to.equal(2)
    const left = `select from reminder where org_id = $1 and kind = 'unit-metric'`
    expect((await org.connections.store.pool.query(left, [org.orgId])).rowCount).to.equal(0)
  })

  it('that fails is told of, keeps nothing, and is tried again at the next interval [UNIT-06]', async () => {
    answer = rows(['2026-01-01', 5], ['2026-01-02', null])
    const id = await define()
    await until('the failure', async () => (await shown(id)).pullFailure !== null)
    expect((await shown(id)).pullFailure).to.equal('Row 2 of the response has no number at "count".')
    expect([asked, await stored()]).to.deep.equal([1, []])
    answer = rows(['2026-01-01', 5])
    await advance(15 * 60)
    await until('the next pull', async () => (await stored()).length === 1)
    await until('the failure to be gone', async () => (await shown(id)).pullFailure === null)
    expect(asked).to.equal(2)
  })

  it('once for a look shows at most a hundred rows and keeps nothing [UNIT-04]', async () => {
    answer = rows()
    const id = await define()
    await until('the first pull', async () => asked === 1)
    const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString()
    const many = Array.from({ length: 101 }, (_, n): [string, number] => [day(n), n])
    answer = rows(...many)
    const cut = (await look(id)).body.data
    expect([cut.rows.length, cut.truncated]).to.deep.equal([100, true])
    answer = rows(...many.slice(0, 100))
    expect((await look(id)).body.data.truncated).to.equal(false)
    answer = rows(['2026-01-01', 5], ['2026-01-02T12:00:00Z', 6])
    const { status, body } = await look(id)
    expect([status, body.data]).to.deep.equal([
      200,
      {
        rows: [
          { timestamp: '2026-01-01T00:00:00.000Z', value: 5 },
          { timestamp: '2026-01-02T12:00:00.000Z', value: 6 },
        ],
        truncated: false,
      },
    ])
    expect([await stored(), (await shown(id)).lastIngestedAt]).to.deep.equal([[], null])
  })

  it('once for a look says what is wrong with the answer [UNIT-04]', async () => {
    answer = rows()
    const id = await define()
    await until('the first pull', async () => asked === 1)
    const answers: [string, RequestListener][] = [
      ['The server returned HTTP 404.', (_request, response) => response.writeHead(404).end('{}')],
      ['The server returned HTTP 302.', (_request, response) => response.writeHead(302, { Location: url }).end()],
      ['The response is not valid JSON.', (_request, response) => response.end('<html>')],
      ['The response has no list at "data.list".', (_request, response) => response.end('{"data":{"list":{}}}')],
      ['Row 1 of the response has no time at "at.day".', rows(['soon', 1])],
      ['Row 2 of the response has no number at "count".', rows(['2026-01-01', 1], ['2026-01-01', '1e99'])],
      [
        'The response is larger than 10485760 bytes.',
        (_request, response) => response.end(' '.repeat(10 * 1024 * 1024 + 1)),
      ],
      ['The server could not be reached (ECONNRESET).', (_request, response) => response.destroy()],
    ]
    const found: unknown[] = []
    for (const [, listener] of answers) {
      answer = listener
      const { status, body } = await look(id)
      found.push([status, body.code, body.detail])
    }
    expect(found).to.deep.equal(answers.map(([detail]) => [502, 'upstream_failed', detail]))
    expect(await stored()).to.deep.equal([])
  })

  it('once for a look needs something to pull, and an address that is not private [UNIT-04]', async () => {
    answer = rows()
    const id = await define()
    await until('the first pull', async () => asked === 1)
    const { settings } = org.connections
    settings.allowPrivateAddresses = false
    try {
      const { status, body } = await look(id)
      expect([status, body.code, asked]).to.deep.equal([422, 'address_refused', 1])
      const said = await org.send('PUT', `/unit-metrics/${id}`, {
        pull: { url: 'https://10.0.0.1/', timestampField: 'a', valueField: 'b', intervalMinutes: 15 },
      })
      expect([said.status, said.body.errors[0].name]).to.deep.equal([400, '/pull/url'])
    } finally {
      settings.allowPrivateAddresses = true
    }
    await org.send('PUT', `/unit-metrics/${id}`, { ingestion: 'csv' })
    const { status, body } = await look(id)
    expect([status, body.code]).to.deep.equal([422, 'no_pull'])
  })
})
