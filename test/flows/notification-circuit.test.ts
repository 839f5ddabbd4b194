// tier: deep
/** Channels whose receiver does not work for long, and channels that are not there any more. */
import { expect } from 'chai'
import {
  calm,
  channelTo,
  chat,
  deliveriesOf,
  done,
  eventOf,
  overriding,
  raised,
  subscribe,
  type Chat,
  type Room,
} from '#test/harness/chat.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { advance, resetClock } from '#test/harness/people.ts'
import { deepIt } from '#test/harness/tier.ts'

const key = 'resource.override'
const minute = 60

describe('a channel', () => {
  let receivers: Chat
  let f: Fleet
  let override: () => Promise<string>
  let room: Room
  let id: string
  before(async () => void (receivers = await chat()))
  after(() => receivers.end())
  beforeEach(async () => {
    f = await fleet()
    override = overriding(f)
    room = receivers.room()
    id = await channelTo(f, room)
    await subscribe(f, id, key)
  })
  afterEach(async () => {
    await f.end()
    await resetClock()
  })
  const told = async (count = 1) => {
    for (let n = 0; n < count; n++) {
      await override()
      await calm(f)
    }
  }
  const later = async (seconds: number) => {
    await advance(seconds, f.orgId)
    await calm(f)
  }
  /** How the deliveries stand, oldest first. */
  const states = async () =>
    (await deliveriesOf(f, `&channel_id=${id}`)).map(({ status, hold }) => hold ?? status).toReversed()
  const failure = async () => (await done(f, 'GET', '/notifications/channels'))[0].lastFailure
  const failed = Array<string>(5).fill('failed')

  it('that failed five times keeps what comes, and lets it go once one of it is taken ten minutes later', async () => {
    room.answers = [404]
    for (let n = 0; n < 5; n++) await raised(f, eventOf(f, key))
    await raised(f, eventOf(f, key), eventOf(f, key))
    expect([await states(), room.posts.length]).to.deep.equal([[...failed, 'circuit', 'circuit'], 5])
    expect((await failure()).brokenSince).to.be.a('string')
    room.answers = [200]
    await later(11 * minute)
    expect([await states(), room.posts.length]).to.deep.equal([[...failed, 'delivered', 'delivered'], 7])
    expect(await failure()).to.equal(undefined)
  })

  deepIt(
    'that failed five times keeps what comes; one of it asks every ten minutes, and the first that is taken lets all go',
    async () => {
      const other = receivers.room()
      await subscribe(f, await channelTo(f, other), key)
      room.answers = [404]
      await told(4)
      expect(await failure()).to.not.have.property('brokenSince')
      await told(1)
      expect((await failure()).brokenSince).to.be.a('string')
      await told(3)
      expect([await states(), room.posts.length]).to.deep.equal([[...failed, 'circuit', 'circuit', 'circuit'], 5])
      await later(9 * minute)
      expect(room.posts.length, 'not before its time').to.equal(5)
      room.answers = [500]
      await later(2 * minute)
      expect([await states(), room.posts.length]).to.deep.equal([[...failed, 'circuit', 'circuit', 'circuit'], 6])
      await later(5 * minute)
      await told(1)
      expect(room.posts.length, 'one probe in ten minutes').to.equal(6)
      room.answers = [200]
      await later(6 * minute)
      expect(await states()).to.deep.equal([...failed, ...Array<string>(4).fill('delivered')])
      const ids = room.posts.slice(5).map(({ delivery }) => delivery)
      expect([room.posts.length, new Set(ids).size]).to.deep.equal([10, 4])
      expect(await failure()).to.equal(undefined)
      await told(1)
      expect([room.posts.length, other.posts.length]).to.deep.equal([11, 10])
    },
  )

  deepIt('that does not work is asked by one alone, though several come at once when it is time', async () => {
    room.answers = [404]
    await told(5)
    await later(11 * minute)
    const uids = ['a', 'b', 'c', 'd', 'e']
    await f.discover(uids)
    const members = uids.map((resourceUID) => ({ resourceUID }))
    const { id: groupID } = await done(f, 'POST', '/resource-groups', { name: 'Shop', members })
    await subscribe(f, id, 'resource.stopped')
    room.answers = [500]
    const { bulkActionID } = await done(f, 'POST', '/actions/bulk', { type: 'stop', groupID })
    await f.ended(`/actions/bulk/${bulkActionID}`)
    await calm(f)
    const waiting = Array<string>(5).fill('circuit')
    expect([await states(), room.posts.length]).to.deep.equal([[...failed, ...waiting], 6])
    room.answers = [200]
    await later(11 * minute)
    expect([await states(), room.posts.length]).to.deep.equal([[...failed, ...waiting.map(() => 'delivered')], 11])
  })

  deepIt('that gets another address is a new one: what waited goes there', async () => {
    room.answers = [404]
    await told(7)
    expect((await failure()).brokenSince).to.be.a('string')
    const other = receivers.room()
    await done(f, 'PUT', `/notifications/channels/${id}`, { name: 'Shop' })
    const masked = `${new URL(room.url).origin}/...`
    await done(f, 'PUT', `/notifications/channels/${id}`, { config: { webhookURL: masked, fold: true } })
    await calm(f)
    expect([await states(), other.posts.length]).to.deep.equal([[...failed, 'circuit', 'circuit'], 0])
    await done(f, 'PUT', `/notifications/channels/${id}`, { config: { webhookURL: other.url } })
    await calm(f)
    expect([await states(), other.posts.length]).to.deep.equal([[...failed, 'delivered', 'delivered'], 2])
    expect(await failure()).to.equal(undefined)
  })

  deepIt('that is asked in vain for a day gives up what is a day old', async () => {
    room.answers = [404]
    await told(5)
    room.answers = [500]
    await told(1)
    await later(23 * 60 * minute)
    expect((await states()).at(-1)).to.equal('circuit')
    await told(1)
    await later(65 * minute)
    const [younger, older] = await deliveriesOf(f, `&channel_id=${id}`)
    expect([older.status, younger.status]).to.deep.equal(['failed', 'held'])
    expect(older.message).to.match(/^Not delivered within a day\./)
  })

  deepIt('that fails five times over more than an hour is no broken one', async () => {
    room.answers = [404]
    for (let n = 0; n < 6; n++) {
      await told(1)
      await later(16 * minute)
    }
    expect([await states(), room.posts.length]).to.deep.equal([Array(6).fill('failed'), 6])
    expect(await failure()).to.not.have.property('brokenSince')
  })

  deepIt('that fails four times between two that it takes is no broken one', async () => {
    room.answers = [404, 404, 404, 404, 200, 404, 404, 404, 404, 200]
    await told(10)
    expect([room.posts.length, (await states()).filter((one) => one === 'delivered').length]).to.deep.equal([10, 2])
  })

  deepIt('that is deleted ends what waits for it: for a try, and for a receiver that does not work', async () => {
    const reasons = async () =>
      (await deliveriesOf(f, `&channel_id=${id}`)).map(({ status, message }) => `${status}: ${message}`)
    const gone = 'failed: The channel was deleted.'
    room.answers = [500]
    await told(1)
    await done(f, 'DELETE', `/notifications/channels/${id}`)
    await calm(f)
    expect(await reasons()).to.deep.equal([gone])
    await later(60 * minute)
    expect(room.posts.length).to.equal(1)
    room = receivers.room()
    id = await channelTo(f, room)
    await subscribe(f, id, key)
    room.answers = [404]
    await told(5)
    await told(2)
    await done(f, 'DELETE', `/notifications/channels/${id}`)
    await calm(f)
    expect(await reasons()).to.deep.equal([gone, gone, ...Array(5).fill('failed: The server returned HTTP 404.')])
    await later(60 * minute)
    expect(room.posts.length).to.equal(5)
  })
})
