/** Addresses that lead into the network of the service: no channel posts there, as they are given and as it is told. */
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { createServer, type Server } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { tokens } from '#config/wiring/tokens.ts'
import { channelTo, chat, deliveriesOf, done, eventOf, raised, subscribe, type Chat } from '#test/harness/chat.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { inside, refusedUrls } from '#test/harness/inside.ts'
import { sample } from '#test/harness/tier.ts'

const path = '/notifications/channels'
const hook = 'https://hooks.slack.com/services/T000/B000/XXXX'
/** Of each block in the deep tier: what is decided of an address, the tests of requests and posts show of all. */
const blocks = sample(Object.values(inside), 4)
const literal = (address: string) => (address.includes(':') ? `[${address}]` : address)

describe('channels into the network of the service', () => {
  let f: Tenant
  let allowed: { allowPrivate: boolean }
  beforeEach(async () => {
    f = await tenant()
    allowed = f.product.get(tokens.notices).webhooks
    allowed.allowPrivate = false
  })
  afterEach(() => {
    allowed.allowPrivate = true
  })

  // One piece of code decides of all forms: test/streams/delivery/outbound.test.ts has more of them.
  const urls = sample(
    [
      ...blocks.flatMap((address) => [`https://${literal(address)}/`, `https://${literal(address)}:8443/hook`]),
      ...refusedUrls,
      'https://0300.0250.1.1/',
      'https://10.1/',
      'https://0xa9fea9fe/',
      'https://[::ffff:169.254.169.254]/',
      'https://127.0.0.1./',
      'https://①②⑦.0.0.1/',
      'https://127。0。0。1/',
      'HTTPS://127.0.0.1/',
      ' https://127.0.0.1/',
      'https:\\\\127.0.0.1\\',
      'https://127.0.0.1#@hooks.slack.com/',
      'https://hooks.slack.com@127.0.0.1/',
      'file:///etc/passwd',
      'gopher://127.0.0.1/',
    ],
    14,
  )

  it(`are refused as they are given, whether made, changed or of the deprecated kind: ${urls.length} forms [NOTIF-20]`, async () => {
    const { id } = await done(f, 'POST', path, { type: 'slack', name: 'A', config: { webhookURL: hook } })
    const legacy = await done(f, 'POST', '/notifications', { channel: 'slack', webhookURL: hook })
    const codes = async (method: string, at: string, body: object) => {
      const { status, body: problem } = await f.send(method, at, body)
      return [status, problem.errors?.map((one: any) => `${one.name} ${one.code}`)]
    }
    for (const webhookURL of urls) {
      const config = { webhookURL }
      const answers = await Promise.all([
        codes('POST', path, { type: 'teams', name: 'B', config }),
        codes('PUT', `${path}/${id}`, { config }),
        codes('POST', '/notifications', { channel: 'slack', webhookURL }),
        codes('PUT', `/notifications/${legacy.id}`, { webhookURL }),
      ])
      const [ofConfig, ofLegacy] = [
        [400, ['/config/webhookURL address_refused']],
        [400, ['/webhookURL address_refused']],
      ]
      expect(answers, webhookURL).to.deep.equal([ofConfig, ofConfig, ofLegacy, ofLegacy])
    }
    const kept = await done(f, 'GET', path)
    expect(kept.map((one: any) => one.config)).to.deep.equal([{ webhookURL: hook }])
    expect((await done(f, 'GET', '/notifications')).map((one: any) => one.webhookURL)).to.deep.equal([hook])
  })

  describe('by a name', () => {
    const { lookup } = dns
    /** Addresses that names lead to from now on; others as ever. */
    const names = new Map<string, string[]>()
    let server: Server
    let port = 0
    let connections = 0
    let receivers: Chat
    before(async () => {
      receivers = await chat()
      server = createServer((socket) => {
        connections++
        socket.destroy()
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      port = (server.address() as AddressInfo).port
      const faked = (name: string, options: object, found: (...answer: unknown[]) => void) => {
        const known = names.get(name)
        if (!known) return lookup(name, options, found as never)
        found(
          null,
          known.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        )
      }
      Object.assign(dns, { lookup: faked })
      syncBuiltinESMExports()
    })
    beforeEach(() => {
      connections = 0
      names.clear()
    })
    after(async () => {
      Object.assign(dns, { lookup })
      syncBuiltinESMExports()
      server.close()
      await receivers.end()
    })
    const told = async (channels: readonly string[]) => {
      for (const id of channels) await subscribe(f, id, 'resource.override')
      await raised(f, eventOf(f, 'resource.override'))
      const all = await deliveriesOf(f)
      return channels.map((id) =>
        all.filter(({ channelID }) => channelID === id).map((one) => [one.status, one.tries, one.message]),
      )
    }
    const named = async (name: string, type = 'slack') => {
      const config = { webhookURL: `https://${name}:${port}/hook` }
      return (await done(f, 'POST', path, { type, name, config })).id as string
    }
    const refused = ['failed', 1, 'The URL points to a private network.']

    it('are posted to by nobody: every address behind it is looked at each time, not once', async () => {
      const addresses = [...blocks, '::ffff:7f00:1', 'fe80::1%eth0']
      const channels: string[] = []
      for (const [i, address] of addresses.entries()) {
        names.set(`n${i}.example`, ['93.184.215.14'])
        channels.push(await named(`n${i}.example`, ['slack', 'teams', 'google_chat'][i % 3]))
        // Public when it was given; private, or private beside a public one, when it is told.
        names.set(`n${i}.example`, i % 2 === 0 ? [address] : ['93.184.215.14', address])
      }
      expect(await told(channels)).to.deep.equal(channels.map(() => [refused]))
      expect(connections).to.equal(0)
    })

    it('are refused when they are given, where they mean this machine whatever resolves them', async () => {
      for (const name of ['localhost', 'a.localhost', 'LOCALHOST.', '\u24DBocalhost']) {
        const body = { type: 'slack', name, config: { webhookURL: `https://${name}:${port}/hook` } }
        const { status, body: said } = await f.send('POST', path, body)
        expect([status, said.errors?.[0]?.code], name).to.deep.equal([400, 'address_refused'])
      }
    })

    it('are not reached by the test button either, and it tells no address', async () => {
      names.set('inside.example', ['127.0.0.1'])
      const answer = await done(f, 'POST', `${path}/${await named('inside.example')}/test`)
      const { deliveryID: _, ...rest } = answer
      expect(rest).to.deep.equal({ delivered: false, status: 0, message: 'The URL points to a private network.' })
      expect(connections).to.equal(0)
    })

    it('are reached where the operator allows it: what the tests above look at is a server that answers', async () => {
      allowed.allowPrivate = true
      names.set('inside.example', ['127.0.0.1'])
      const room = receivers.room()
      const [[first]] = (await told([await named('inside.example'), await channelTo(f, room)])) as any
      expect([connections > 0, first[0], room.posts.length]).to.deep.equal([true, 'pending', 1])
    })
  })
})
