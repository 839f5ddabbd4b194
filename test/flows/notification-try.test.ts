/** What becomes of a message that a receiver does not take at once, and how it knows who sent it. */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import {
  calm,
  channelTo,
  chat,
  deliveriesOf,
  done,
  eventOf,
  raise,
  subscribe,
  type Chat,
  type Room,
} from '#test/harness/chat.ts'
import { advance, resetClock } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt, sample } from '#test/harness/tier.ts'

const key = 'resource.override'

describe('tries to tell', () => {
  let receivers: Chat
  let f: Tenant
  before(async () => void (receivers = await chat()))
  after(() => receivers.end())
  beforeEach(async () => void (f = await tenant()))
  afterEach(resetClock)
  const override = () => raise(f, eventOf(f, key))

  /** A channel that is told of overrides. */
  async function listening(...answers: Room['answers']): Promise<{ room: Room; id: string }> {
    const room = receivers.room()
    room.answers = answers
    const id = await channelTo(f, room)
    await subscribe(f, id, key)
    return { room, id }
  }
  const later = async (seconds: number) => {
    await calm(f)
    await advance(seconds, f.orgId)
    await calm(f)
  }
  const brief = ({ status, tries, responseStatus, message }: any) => [status, tries, responseStatus, message]
  const channel = async (id: string) =>
    (await done(f, 'GET', '/notifications/channels')).find((one: any) => one.id === id)

  it('are made until one is taken, one second and five later, all of the same delivery [S-33]', async () => {
    const { room, id } = await listening(500, 500, 200)
    await override()
    await later(1)
    await later(5)
    await until('three tries', () => room.posts.length === 3)
    await calm(f)
    const [delivery, ...more] = await deliveriesOf(f)
    expect([brief(delivery), more]).to.deep.equal([['delivered', 3, 200, undefined], []])
    expect(room.posts.map((post) => [post.event, post.delivery])).to.deep.equal(Array(3).fill([key, delivery.id]))
    expect(new Set(room.posts.map(({ text }) => text)).size, 'the same words').to.equal(1)
    expect(await channel(id)).to.not.have.property('lastFailure')
    await later(3600)
    expect(room.posts.length).to.equal(3)
  })

  deepIt('are five, thirty seconds and two minutes apart in the end, and then it has failed', async () => {
    const { room, id } = await listening(503)
    await override()
    await later(1)
    await later(5)
    for (const [n, pause] of [30, 120].entries()) {
      await later(pause - 20)
      expect(room.posts.length, 'not before its time').to.equal(3 + n)
      await later(20)
      expect(room.posts.length).to.equal(4 + n)
    }
    await later(7200)
    expect(room.posts.length).to.equal(5)
    const [delivery] = await deliveriesOf(f)
    expect(brief(delivery)).to.deep.equal(['failed', 5, 503, 'The server returned HTTP 503.'])
    expect((await channel(id)).lastFailure).to.include({ deliveryID: delivery.id, eventType: key, responseStatus: 503 })
  })

  for (const status of sample([400, 401, 403, 404, 410, 422], 1))
    it(`end with an answer of ${status}, which the channel shows until something is taken, and follow no redirect [NOTIF-18]`, async () => {
      const { room, id } = await listening(status, 200)
      const elsewhere = receivers.room()
      const { room: moved, id: movedId } = await listening(
        (response) => response.writeHead(307, { Location: elsewhere.url }).end(),
        200,
      )
      await override()
      await calm(f)
      expect([moved.posts.length, elsewhere.posts]).to.deep.equal([1, []])
      expect((await deliveriesOf(f, `&channel_id=${movedId}`)).map(brief)).to.deep.equal([
        ['failed', 1, 307, 'The server returned HTTP 307.'],
      ])
      await later(3600)
      expect(room.posts.length).to.equal(1)
      const [delivery] = await deliveriesOf(f, `&channel_id=${id}`)
      expect(brief(delivery)).to.deep.equal(['failed', 1, status, `The server returned HTTP ${status}.`])
      const { at, ...failure } = (await channel(id)).lastFailure
      const message = `The server returned HTTP ${status}.`
      expect(failure).to.deep.equal({ deliveryID: delivery.id, eventType: key, responseStatus: status, message })
      expect(at).to.equal(delivery.endedAt)
      await override()
      await calm(f)
      expect([room.posts.length, 'lastFailure' in (await channel(id))]).to.deep.equal([2, false])
    })

  deepIt('wait as long as a receiver asks for, a quarter of an hour at most, in seconds or until a date', async () => {
    const [now, asked] = [
      Date.now(),
      (value: string) => (response: any) => response.writeHead(429, { 'Retry-After': value }).end(),
    ]
    const cases = [
      { ...(await listening(asked('2'), 200)), seconds: 2 },
      { ...(await listening(asked('600'), 200)), seconds: 600 },
      { ...(await listening(asked(new Date(now + 300_000).toUTCString()), 200)), seconds: 300 },
      { ...(await listening(asked('86400'), 200)), seconds: 900 },
    ]
    await override()
    await calm(f)
    for (const { id, seconds } of cases.slice(1)) {
      const [{ nextTryAt, status, responseStatus }] = await deliveriesOf(f, `&channel_id=${id}`)
      expect([status, responseStatus]).to.deep.equal(['pending', 429])
      expect(Date.parse(nextTryAt) - now, `${seconds}`).to.be.within(seconds * 1000 - 1000, seconds * 1000 + 60_000)
    }
    const counts = () => cases.map(({ room }) => room.posts.length)
    await later(3)
    await until('the first again', () => counts()[0] === 2)
    expect(counts()).to.deep.equal([2, 1, 1, 1])
    await later(310)
    expect(counts()).to.deep.equal([2, 1, 2, 1])
    await later(300)
    expect(counts()).to.deep.equal([2, 2, 2, 1])
    await later(300)
    expect(counts()).to.deep.equal([2, 2, 2, 2])
    expect((await deliveriesOf(f)).map(brief)).to.deep.equal(Array(4).fill(['delivered', 2, 200, undefined]))
  })

  deepIt(
    'by one that hangs end after ten seconds, while the others have long been told; the answer that comes too late is none',
    async () => {
      const { room: hung, id } = await listening((response) => setTimeout(() => response.end(), 11_000), 200)
      const others = await Promise.all(Array.from({ length: 4 }, () => listening()))
      const events = 6
      hung.answers = [...Array(events).fill(hung.answers[0]), 200]
      for (let n = 0; n < events; n++) await override()
      await until('the others', () => others.every(({ room }) => room.posts.length === events))
      const states = async () =>
        (await deliveriesOf(f, `&channel_id=${id}`)).map(({ status, tries }) => `${status} ${tries}`)
      expect(await states(), 'of the one that hangs').to.deep.equal(Array(events).fill('pending 1'))
      await until('the second try', async () => (await states()).every((one) => one === 'delivered 2'))
      const ids = hung.posts.map(({ delivery }) => delivery)
      expect([ids.length, new Set(ids).size]).to.deep.equal([2 * events, events])
    },
  )

  deepIt('are signed with the secret of the channel, and with its next one once it is renewed', async () => {
    const { room, id } = await listening(500, 200)
    const path = `/notifications/channels/${id}/signing-secret`
    const secretOf = async (method: string) => (await done(f, method, path)).signingSecret as string
    const signed = ({ headers, text }: Room['posts'][number], secret: string) => {
      const at = headers['x-tidemark-timestamp'] as string
      expect(Number(at) * 1000).to.be.closeTo(Date.now(), 60_000)
      const expected = createHmac('sha256', secret).update(`${at}.${text}`).digest('hex')
      return headers['x-tidemark-signature'] === `v1=${expected}`
    }
    const first = await secretOf('GET')
    await override()
    await until('a try', () => room.posts.length === 1)
    const second = await secretOf('POST')
    await later(1)
    await until('another', () => room.posts.length === 2)
    await override()
    await calm(f)
    expect(room.posts.map((post) => [signed(post, first), signed(post, second)])).to.deep.equal([
      [true, false],
      [false, true],
      [false, true],
    ])
  })
})
