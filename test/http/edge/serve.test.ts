import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as passed } from 'node:timers/promises'
import { expect } from 'chai'
import { t } from '#engine/value/schema.ts'
import { edge } from '#http/edge/edge.ts'
import { route } from '#http/edge/route.ts'
import { readUpload } from '#http/edge/request/upload.ts'
import { serve } from '#http/edge/serve.ts'
import { scopeOf } from '#test/http/serving.ts'
import { deepIt } from '#test/harness/tier.ts'

const gates: (() => void)[] = []
/** Whoever reads a long body waits for it after every piece. */
let hold: Promise<void> | undefined
const app = edge(
  [
    route({
      method: 'GET',
      path: '/slow',
      summary: '',
      permission: 'public',
      reply: t.Boolean(),
      handle: () => new Promise<true>((resolve) => gates.push(() => resolve(true))),
    }),
    route({
      method: 'POST',
      path: '/short',
      summary: '',
      permission: 'public',
      reply: t.Null(),
      handle: async () => null,
    }),
    route({
      method: 'POST',
      path: '/long',
      summary: '',
      permission: 'public',
      upload: 'text/plain',
      reply: t.Integer(),
      handle: ({ upload }) =>
        readUpload(upload!, { media: 'text/plain', bytesMax: 1e9, isLong: true }, async (file) => {
          let bytes = 0
          for await (const chunk of file) {
            bytes += (chunk as Buffer).length
            if (hold) await hold
          }
          return bytes
        }),
    }),
  ],
  scopeOf(),
)

describe('http server', () => {
  it('says which port is taken', async () => {
    const first = await serve(app, { port: 0, host: '127.0.0.1' })
    const second = await serve(app, { port: first.port, host: '127.0.0.1' }).catch((error: Error) => error.message)
    expect(second).to.equal(
      `cannot listen on 127.0.0.1 port ${first.port}: another process is using this port; stop it or choose another port`,
    )
    await first.close()
  })
  it('lets running requests end when it closes, and takes no more', async () => {
    const server = await serve(app, { port: 0, host: '127.0.0.1' })
    const running = fetch(`${server.url}/slow`)
    while (gates.length === 0) await new Promise((resolve) => setImmediate(resolve))
    const closing = server.close()
    gates.pop()!()
    expect((await running).status).to.equal(200)
    await closing
    expect(await fetch(`${server.url}/slow`).catch((error: Error) => error.message)).to.equal('fetch failed')
  })
  it('answers what is no HTTP with a problem, and hangs up [LIM-06]', async () => {
    const server = await serve(app, { port: 0, host: '127.0.0.1' })
    const socket = connect(server.port, '127.0.0.1')
    socket.end('this is not http\r\n\r\n')
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    await once(socket, 'close')
    const [head, body] = Buffer.concat(chunks).toString().split('\r\n\r\n')
    expect(head).to.match(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json/)
    expect(JSON.parse(body!)).to.include({ status: 400, code: 'malformed_request' })
    await server.close()
  })
})

describe('clients that are slow [LIM-06]', () => {
  const slow = { headersTimeout: 300, bodyMs: 300, connectionsCheckingInterval: 20 }
  const to = async (work: (port: number) => Promise<unknown>, bodyMs = slow.bodyMs) => {
    const server = await serve(app, { port: 0, host: '127.0.0.1', slow: { ...slow, bodyMs } })
    try {
      await work(server.port)
    } finally {
      await server.close()
    }
  }
  const sent = (port: number, head: string): { socket: Socket; answer: Promise<string> } => {
    const socket = connect(port, '127.0.0.1')
    socket.write(head)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {})
    // Bytes sent after the server has closed fail: that is no failure of the answer.
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const answer = closed.then(() => Buffer.concat(chunks).toString())
    return { socket, answer }
  }
  const post = (path: string, length: number, type = 'application/json') =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`
  const late = /^HTTP\/1\.1 408 .*"code":"request_timeout"/s
  const piece = Buffer.alloc(256 * 1024, 'a')

  it('are cut off within their headers', () =>
    to(async (port) => expect(await sent(port, 'POST /short HTTP/1.1\r\nHost: a\r\n').answer).to.match(late)))

  it('are cut off within a body, however many bytes still drop', () =>
    to(async (port) => {
      const { socket, answer } = sent(port, post('/short', 1000))
      const drops = setInterval(() => socket.write(' '), 20)
      expect(await answer).to.match(late)
      clearInterval(drops)
    }))

  it('are cut off who have their answer and send on', () =>
    to(async (port) => expect(await sent(port, post('/nowhere', 1000)).answer).to.match(/^HTTP\/1\.1 404 /)))

  it('are cut off within a long body that drops', () =>
    to(async (port) => {
      const { socket, answer } = sent(port, post('/long', 1000, 'text/plain'))
      const drops = setInterval(() => socket.write('a'), 20)
      expect(await answer).to.match(late)
      clearInterval(drops)
    }))

  deepIt('are heard to the end of a long body that keeps coming, for longer than a request may take', () =>
    to(async (port) => {
      const { socket, answer } = sent(port, post('/long', 12 * piece.length, 'text/plain'))
      for (let n = 0; n < 12; n++) {
        socket.write(piece)
        await passed(250)
      }
      socket.end()
      expect((await answer).split('\r\n\r\n')[1]).to.equal(`{"data":${12 * piece.length}}`)
    }, 2000),
  )

  deepIt('are not blamed while nobody reads', () =>
    to(async (port) => {
      const held = Promise.withResolvers<void>()
      hold = held.promise
      const { socket, answer } = sent(port, post('/long', 2 * piece.length, 'text/plain'))
      socket.write(piece)
      socket.end(piece)
      await passed(900)
      hold = undefined
      held.resolve()
      expect((await answer).split('\r\n\r\n')[1]).to.equal(`{"data":${2 * piece.length}}`)
    }),
  )
})
