import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect } from 'chai'
import { generate } from 'selfsigned'
import type { Fault } from '#engine/value/fault.ts'
import { fetchOutside, type OutsideRequest } from '#streams/delivery/outbound.ts'

const listening = (server: Server, host: string): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port))
  })

const at =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: 4 }))

describe('connections that are kept', () => {
  let server: Server
  let port = 0
  let answer: RequestListener = () => {}
  const plain: RequestListener = (_request, response) => response.end('ok')
  const connections: Socket[] = []
  before(async () => {
    server = createServer((request, response) => answer(request, response))
    server.on('connection', (socket) => connections.push(socket))
    port = await listening(server, '0.0.0.0')
  })
  beforeEach(() => {
    answer = plain
    connections.splice(0)
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  let named = 0
  /** A name of a receiver that no other test has. */
  const fresh = () => `c-${named++}`
  const get = async (more: Partial<OutsideRequest>): Promise<string> => {
    const request = { method: 'POST', body: '{}', timeoutMs: 5000, bytesMax: 1000, allowPrivate: true, ...more }
    const { status, body } = await fetchOutside(`http://hooks.example:${port}/`, {
      resolve: at('127.0.0.1'),
      ...request,
    })
    return `${status} ${body.toString()}`
  }

  it('are used again by requests to the same receiver, and by nobody else', async () => {
    const keep = fresh()
    for (let n = 0; n < 3; n++) expect(await get({ keep })).to.equal('200 ok')
    expect(connections).to.have.length(1)
    await get({ keep: fresh() })
    expect(connections).to.have.length(2)
    await get({})
    await get({})
    expect(connections).to.have.length(4)
  })

  it('are used no more once the name leads elsewhere: a new one goes to the address that was checked', async () => {
    const keep = fresh()
    await get({ keep, resolve: at('127.0.0.1') })
    await get({ keep, resolve: at('127.0.0.2') })
    await get({ keep, resolve: at('127.0.0.2', '127.0.0.1') })
    await get({ keep, resolve: at('127.0.0.1', '127.0.0.2') })
    await get({ keep, resolve: at('127.0.0.1') })
    const hosts = connections.map(({ localAddress }) => localAddress)
    expect(hosts.slice(0, 2)).to.deep.equal(['127.0.0.1', '127.0.0.2'])
    expect(hosts).to.have.length(3)
  })

  it('are 32 at most to one receiver: other requests wait for one of them', async () => {
    const keep = fresh()
    const held: (() => void)[] = []
    const { promise: full, resolve: reached } = Promise.withResolvers<void>()
    answer = (_request, response) => {
      held.push(() => response.end('ok'))
      if (held.length === 32) reached()
      if (held.length > 32) response.end('ok')
    }
    const all = Promise.all(Array.from({ length: 40 }, () => get({ keep })))
    await full
    for (const release of held.slice(0, 32)) release()
    expect(await all).to.deep.equal(Array(40).fill('200 ok'))
    expect(connections).to.have.length(32)
  })

  it('that the receiver closes are made anew, and the request is sent once more', async () => {
    const keep = fresh()
    await get({ keep })
    let asked = 0
    answer = (request, response) => {
      asked++
      if (request.socket === connections[0]) request.socket.destroy()
      else response.end('again')
    }
    expect(await get({ keep })).to.equal('200 again')
    expect([asked, connections.length]).to.deep.equal([2, 2])
    answer = (request) => request.socket.destroy()
    const failure = await get({ keep }).catch((error: unknown) => error)
    expect((failure as Fault).code).to.equal('upstream_failed')
  })

  it('are of 500 receivers at most; those in use stay', async () => {
    const { promise: busy, resolve: reached } = Promise.withResolvers<() => void>()
    answer = (_request, response) => reached(() => response.end('late'))
    const late = get({ keep: fresh(), timeoutMs: 60_000 })
    const release = await busy
    answer = plain
    const first = fresh()
    await get({ keep: first })
    const { promise: closed, resolve: gone } = Promise.withResolvers<void>()
    connections[1]!.on('close', () => gone())
    for (let n = 0; n < 500; n++) await get({ keep: fresh() })
    await closed
    release()
    expect(await late).to.equal('200 late')
    const before = connections.length
    await get({ keep: first })
    expect(connections).to.have.length(before + 1)
  })

  it('are not used where the name leads inside meanwhile', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'hooks.example' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'hooks.example' }] }],
    })
    const usual = getCACertificates('default')
    setDefaultCACertificates([...usual, cert])
    const secure = createTlsServer({ key, cert }, plain)
    const url = `https://hooks.example:${await listening(secure, '127.0.0.1')}/`
    const request = { method: 'POST', timeoutMs: 5000, bytesMax: 1000, keep: fresh(), resolve: at('127.0.0.1') }
    try {
      expect((await fetchOutside(url, { ...request, allowPrivate: true })).status).to.equal(200)
      const failure = await fetchOutside(url, { ...request, allowPrivate: false }).catch((error: unknown) => error)
      expect((failure as Fault).code).to.equal('address_refused')
    } finally {
      setDefaultCACertificates(usual)
      secure.closeAllConnections()
      secure.close()
    }
  })
})
