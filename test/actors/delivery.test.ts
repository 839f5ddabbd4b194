import { expect } from 'chai'
import { quietUntil } from '#actors/notification/delivery/times.ts'
import { deliveryActor } from '#actors/notification/delivery/delivery.ts'
import type { ChannelFacts } from '#actors/notification/delivery/needs.ts'
import { uuidOf } from '#engine/value/id.ts'
import {
  deliveryDropped,
  deliveryDue,
  deliveryFolded,
  deliveryRecorded,
  deliveryReleased,
  deliveryReported,
  deliveryWanted,
} from '#streams/notification/messages.ts'
import { event, spike } from '#test/harness/told.ts'
import { MemoryActor, type Done } from '#test/harness/turn.ts'

const of = { channelId: 'c-1', deliveryId: 'd-1' }
const needs = (fields: Partial<ChannelFacts> = {}) =>
  new Map([
    [
      'o1\0c-1',
      {
        exists: true,
        isMail: false,
        options: {},
        hasFailed: false,
        brokenSince: null,
        nextProbeAt: null,
        waiting: 0,
        ...fields,
      },
    ],
  ])
const delivery = () => new MemoryActor(deliveryActor, { place: 'c-1', key: 'd-1' })
const statuses = (done: Done) => done.facts.map(({ row }) => [row.status, row.tries, row.response_status])
const calls = (done: Done) => done.calls.map(({ key }) => key)
const report = (
  tries: number,
  outcome: 'delivered' | 'retry' | 'final',
  responseStatus: number,
  more: object = {},
) => ({
  ...of,
  tries,
  outcome,
  responseStatus,
  message: outcome === 'delivered' ? '' : `The server returned HTTP ${responseStatus}.`,
  ...more,
})

describe('a delivery', () => {
  it('is tried five times, 1, 5, 30 and 120 seconds apart, and then failed [G-94]', () => {
    const one = delivery()
    const first = one.take(deliveryWanted, { ...of, event: event() }, { needs: needs() })
    expect([calls(first), statuses(first)]).to.deep.equal([['deliver/o1/c-1/d-1/1'], [['pending', 0 + 1, 0]]])
    const pauses: number[] = []
    for (let tries = 1; tries <= 4; tries++) {
      const done = one.take(deliveryReported, report(tries, 'retry', 500), { needs: needs() })
      expect(statuses(done)).to.deep.equal([['pending', tries, 500]])
      pauses.push(one.reminders.get('retry')! - one.now)
      const again = one.take(
        deliveryDue,
        { ...of, why: 'retry' },
        { at: one.reminders.get('retry')!, reminder: 'retry', needs: needs() },
      )
      expect(calls(again)).to.deep.equal([`deliver/o1/c-1/d-1/${tries + 1}`])
    }
    expect(pauses).to.deep.equal([1000, 5000, 30_000, 120_000])
    const last = one.take(deliveryReported, report(5, 'retry', 503), { needs: needs() })
    expect([statuses(last), last.removed, one.reminders.size]).to.deep.equal([[['failed', 5, 503]], true, 0])
    expect(last.emitted.map(({ type, data }) => [type, data.delivered, data.responseStatus])).to.deep.equal([
      ['channel.tried', false, 503],
    ])
  })

  it('is one row of the log whenever its turn is run: a message that is sent on to its lane again comes at another time of it', () => {
    const time = Date.parse('2026-01-15T09:59:58.500Z')
    const createdAt = [0, 60_000].map((late) => {
      const wanted = { ...of, event: event() }
      const { facts } = delivery().take(deliveryWanted, wanted, { at: time + 1500 + late, time, needs: needs() })
      return facts.map(({ row }) => row.created_at)
    })
    expect(createdAt).to.deep.equal(Array(2).fill(['2026-01-15T09:59:58.500Z']))
  })

  it('waits as long as its receiver asks, instead of the next pause [G-94]', () => {
    const one = delivery()
    one.take(deliveryWanted, { ...of, event: event() }, { needs: needs() })
    one.take(deliveryReported, report(1, 'retry', 429, { retryAfterMs: 90_000 }), { needs: needs() })
    expect(one.reminders.get('retry')! - one.now).to.equal(90_000)
  })

  it('of somebody who is gone fails with that reason, and says nothing of the channel', () => {
    const one = delivery()
    one.take(deliveryWanted, { ...of, event: event() }, { needs: needs() })
    const gone = { ...report(1, 'final', 0, { isGone: true }), message: 'The recipient has unsubscribed.' }
    const done = one.take(deliveryReported, gone, { needs: needs({ hasFailed: true }) })
    expect(done.facts.map(({ row }) => [row.status, row.message])).to.deep.equal([
      ['failed', 'The recipient has unsubscribed.'],
    ])
    expect([done.removed, done.emitted]).to.deep.equal([true, []])
  })

  it('ends with the first word that is final, and knows a report of a try before', () => {
    const one = delivery()
    one.take(deliveryWanted, { ...of, event: event() }, { needs: needs() })
    one.take(deliveryReported, report(1, 'retry', 500), { needs: needs() })
    expect(one.take(deliveryReported, report(1, 'final', 404), { needs: needs() }).facts).to.deep.equal([])
    one.take(deliveryDue, { ...of, why: 'retry' }, { reminder: 'retry', needs: needs() })
    expect(one.take(deliveryReported, report(1, 'delivered', 200), { needs: needs() }).facts).to.deep.equal([])
    const done = one.take(deliveryReported, report(2, 'final', 404), { needs: needs() })
    expect([statuses(done), done.removed]).to.deep.equal([[['failed', 2, 404]], true])
  })

  it('by mail is called for beside those of chats, which wait for no mail server', () => {
    const names = [false, true].map((isMail) => {
      const done = delivery().take(deliveryWanted, { ...of, event: event() }, { needs: needs({ isMail }) })
      return done.calls.map(({ name, key }) => [name, key])
    })
    expect(names).to.deep.equal([[['deliver', 'deliver/o1/c-1/d-1/1']], [['deliver-mail', 'deliver/o1/c-1/d-1/1']]])
  })

  it('says nothing to a channel that works, and tells one that failed that it works again', () => {
    const ends = [false, true].map((hasFailed) => {
      const one = delivery()
      one.take(deliveryWanted, { ...of, event: event() }, { needs: needs({ hasFailed }) })
      const done = one.take(deliveryReported, report(1, 'delivered', 200), { needs: needs({ hasFailed }) })
      expect([statuses(done), done.removed]).to.deep.equal([[['delivered', 1, 200]], true])
      return done.emitted.map(({ type, data }) => [type, data.delivered])
    })
    expect(ends).to.deep.equal([[], [['channel.tried', true]]])
  })

  it('makes anomalies known as notified once a receiver has accepted them, each of several [ANOM-03]', () => {
    const one = delivery()
    const many = event({ category: 'cost_anomaly', data: { events: [spike('warning'), spike('critical', 'i-2')] } })
    one.take(deliveryWanted, { ...of, event: many }, { needs: needs() })
    const done = one.take(deliveryReported, report(1, 'delivered', 200), { needs: needs() })
    const at = new Date(one.now).toISOString()
    expect(done.emitted).to.deep.equal([
      { type: 'anomaly.notified', data: { type: 'resource', key: 'i-1', date: '2026-01-14', at } },
      { type: 'anomaly.notified', data: { type: 'resource', key: 'i-2', date: '2026-01-14', at } },
    ])
    const org = delivery()
    const whole = { ...spike('warning'), scope: { type: 'org' as const, id: '' } }
    org.take(deliveryWanted, { ...of, event: whole }, { needs: needs() })
    const told = org.take(deliveryReported, report(1, 'delivered', 200), { needs: needs() })
    expect(told.emitted[0]!.data).to.include({ type: 'org', key: 'o1' })
    const failed = delivery()
    failed.take(deliveryWanted, { ...of, event: spike('warning') }, { needs: needs() })
    const nothing = failed.take(deliveryReported, report(1, 'final', 410), { needs: needs() })
    expect(nothing.emitted.map(({ type }) => type)).to.deep.equal(['channel.tried'])
  })

  it('of a channel that was deleted, or has ten thousand waiting, fails untried with that reason', () => {
    const cases = [
      [{ exists: false }, 'The channel was deleted.'],
      [{ waiting: 10_000 }, 'The channel already has 10000 deliveries waiting.'],
    ] as const
    for (const [facts, reason] of cases) {
      const done = delivery().take(deliveryWanted, { ...of, event: event() }, { needs: needs(facts) })
      expect(calls(done)).to.deep.equal([])
      expect(done.facts.map(({ row }) => [row.status, row.message])).to.deep.equal([['failed', reason]])
      expect([done.removed, done.emitted]).to.deep.equal([true, []])
    }
  })

  it('waits for a broken channel, a day at most, and goes on when that works again', () => {
    const broken = { hasFailed: true, brokenSince: new Date(0), nextProbeAt: new Date('2026-01-15T12:00:00Z') }
    const one = delivery()
    const done = one.take(deliveryWanted, { ...of, event: event() }, { needs: needs(broken) })
    expect([calls(done), statuses(done), done.facts[0]!.row.hold]).to.deep.equal([[], [['held', 0, 0]], 'circuit'])
    expect(one.reminders.get('limit')! - one.now).to.equal(86_400_000)
    const probe = one.take(deliveryReleased, of, { needs: needs(broken) })
    expect(calls(probe)).to.deep.equal(['deliver/o1/c-1/d-1/1'])
    expect([statuses(probe), probe.facts[0]!.row.hold], 'as any that is tried').to.deep.equal([[['pending', 1, 0]], ''])
    const failed = one.take(deliveryReported, report(1, 'retry', 500), { needs: needs(broken) })
    expect([statuses(failed), failed.removed]).to.deep.equal([[['held', 1, 500]], false])
    expect(failed.emitted.map(({ type, data }) => [type, data.delivered])).to.deep.equal([['channel.tried', false]])
    const free = one.take(deliveryReleased, of, { needs: needs({ hasFailed: false }) })
    expect(calls(free)).to.deep.equal(['deliver/o1/c-1/d-1/2'])
    const late = delivery()
    late.take(deliveryWanted, { ...of, event: event() }, { needs: needs(broken) })
    const over = late.take(deliveryDue, { ...of, why: 'limit' }, { reminder: 'limit', needs: needs(broken) })
    expect(over.facts.map(({ row }) => [row.status, row.message])).to.deep.equal([
      ['failed', 'Not delivered within a day.'],
    ])
  })

  it('that was a probe goes on as any other where its channel came to work meanwhile', () => {
    const broken = { hasFailed: true, brokenSince: new Date(0), nextProbeAt: new Date('2026-01-15T12:00:00Z') }
    const one = delivery()
    one.take(deliveryWanted, { ...of, event: event() }, { needs: needs(broken) })
    one.take(deliveryReleased, of, { needs: needs(broken) })
    const done = one.take(deliveryReported, report(1, 'retry', 500), { needs: needs() })
    expect([statuses(done), done.facts[0]!.row.hold, done.emitted]).to.deep.equal([[['pending', 1, 500]], '', []])
    expect([...one.reminders]).to.deep.equal([['retry', one.now + 1000]])
    const again = one.take(deliveryDue, { ...of, why: 'retry' }, { reminder: 'retry', needs: needs() })
    expect(calls(again)).to.deep.equal(['deliver/o1/c-1/d-1/2'])
  })

  it('asks a broken channel to be let go where it is time to find out whether that works again', () => {
    const facts = { hasFailed: true, brokenSince: new Date(0), nextProbeAt: new Date(0) }
    const one = delivery()
    const done = one.take(deliveryWanted, { ...of, event: event() }, { needs: needs(facts) })
    expect([calls(done), statuses(done)]).to.deep.equal([[], [['held', 0, 0]]])
    expect(done.emitted).to.deep.equal([{ type: 'channel.probe_due', data: { channelId: 'c-1' } }])
    expect(calls(one.take(deliveryReleased, of, { needs: needs(facts) }))).to.deep.equal(['deliver/o1/c-1/d-1/1'])
  })

  it('waits for the end of quiet hours over midnight, unless it is urgent', () => {
    const quiet = { options: { quietHours: { timezone: 'Europe/Berlin', from: '22:00', to: '07:30' } } }
    const at = Date.parse('2026-01-15T23:10:00Z')
    const urgent = [
      spike('critical'),
      spike('emergency'),
      event({ eventType: 'budget.exceeded' }),
      event({ eventType: 'resource.failed' }),
    ]
    for (const one of urgent) {
      const done = delivery().take(deliveryWanted, { ...of, event: one }, { at, needs: needs(quiet) })
      expect(calls(done), one.eventType).to.have.length(1)
    }
    const one = delivery()
    const done = one.take(deliveryWanted, { ...of, event: spike('warning') }, { at, needs: needs(quiet) })
    expect([calls(done), done.facts[0]!.row.hold]).to.deep.equal([[], 'quiet'])
    expect(new Date(one.reminders.get('quiet')!).toISOString()).to.equal('2026-01-16T06:30:00.000Z')
    const due = { at: one.reminders.get('quiet')!, reminder: 'quiet', needs: needs(quiet) }
    expect(calls(one.take(deliveryDue, { ...of, why: 'quiet' }, due))).to.have.length(1)
    for (const [time, waits] of [
      ['20:59', 0],
      ['21:00', 1],
      ['06:29', 1],
      ['06:30', 0],
    ] as const) {
      const other = delivery()
      const when = Date.parse(`2026-01-15T${time}:00Z`)
      const told = other.take(deliveryWanted, { ...of, event: spike('warning') }, { at: when, needs: needs(quiet) })
      expect(told.calls.length, time).to.equal(1 - waits)
    }
  })

  it('is collected for a digest at 9:00 of its zone, or for the full hour, unless it is urgent', () => {
    const at = Date.parse('2026-01-15T10:20:00Z')
    for (const [options, due] of [
      [{ digest: 'daily', timezone: 'America/New_York' }, '2026-01-15T14:00:00.000Z'],
      [{ digest: 'hourly' }, '2026-01-15T11:00:00.000Z'],
      [{ digest: 'daily' }, '2026-01-16T09:00:00.000Z'],
      [{ digest: 'hourly', quietHours: { timezone: 'UTC', from: '11:00', to: '13:30' } }, '2026-01-15T13:30:00.000Z'],
    ] as const) {
      const done = delivery().take(deliveryWanted, { ...of, event: event() }, { at, needs: needs({ options }) })
      expect(calls(done)).to.deep.equal([])
      expect(done.emitted).to.deep.equal([
        { type: 'digest.added', data: { ...of, key: 'digest', event: event(), due } },
      ])
      const urgent = delivery().take(
        deliveryWanted,
        { ...of, event: spike('critical') },
        { at, needs: needs({ options }) },
      )
      expect(calls(urgent)).to.have.length(1)
    }
  })

  it('of an anomaly is folded with others of its day and cause where the channel asks for it', () => {
    const at = Date.parse('2026-01-15T10:20:00Z')
    const options = { fold: true }
    const done = delivery().take(deliveryWanted, { ...of, event: spike('critical') }, { at, needs: needs({ options }) })
    expect(done.emitted.map(({ data }) => [data.key, data.due])).to.deep.equal([
      [`fold|2026-01-14|${uuidOf('cause', 'i-1')}`, '2026-01-15T10:21:00.000Z'],
    ])
    const without = delivery().take(
      deliveryWanted,
      { ...of, event: spike('critical', 'i-1', '') },
      { at, needs: needs({ options }) },
    )
    expect(calls(without), 'of no known cause').to.have.length(1)
  })

  it('waits for the digest of a channel that folds too, unless it is urgent', () => {
    const at = Date.parse('2026-01-15T10:20:00Z')
    const options = { fold: true, digest: 'hourly' } as const
    const [kept, urgent] = (['warning', 'critical'] as const).map((severity) => {
      const done = delivery().take(deliveryWanted, { ...of, event: spike(severity) }, { at, needs: needs({ options }) })
      return done.emitted.map(({ data }) => [data.key, data.due])
    })
    expect(kept).to.deep.equal([['digest', '2026-01-15T11:00:00.000Z']])
    expect(urgent).to.deep.equal([[`fold|2026-01-14|${uuidOf('cause', 'i-1')}`, '2026-01-15T10:21:00.000Z']])
  })

  it('ends as folded, dropped or as the edge has sent it', () => {
    const held = { hasFailed: true, brokenSince: new Date(0), nextProbeAt: new Date('2026-02-01') }
    const one = delivery()
    one.take(deliveryWanted, { ...of, event: event() }, { needs: needs(held) })
    const folded = one.take(deliveryFolded, { ...of, into: 'd-9' }, { needs: needs(held) })
    expect(folded.facts.map(({ row }) => [row.status, row.folded_into])).to.deep.equal([['folded', 'd-9']])
    const two = delivery()
    two.take(deliveryWanted, { ...of, event: event() }, { needs: needs(held) })
    const dropped = two.take(deliveryDropped, { ...of, message: 'The channel was deleted.' }, { needs: needs(held) })
    expect(dropped.facts.map(({ row }) => [row.status, row.message])).to.deep.equal([
      ['failed', 'The channel was deleted.'],
    ])
    const sent = delivery().take(
      deliveryRecorded,
      { ...of, event: event(), kind: 'test', delivered: true, responseStatus: 204, message: '' },
      { needs: needs() },
    )
    expect(sent.facts.map(({ row }) => [row.kind, row.status, row.tries, row.response_status])).to.deep.equal([
      ['test', 'delivered', 1, 204],
    ])
    expect([sent.removed, sent.emitted]).to.deep.equal([true, []])
  })

  it('waits through quiet hours within one day to before their last minute', () => {
    const quietHours = { timezone: 'UTC', from: '09:00', to: '10:30' }
    const until = (time: string) => quietUntil({ quietHours }, new Date(`2026-01-15T${time}Z`))?.toISOString()
    const end = '2026-01-15T10:30:00.000Z'
    expect(['08:59:59', '09:00:00', '10:29:59', '10:30:00', '10:30:59'].map(until)).to.deep.equal([
      undefined,
      end,
      end,
      undefined,
      undefined,
    ])
  })
})
