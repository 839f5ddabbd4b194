import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { t } from '#engine/schema.ts'
import { edge } from '#http/edge/edge.ts'
import { route } from '#http/edge/route.ts'
import { serve } from '#http/edge/serve.ts'
import { scopeOf } from '#test/http/serving.ts'

const gates: (() => void)[] = []
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
  ],
  scopeOf(),
)

describe('http server', () => {
  it('says which port is taken', async () => {
    const first = await serve(app, { port: 0, host: '127.0.0.1' })
    const second = await serve(app, { port: first.port, host: '127.0.0.1' }).catch((error: Error) => error.message)
    expect(second).to.equal(
      `cannot listen on 127.0.0.1 port ${first.port}: another process uses this port; stop it or choose another port`,
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
