import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { budgetExceeded, message } from '#test/harness/notice.ts'
import { inside, refusedUrls } from '#test/harness/inside.ts'
import { googleChatBody } from '#streams/delivery/format/google-chat.ts'
import { slackBody } from '#streams/delivery/format/slack.ts'
import { teamsBody } from '#streams/delivery/format/teams.ts'
import type { DeliveryOutcome } from '#streams/delivery/outcome.ts'
import { postChat, type PostOptions } from '#streams/delivery/post.ts'
import type { ChatType } from '#streams/notification/channel.ts'

const now = () => new Date('2026-01-16T04:30:05.999Z')
const secret = 'c2VjcmV0'

const post = (url: string, options: Partial<PostOptions> = {}, type: ChatType = 'slack'): Promise<DeliveryOutcome> =>
  postChat(type, { url, secret, message: message(budgetExceeded), now }, { allowPrivate: false, ...options })

const intoPrivate: DeliveryOutcome = {
  outcome: 'final',
  responseStatus: 0,
  message: 'The URL points to a private network.',
}

describe('a post to an address that leads inside', () => {
  for (const [what, address] of Object.entries(inside))
    it(`is refused for good, and never made: ${what}, ${address} [NOTIF-56]`, async () => {
      const family = address.includes(':') ? 6 : 4
      expect(await post(`https://${family === 6 ? `[${address}]` : address}/`)).to.deep.equal(intoPrivate)
      const resolve = async () => [{ address, family }]
      expect(await post('https://hooks.example/', { resolve })).to.deep.equal(intoPrivate)
    })

  for (const url of refusedUrls)
    it(`is refused for good: ${url}`, async () => {
      const { outcome, responseStatus, message: said } = await post(url)
      expect({ outcome, responseStatus }).to.deep.equal({ outcome: 'final', responseStatus: 0 })
      expect(said).to.match(/^The URL (points to a private network|must [a-z :/]+)\.$/)
    })
})

describe('a post to a chat', () => {
  let server: Server
  let url = ''
  let answer: RequestListener = (_request, response) => response.end()
  const received: { request: IncomingMessage; body: string }[] = []
  before(async () => {
    server = createServer((request, response) => {
      request.toArray().then((chunks) => {
        received.push({ request, body: Buffer.concat(chunks).toString() })
        answer(request, response)
      }, console.error)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T1/B1/secret`
  })
  beforeEach(() => received.splice(0))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const there = { allowPrivate: true }
  const status =
    (code: number, headers: Record<string, string> = {}): RequestListener =>
    (_request, response) =>
      response.writeHead(code, headers).end('invalid_token')

  it('is the body of its medium, named by event and delivery and signed over time and body, every try alike', async () => {
    answer = status(200)
    for (const type of ['slack', 'teams', 'google_chat', 'slack'] as const)
      expect(await post(url, there, type)).to.deep.equal({ outcome: 'delivered', responseStatus: 200, message: '' })
    const bodies = [slackBody, teamsBody, googleChatBody, slackBody].map((make) => make(message(budgetExceeded)))
    expect(received.map(({ body }) => JSON.parse(body) as object)).to.deep.equal(bodies)
    for (const { request, body } of received) {
      const { headers, method, url: path } = request
      const signature = createHmac('sha256', 'c2VjcmV0').update('1768537805.').update(body).digest('hex')
      expect([method, path]).to.deep.equal(['POST', '/services/T1/B1/secret'])
      expect({
        type: headers['content-type'],
        agent: headers['user-agent'],
        event: headers['x-tidemark-event'],
        delivery: headers['x-tidemark-delivery'],
        timestamp: headers['x-tidemark-timestamp'],
        signature: headers['x-tidemark-signature'],
      }).to.deep.equal({
        type: 'application/json; charset=utf-8',
        agent: 'Tidemark-Notifications/1',
        event: 'budget.exceeded',
        delivery: 'd-1',
        timestamp: '1768537805',
        signature: `v1=${signature}`,
      })
    }
  })

  it('has the key of the address where the service wants it, and never in its path', async () => {
    answer = status(202)
    for (const type of ['pagerduty', 'opsgenie', 'generic_webhook'] as const)
      expect((await post(`${url}#key-1234`, there, type)).outcome).to.equal('delivered')
    expect(received.map(({ request }) => [request.url, request.headers.authorization])).to.deep.equal([
      ['/services/T1/B1/secret', undefined],
      ['/services/T1/B1/secret', 'GenieKey key-1234'],
      ['/services/T1/B1/secret', undefined],
    ])
    expect(received.map(({ body }) => JSON.parse(body).routing_key)).to.deep.equal(['key-1234', undefined, undefined])
  })

  for (const code of [200, 201, 204, 299])
    it(`is delivered by ${code}, whatever the body says`, async () => {
      answer = status(code)
      expect(await post(url, there)).to.deep.equal({ outcome: 'delivered', responseStatus: code, message: '' })
    })

  for (const code of [300, 302, 307, 400, 401, 403, 404, 405, 410, 413, 422])
    it(`is given up on ${code}, and not made again elsewhere`, async () => {
      answer = status(code, { location: `${url}/elsewhere`, 'retry-after': '5' })
      expect(await post(url, there)).to.deep.equal({
        outcome: 'final',
        responseStatus: code,
        message: `The server returned HTTP ${code}.`,
      })
      expect(received).to.have.length(1)
    })

  for (const code of [408, 429, 500, 502, 503, 504])
    it(`is tried again after ${code}`, async () => {
      answer = status(code)
      expect(await post(url, there)).to.deep.equal({
        outcome: 'retry',
        responseStatus: code,
        message: `The server returned HTTP ${code}.`,
      })
    })

  for (const [said, ms] of [
    ['0', 0],
    ['30', 30_000],
    ['86400', 900_000],
    ['99999999999999999999', 900_000],
    ['Fri, 16 Jan 2026 04:31:05 GMT', 59_001],
    ['Fri, 16 Jan 2026 04:00:00 GMT', 0],
    ['Sat, 17 Jan 2026 04:30:05 GMT', 900_000],
    ['soon', undefined],
    ['', undefined],
  ] as const)
    it(`is tried again when the receiver says, in a quarter of an hour at most: ${said || 'nothing'}`, async () => {
      answer = status(429, { 'retry-after': said })
      const { retryAfterMs } = await post(url, there)
      expect(retryAfterMs).to.equal(ms)
    })

  it('is tried again when nothing comes in time, too much comes, the connection breaks or nobody listens', async () => {
    const retry = (said: string): DeliveryOutcome => ({ outcome: 'retry', responseStatus: 0, message: said })
    answer = () => {}
    expect(await post(url, { ...there, timeoutMs: 100 })).to.deep.equal(
      retry('The server did not respond within 100 ms.'),
    )
    answer = (_request, response) => response.end('x'.repeat(65_537))
    expect(await post(url, there)).to.deep.equal(retry('The response is larger than 65536 bytes.'))
    answer = (_request, response) => response.destroy()
    expect(await post(url, there)).to.deep.equal(retry('The server could not be reached (ECONNRESET).'))
    expect(await post('http://127.0.0.1:1/', there)).to.deep.equal(
      retry('The server could not be reached (ECONNREFUSED).'),
    )
  })

  it('goes to the address that was checked, whatever its name leads to a moment later', async () => {
    answer = status(200)
    let asked = 0
    const resolve = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '127.0.0.9', family: 4 }]
    const { port } = new URL(url)
    expect((await post(`http://hooks.example:${port}/`, { ...there, resolve })).outcome).to.equal('delivered')
    expect(asked).to.equal(1)
    expect(received.map(({ request }) => request.headers.host)).to.deep.equal([`hooks.example:${port}`])
  })

  it('is tried again when its name is not known, without saying the name', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND x'), { code: 'ENOTFOUND' }))
    expect(await post('https://hooks.example/', { resolve })).to.deep.equal({
      outcome: 'retry',
      responseStatus: 0,
      message: 'The host name of the URL does not resolve.',
    })
  })
})
