import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { fetchOutside, isOutside, type OutsideRequest } from '#streams/delivery/outbound.ts'
import { inside, refusedUrls } from '#test/harness/inside.ts'

const usual = { method: 'GET', timeoutMs: 5000, bytesMax: 1000, allowPrivate: false }

/** `<kind> <code>` of the refusal, or what was answered. */
const outcome = (url: string, more: Partial<OutsideRequest> = {}): Promise<string> =>
  fetchOutside(url, { ...usual, ...more }).then(
    ({ status, body }) => `${status} ${body.toString()}`,
    (error: unknown) => (error instanceof Fault ? `${error.kind} ${error.code}` : String(error)),
  )

const refused = 'refused address_refused'
const failed = 'transient upstream_failed'

describe('requests to addresses that customers give', () => {
  for (const [what, address] of Object.entries(inside))
    it(`are refused to ${what}, ${address}, written out or behind a name`, async () => {
      const family = address.includes(':') ? 6 : 4
      const literal = family === 6 ? `[${address}]` : address
      const resolve = async () => [
        { address: '93.184.215.14', family: 4 },
        { address, family },
      ]
      expect(isOutside(address)).to.equal(false)
      expect(await outcome(`https://${literal}/`)).to.equal(refused)
      expect(await outcome('https://example.com/', { resolve })).to.equal(refused)
    })

  it('may go to public addresses', () => {
    const all = ['93.184.215.14', '172.32.0.1', '100.128.0.1', '8.8.8.8', '2606:4700::1111', '2a00:1450::1']
    expect(all.filter((address) => !isOutside(address))).to.deep.equal([])
    expect(['', 'example.com', 'fe80::1%eth0', '1.2.3'].filter(isOutside)).to.deep.equal([])
  })

  for (const url of refusedUrls)
    it(`are refused for ${url}`, async () => {
      expect(await outcome(url)).to.equal(refused)
    })

  it('are refused when the name of this machine is given', async () => {
    expect(await outcome('https://localhost/')).to.equal(refused)
  })

  describe('to a server', () => {
    let server: Server
    let answer: RequestListener
    let url = ''
    before(async () => {
      server = createServer((request, response) => answer(request, response))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    })
    after(() => {
      server.closeAllConnections()
      server.close()
    })
    const open = { allowPrivate: true }

    it('go there with their method, headers and body, when private addresses are allowed', async () => {
      answer = (request, response) => {
        request.toArray().then((chunks) => {
          response.end([request.method, request.headers['x-key'], Buffer.concat(chunks).toString()].join(' '))
        }, console.error)
      }
      const more = { ...open, method: 'POST', headers: { 'X-Key': 'k1' }, body: 'hello' }
      expect(await outcome(url, more)).to.equal('200 POST k1 hello')
    })

    it('resolve a name once, and connect to the address that was checked', async () => {
      answer = (request, response) => response.end(request.headers.host)
      const { port } = new URL(url)
      let asked = 0
      const resolve = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '127.0.0.9', family: 4 }]
      expect(await outcome(`http://rebinding.test:${port}/`, { ...open, resolve })).to.equal(
        `200 rebinding.test:${port}`,
      )
      expect(asked).to.equal(1)
    })

    it('are not redirected', async () => {
      answer = (_request, response) => response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end('elsewhere')
      expect(await outcome(url, open)).to.equal('302 elsewhere')
    })

    it('end when the answer is larger than it may be, and not a byte earlier', async () => {
      let size = 1000
      answer = (_request, response) => response.end('x'.repeat(size))
      expect(await outcome(url, open)).to.equal(`200 ${'x'.repeat(1000)}`)
      size = 1001
      expect(await outcome(url, open)).to.equal(failed)
    })

    it('end when there is no answer in time, or it stops halfway, or the name is never resolved', async () => {
      const hurried = { ...open, timeoutMs: 100 }
      answer = () => {}
      expect(await outcome(url, hurried)).to.equal(failed)
      answer = (_request, response) => void response.write('half')
      expect(await outcome(url, hurried)).to.equal(failed)
      const resolve = () => new Promise<never>(() => {})
      expect(await outcome('https://slow.test/', { ...hurried, resolve })).to.equal(failed)
    })

    it('end when the connection breaks or nobody listens', async () => {
      answer = (_request, response) => response.destroy()
      expect(await outcome(url, open)).to.equal(failed)
      expect(await outcome('http://127.0.0.1:1/', open)).to.equal(failed)
    })
  })
})
