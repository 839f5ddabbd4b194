import { expect } from 'chai'
import type { requestTogether } from '#http/console/web/batch.ts'
import { fakePage, type FakePage } from '#test/console/fake-page.ts'

const url = 'https://costs.example.com/api/console/'

interface Sent {
  address: string
  body: unknown
  token: string | null
}

describe('requests of a page that start together', () => {
  let page: FakePage
  let together: typeof requestTogether
  let sent: Sent[]
  /** What the API answers. */
  let answer: (address: string) => Response
  const { fetch: ownFetch } = globalThis

  before(async () => {
    page = fakePage(url)
    ;({ requestTogether: together } = await import('#http/console/web/batch.ts'))
    globalThis.fetch = (async (to: URL, init: RequestInit = {}) => {
      const body = typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined
      sent.push({ address: to.pathname, body, token: new Headers(init.headers).get('authorization') })
      return answer(to.pathname)
    }) as typeof fetch
  })
  after(() => {
    page.close()
    globalThis.fetch = ownFetch
  })
  beforeEach(() => {
    sent = []
    answer = () => new Response(null, { status: 500 })
  })

  const alone = (path: string) => async () => {
    sent.push({ address: path, body: undefined, token: null })
    return Response.json({ data: path })
  }
  const request = (path: string, { token = 't-1', signal }: { token?: string; signal?: AbortSignal } = {}) =>
    together({ url: new URL(`https://costs.example.com/api${path}`), token, signal, alone: alone(path) })
  const line = (index: number, status: number, body: unknown, headers = {}) =>
    `${JSON.stringify({ index, status, headers, body })}\n`
  /** Cut in the middle of a line. */
  const inPieces = (text: string): ReadableStream => {
    const bytes = new TextEncoder().encode(text)
    return new ReadableStream({
      start: (controller) => {
        controller.enqueue(bytes.slice(0, 25))
        controller.enqueue(bytes.slice(25))
        controller.close()
      },
    })
  }
  const paths = ['/a?x=1', '/b', '/c', '/d']

  it('go out alone where they are 3 or fewer', async () => {
    const found = await Promise.all(['/a', '/b', '/c'].map((path) => request(path)))
    expect(await Promise.all(found.map((one) => one.json()))).to.deep.equal([
      { data: '/a' },
      { data: '/b' },
      { data: '/c' },
    ])
    expect(sent.map(({ address }) => address)).to.deep.equal(['/a', '/b', '/c'])
  })

  it('are one request from 4 on, and each gets its own response, in whatever order they come', async () => {
    answer = () =>
      new Response(
        inPieces(
          line(2, 200, { data: 'ü' }) +
            line(0, 403, { code: 'forbidden' }) +
            line(3, 204, null) +
            line(1, 200, { data: [] }, { 'x-total-count': '7' }),
        ),
      )
    const [a, b, c, d] = await Promise.all(paths.map((path) => request(path)))
    expect(sent).to.deep.equal([{ address: '/api/batch', body: { paths }, token: 'Bearer t-1' }])
    expect([a!.status, b!.status, c!.status, d!.status]).to.deep.equal([403, 200, 200, 204])
    expect([await a!.json(), b!.headers.get('X-Total-Count'), await c!.json()]).to.deep.equal([
      { code: 'forbidden' },
      '7',
      { data: 'ü' },
    ])
  })

  it('are sent alone where the API does not answer them together', async () => {
    const refusal = line(1, 400, { code: 'not_batchable' })
    answer = () => new Response(inPieces(`${[0, 2, 3].map((at) => line(at, 200, { data: at })).join('')}${refusal}`))
    const responses = await Promise.all(paths.map((path) => request(path)))
    expect(await Promise.all(responses.map((one) => one.json()))).to.deep.equal([
      { data: 0 },
      { data: '/b' },
      { data: 2 },
      { data: 3 },
    ])
  })

  it('each get the refusal of the whole', async () => {
    answer = () => Response.json({ code: 'rate_limited' }, { status: 429, headers: { 'Retry-After': '9' } })
    const found = await Promise.all(paths.map((path) => request(path)))
    expect(found.map(({ status, headers }) => [status, headers.get('retry-after')])).to.deep.equal(
      paths.map(() => [429, '9']),
    )
    expect(await found[3]!.json()).to.deep.equal({ code: 'rate_limited' })
  })

  it('find nothing that answers where the response breaks off, but keep what has come', async () => {
    answer = () => new Response(inPieces(line(1, 200, { data: 1 })))
    const found = await Promise.allSettled(paths.map((path) => request(path)))
    expect(found.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled', 'rejected', 'rejected'])
    expect((found[0] as PromiseRejectedResult).reason).to.include({ status: 0 })
  })

  it('are not sent where they were called off before, and are never mixed with those of another session', async () => {
    const over = new AbortController()
    const all = [
      ...['/a', '/b', '/c'].map((path) => request(path)),
      request('/d', { signal: over.signal }),
      ...['/e', '/f', '/g'].map((path) => request(path, { token: 't-2' })),
    ]
    over.abort()
    const found = await Promise.allSettled(all)
    expect(found.map(({ status }) => status).filter((one) => one === 'rejected')).to.have.length(1)
    expect(sent.map(({ address }) => address)).to.deep.equal(['/a', '/b', '/c', '/e', '/f', '/g'])
  })
})
