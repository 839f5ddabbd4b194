// tier: deep
/** Messages that wait by the wish of their channel: for the morning, for the hour, and for others of the same cause. */
import { expect } from 'chai'
import { anomalies, before as daysBefore, detect, line, publish } from '#test/harness/anomaly.ts'
import {
  calm,
  channelTo,
  chat,
  deliveriesOf,
  done,
  keysOf,
  eventOf,
  raised,
  subscribe,
  type Chat,
  type Room,
} from '#test/harness/chat.ts'
import { fleetAt } from '#test/harness/control.ts'
import type { Fleet } from '#test/harness/fleet.ts'
import { advance, resetClock, setClock } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const override = 'resource.override'

describe('messages that are not urgent', () => {
  let receivers: Chat
  let f: Fleet
  let room: Room
  let id: string
  before(async () => void (receivers = await chat()))
  after(() => receivers.end())
  afterEach(() => f.end())

  /** An organization at this time, with a channel that tells of overrides and failures. */
  async function begin(now: string, config: object): Promise<void> {
    f = await fleetAt(now)
    room = receivers.room()
    id = await channelTo(f, room, config)
    for (const key of [override, 'resource.failed']) await subscribe(f, id, key)
  }
  const at = async (now: string) => {
    await setClock(new Date(now), f.orgId)
    await calm(f)
    return room.posts.length
  }
  const said = async () => {
    await raised(f, eventOf(f, override))
    return room.posts.length
  }
  const fails = () => raised(f, eventOf(f, 'resource.failed'))
  const states = async () => (await deliveriesOf(f)).map(({ status, hold }) => hold ?? status).toReversed()

  // In memory: test/actors/delivery.test.ts.
  deepIt(
    'wait until quiet hours end on the clock of their zone, in the night it is put forward too; failures do not',
    async () => {
      // 31 March 2030: 02:00 in Berlin is 03:00 at once, and 07:00 is 05:00 UTC.
      await begin('2030-03-30T20:59:00Z', { quietHours: { timezone: 'Europe/Berlin', from: '22:00', to: '07:00' } })
      expect(await said(), 'a minute before').to.equal(1)
      await at('2030-03-30T21:00:30Z')
      expect(await said(), 'after ten').to.equal(1)
      expect(await states()).to.deep.equal(['delivered', 'quiet'])
      await fails()
      expect(room.posts.map(({ event }) => event)).to.deep.equal([override, 'resource.failed'])
      expect(await at('2030-03-31T04:59:00Z')).to.equal(2)
      expect(await at('2030-03-31T05:00:01Z')).to.equal(3)
      expect(await states()).to.deep.equal(['delivered', 'delivered', 'delivered'])
      expect(await said(), 'in the morning').to.equal(4)
    },
  )

  deepIt('wait through quiet hours of one day, from their first minute to before their last', async () => {
    await begin('2030-01-15T03:00:00Z', { quietHours: { timezone: 'America/New_York', from: '22:00', to: '23:30' } })
    expect(await said(), '22:00').to.equal(0)
    expect(await at('2030-01-15T04:29:00Z')).to.equal(0)
    expect(await said(), '23:29').to.equal(0)
    expect(await at('2030-01-15T04:30:01Z')).to.equal(2)
    expect(await said(), '23:30').to.equal(3)
  })

  it('are told once an hour, in one message; failures at once', async () => {
    await begin('2030-01-15T10:20:00Z', { digest: 'hourly' })
    expect([await said(), await said()]).to.deep.equal([0, 0])
    await fails()
    expect(room.posts.splice(0).map(({ event }) => event)).to.deep.equal(['resource.failed'])
    expect(await at('2030-01-15T10:59:00Z')).to.equal(0)
    expect(await at('2030-01-15T11:00:01Z')).to.equal(1)
    const all = await deliveriesOf(f, `&event_type=${override}`)
    const digest = all.find(({ kind }) => kind === 'digest')
    const parts = all.filter(({ kind }) => kind === 'event')
    expect(digest).to.include({ id: room.posts[0]!.delivery, status: 'delivered', tries: 1 })
    expect(parts.map(({ status, foldedInto }) => [status, foldedInto])).to.deep.equal(
      Array(2).fill(['folded', digest.id]),
    )
    const { event } = await done(f, 'GET', `/notifications/deliveries/${digest.id}`)
    expect(event.data.events.map((one: any) => one.id)).to.deep.equal(parts.map(({ eventID }) => eventID).toReversed())
    for (const { title } of parts) expect(room.posts[0]!.text).to.include(title)
    expect(await at('2030-01-15T13:00:01Z'), 'nothing more to tell').to.equal(1)
    expect(await said()).to.equal(1)
    expect(await at('2030-01-15T14:00:01Z')).to.equal(2)
  })

  deepIt('are told at nine of the zone once a day', async () => {
    // 9:00 in Kolkata is 03:30 UTC.
    await begin('2030-01-15T03:31:00Z', { digest: 'daily', timezone: 'Asia/Kolkata' })
    await said()
    expect(await at('2030-01-15T23:59:00Z')).to.equal(0)
    await said()
    expect(await at('2030-01-16T03:29:00Z')).to.equal(0)
    expect(await at('2030-01-16T03:30:01Z')).to.equal(1)
    expect(await states()).to.have.members(['folded', 'folded', 'delivered'])
  })

  deepIt('wait for the end of quiet hours where their hour falls into them', async () => {
    const quietHours = { timezone: 'UTC', from: '22:00', to: '06:00' }
    await begin('2030-01-15T21:50:00Z', { digest: 'hourly', quietHours })
    await said()
    await said()
    expect(await at('2030-01-15T22:00:01Z')).to.equal(0)
    expect(await at('2030-01-16T05:59:00Z')).to.equal(0)
    expect(await at('2030-01-16T06:00:01Z')).to.equal(1)
  })

  deepIt('are given up with their channel', async () => {
    await begin('2030-01-15T10:20:00Z', { digest: 'hourly' })
    await said()
    await done(f, 'PUT', `/notifications/channels/${id}`, {
      config: { quietHours: { timezone: 'UTC', from: '10:00', to: '12:00' } },
    })
    await said()
    expect(await states()).to.deep.equal(['digest', 'quiet'])
    await done(f, 'DELETE', `/notifications/channels/${id}`)
    await calm(f)
    expect((await deliveriesOf(f)).map(({ status, message }) => [status, message])).to.deep.equal(
      Array(2).fill(['failed', 'The channel was deleted.']),
    )
    expect(await at('2030-01-15T14:00:00Z')).to.equal(0)
  })
})

describe('anomalies of one day', () => {
  let receivers: Chat
  let org: Tenant
  before(async () => void (receivers = await chat()))
  after(() => receivers.end())
  beforeEach(async () => void (org = await tenant()))
  afterEach(resetClock)

  /** A channel that tells of all of them. */
  async function listening(config: object): Promise<{ room: Room; id: string }> {
    const room = receivers.room()
    const id = await channelTo(org, room, config)
    const keys = (await keysOf(org)).filter((key) => key.startsWith('cost.anomaly'))
    const subscriptions = keys.map((eventType) => ({ channelID: id, eventType, scopeType: 'org', scopeID: '' }))
    await done(org, 'POST', '/notifications/subscriptions/bulk', { subscriptions })
    return { room, id }
  }
  /** Two accounts of 100 a day each that cost this on the day. */
  async function spike(first: number, second: number): Promise<void> {
    const fortnight = Array.from({ length: 14 }, () => 100)
    const other = { cloudAccountId: 'acct-2', resourceUid: 'r2' }
    await publish(org, [
      ...daysBefore(fortnight),
      ...daysBefore(fortnight, other),
      line(0, first),
      line(0, second, other),
    ])
    await detect(org)
    await calm(org)
  }

  deepIt('are told together where they have one cause and the channel wishes so', async () => {
    const [folding, plain] = [await listening({ fold: true }), await listening({})]
    await spike(200, 400)
    expect([plain.room.posts.length, folding.room.posts.length]).to.deep.equal([2, 0])
    await advance(61, org.orgId)
    await calm(org)
    expect([plain.room.posts.length, folding.room.posts.length]).to.deep.equal([2, 2])
    const all = await deliveriesOf(org, `&channel_id=${folding.id}`)
    const wholes = all.filter(({ status }) => status === 'delivered')
    const parts = wholes.map(({ id }) => {
      const keys: string[] = all.filter(({ foldedInto }) => foldedInto === id).map(({ eventType }) => eventType)
      return keys.toSorted()
    })
    expect(parts.toSorted((a, b) => a.length - b.length)).to.deep.equal([
      // r1 and its account.
      ['cost.anomaly.resource.critical'],
      // r2, its account and the organization, which is at 600 of 200: r2 has most of it.
      ['cost.anomaly.resource.critical'],
    ])
    expect(all.length).to.equal(4)
  })

  deepIt('count as told by a message that tells of several', async () => {
    await listening({ fold: true })
    await spike(100, 400)
    expect((await anomalies(org)).map(({ notified }) => notified)).to.deep.equal([false, false, false])
    await advance(61, org.orgId)
    await calm(org)
    expect((await anomalies(org)).map(({ notified }) => notified)).to.deep.equal([true, true, true])
  })

  deepIt('do not wait where they are critical; warnings do', async () => {
    await setClock(new Date('2030-01-15T23:00:00Z'), org.orgId)
    const quietHours = { timezone: 'UTC', from: '22:00', to: '06:00' }
    const channels = [await listening({ quietHours }), await listening({ digest: 'daily' })]
    // The one account and its resource double, those of the other rise by half.
    await spike(200, 150)
    const told = () =>
      channels.map(({ room }) =>
        room.posts
          .splice(0)
          .map(({ event }) => event)
          .toSorted(),
      )
    const urgent = ['cost.anomaly.resource.critical']
    expect(told()).to.deep.equal([urgent, urgent])
    await setClock(new Date('2030-01-16T06:00:01Z'), org.orgId)
    await calm(org)
    expect(told()).to.deep.equal([['cost.anomaly.resource.warning'], []])
    await setClock(new Date('2030-01-16T09:00:01Z'), org.orgId)
    await calm(org)
    expect(told()).to.deep.equal([[], ['cost.anomaly.resource.warning']])
  })
})
