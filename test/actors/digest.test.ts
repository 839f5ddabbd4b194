import { expect } from 'chai'
import { digestActor } from '#actors/notification/delivery/digest.ts'
import { digestAdded, digestDue, type NotificationEvent } from '#streams/notification/messages.ts'
import { event, spike } from '#test/harness/told.ts'
import { MemoryActor } from '#test/harness/turn.ts'

describe('a digest', () => {
  const due = '2026-01-15T11:00:00.000Z'
  const added = (n: number, one: NotificationEvent, key = 'digest') => ({
    channelId: 'c-1',
    deliveryId: `d-${n}`,
    key,
    event: one,
    due,
  })

  it('tells in one delivery what was collected, and which that is', () => {
    const one = new MemoryActor(digestActor, { place: 'c-1', key: 'digest' })
    one.take(digestAdded, added(1, event()))
    one.take(digestAdded, added(2, spike('warning', 'i-2')))
    expect(one.reminders.get('due')).to.equal(Date.parse(due))
    const done = one.take(digestDue, { channelId: 'c-1', key: 'digest' }, { at: Date.parse(due), reminder: 'due' })
    const [wanted, ...folded] = done.emitted
    const told = wanted!.data.event as NotificationEvent
    expect(wanted!.type).to.equal('delivery.wanted')
    expect([told.eventType, told.severity, told.title, told.scope]).to.deep.equal([
      'cost.anomaly.resource.warning',
      'warning',
      '2 notifications: Cost of i-2',
      { type: 'org', id: '' },
    ])
    expect((told.data['events'] as NotificationEvent[]).map(({ id }) => id)).to.deep.equal(['e-1', 'e-warning-i-2'])
    expect(folded.map(({ type, data }) => [type, data.deliveryId, data.into])).to.deep.equal([
      ['delivery.folded', 'd-1', wanted!.data.deliveryId],
      ['delivery.folded', 'd-2', wanted!.data.deliveryId],
    ])
    expect(done.removed).to.equal(true)
  })

  it('is another one for what came too late for it', () => {
    const ids = [1, 2].map((n) => {
      const one = new MemoryActor(digestActor, { place: 'c-1', key: 'digest' })
      one.take(digestAdded, added(n, event({ id: `e-${n}` })))
      const told = one.take(digestDue, { channelId: 'c-1', key: 'digest' }, { at: Date.parse(due), reminder: 'due' })
      return told.emitted[0]!.data.deliveryId as string
    })
    expect(ids[0]).to.not.equal(ids[1])
  })

  it('names two hundred, counts the rest, and leaves none waiting', () => {
    const one = new MemoryActor(digestActor, { place: 'c-1', key: 'digest' })
    const ends = Array.from({ length: 203 }, (_, n) => one.take(digestAdded, added(n, event({ id: `e-${n}` }))).emitted)
    const early = ends.flat()
    expect(early.map(({ type, data }) => [type, data.deliveryId])).to.deep.equal(
      [200, 201, 202].map((n) => ['delivery.folded', `d-${n}`]),
    )
    const done = one.take(digestDue, { channelId: 'c-1', key: 'digest' }, { at: Date.parse(due), reminder: 'due' })
    const told = done.emitted[0]!.data
    expect([told.event.title, told.event.data.events.length, told.event.data.more]).to.deep.equal([
      '203 notifications: The budget of team Payments is nearly used up',
      200,
      3,
    ])
    expect(new Set([...early, ...done.emitted.slice(1)].map(({ data }) => data.into))).to.deep.equal(
      new Set([told.deliveryId]),
    )
  })

  it('of one cause tells it once, and again only what is worse', () => {
    const key = 'fold|2026-01-14|i-1'
    const one = new MemoryActor(digestActor, { place: 'c-1', key })
    one.take(digestAdded, added(1, spike('warning'), key))
    one.take(digestAdded, added(2, spike('critical', 'acct'), key))
    const first = one.take(digestDue, { channelId: 'c-1', key }, { at: Date.parse(due), reminder: 'due' })
    expect(first.emitted[0]!.data.event.title).to.equal('2 notifications with the same cause: Cost of acct')
    expect(first.removed).to.equal(false)
    const same = one.take(digestAdded, added(3, spike('critical', 'org'), key))
    expect(same.emitted.map(({ data }) => [data.deliveryId, data.into])).to.deep.equal([
      ['d-3', first.emitted[0]!.data.deliveryId],
    ])
    const worse = one.take(digestAdded, {
      ...added(4, spike('emergency', 'org'), key),
      due: '2026-01-15T12:00:00.000Z',
    })
    expect(worse.emitted).to.deep.equal([])
    const second = one.take(
      digestDue,
      { channelId: 'c-1', key },
      { at: Date.parse('2026-01-15T12:00:00Z'), reminder: 'due' },
    )
    expect(second.emitted[0]!.data.event).to.include({ title: 'Cost of org', severity: 'emergency' })
    expect(second.emitted[0]!.data.event.scope).to.deep.equal({ type: 'resource', id: 'org' })
    const end = one.take(digestDue, { channelId: 'c-1', key }, { at: one.reminders.get('due')!, reminder: 'due' })
    expect(end.removed).to.equal(true)
  })
})
