import { expect } from 'chai'
import fc from 'fast-check'
import { scheduleActor } from '#actors/schedule/actor.ts'
import { schedulerEventActor } from '#actors/schedule/event-actor.ts'
import { eventIdOf } from '#actors/schedule/fire.ts'
import { uuidOf } from '#engine/value/id.ts'
import { schedulerMemberEnded } from '#streams/action/messages.ts'
import {
  scheduleDue,
  schedulerEventRecorded,
  schedulerEventSized,
  scheduleRemoved,
  scheduleSaved,
  type ScheduleTerms,
} from '#streams/schedule.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const at = (text: string) => Date.parse(`${text}Z`)
const night: ScheduleTerms = {
  name: 'Night',
  description: null,
  timezone: 'Europe/Berlin',
  rules: [
    { action: 'stop', cron: '0 20 * * 1-5' },
    { action: 'start', cron: '0 7 * * 1-5' },
  ],
  resourceUids: ['i-1', 'i-2', 'i-9'],
  resourceGroupIds: [],
  skipDates: [],
  enabled: true,
}
/** i-1 is in two accounts, i-9 in none. */
const accounts = new Map([
  [
    'o1',
    new Map([
      ['i-1', ['acct-1', 'acct-2']],
      ['i-2', ['acct-1']],
    ]),
  ],
])

/** A schedule made on Monday noon. */
function made(terms: Partial<ScheduleTerms> = {}) {
  const actor = new MemoryActor(scheduleActor, { place: 's-1', key: 's-1' })
  const noon = at('2030-01-07T12:00:00')
  const saved = { scheduleId: 's-1', isNew: true as const, terms: { ...night, ...terms } }
  expect(actor.take(scheduleSaved, saved, { at: noon }).replies).to.deep.equal([{ id: 's-1' }])
  return actor
}
const due = (actor: ReturnType<typeof made>, fire: string, late = 0, revision = actor.state.revision) => {
  const data = { scheduleId: 's-1', revision, fire: `${fire}Z` }
  return actor.take(scheduleDue, data, { at: at(fire) + late, needs: accounts, reminder: 'due' })
}
const next = (actor: ReturnType<typeof made>) => {
  const reminder = actor.reminders.get('due')
  expect(actor.state.nextRunAt?.getTime()).to.equal(reminder)
  return reminder && new Date(reminder).toISOString().slice(0, 16)
}
const patch = (actor: ReturnType<typeof made>, terms: Partial<ScheduleTerms>, when?: string) =>
  actor.take(scheduleSaved, { scheduleId: 's-1', isNew: false, terms }, when === undefined ? {} : { at: at(when) })

describe('a schedule', () => {
  it('fires with one event and one action for each account of each resource [G-21]', () => {
    const actor = made()
    expect(next(actor)).to.equal('2030-01-07T19:00')
    const done = due(actor, '2030-01-07T19:00:00.000', 40)
    const fire = '2030-01-07T19:00:00.000Z'
    const eventId = eventIdOf('o1', 's-1', fire, 'stop')
    const wanted = (account: string, uid: string) => ({
      type: 'action.wanted',
      data: {
        actionId: uuidOf('fire', 's-1', fire, account, uid),
        cloudAccountId: account,
        resourceUid: uid,
        action: 'stop',
        reason: 'schedule Night',
        source: { type: 'schedule', id: 's-1', name: 'Night', eventId },
      },
    })
    expect(done.emitted).to.deep.equal([
      {
        type: 'scheduler_event.recorded',
        data: {
          eventId,
          scheduleId: 's-1',
          action: 'stop',
          triggeredAt: fire,
          resourceUids: ['i-1', 'i-2', 'i-9'],
          status: 'triggered',
          wanted: 4,
          failed: 1,
          hasGroups: false,
          at: '2030-01-07T19:00:00.040Z',
        },
      },
      wanted('acct-1', 'i-1'),
      wanted('acct-2', 'i-1'),
      wanted('acct-1', 'i-2'),
    ])
    expect([actor.state.lastRunAt, next(actor)]).to.deep.equal([new Date(fire), '2030-01-08T06:00'])
  })

  it('hands its groups to one bulk action, beside what it names itself [G-23]', () => {
    const actor = made({ resourceUids: ['i-2'], resourceGroupIds: ['g-1', 'g-2'] })
    const { emitted } = due(actor, '2030-01-07T19:00:00.000')
    const fire = '2030-01-07T19:00:00.000Z'
    const bulkId = uuidOf('fire-bulk', 's-1', fire, 'stop')
    const eventId = eventIdOf('o1', 's-1', fire, 'stop')
    expect(emitted.map(({ type }) => type)).to.deep.equal([
      'scheduler_event.recorded',
      'action.wanted',
      'bulk.requested',
    ])
    expect(emitted[0]!.data).to.include({ wanted: 1, failed: 0, hasGroups: true, status: 'triggered' })
    expect(emitted[2]!.data).to.deep.equal({
      bulkId,
      groupIds: ['g-1', 'g-2'],
      except: ['i-2'],
      action: 'stop',
      reason: 'schedule Night',
      source: { type: 'schedule', id: 's-1', name: 'Night', eventId, bulkId },
    })
  })

  it('of nothing completes at once, of resources that no account has fails at once', () => {
    const recorded = (resourceUids: string[]) => {
      const { emitted } = due(made({ resourceUids }), '2030-01-07T19:00:00.000')
      expect(emitted).to.have.length(1)
      const { status, wanted, failed } = emitted[0]!.data
      return { status, wanted, failed }
    }
    expect(recorded([])).to.deep.equal({ status: 'completed', wanted: 0, failed: 0 })
    expect(recorded(['i-8', 'i-9'])).to.deep.equal({ status: 'failed', wanted: 0, failed: 2 })
  })

  it('starts, and does not stop, where both come in one minute', () => {
    const rules = [
      { action: 'stop' as const, cron: '0 20 * * *' },
      { action: 'start' as const, cron: '0 20 * * *' },
    ]
    for (const order of [rules, rules.toReversed()]) {
      const { emitted } = due(made({ rules: order, resourceUids: ['i-2'] }), '2030-01-07T19:00:00.000')
      expect(emitted.map(({ data }) => data.action)).to.deep.equal(['start', 'start'])
    }
  })

  it('runs fires of up to 15 minutes ago, oldest first, and records older ones as missed [G-21]', () => {
    const actor = made({ rules: [{ action: 'stop', cron: '*/10 * * * *' }], resourceUids: ['i-2'] })
    const { emitted } = due(actor, '2030-01-07T12:10:00.000', 35 * 60_000)
    const events = emitted.filter(({ type }) => type === 'scheduler_event.recorded')
    expect(events.map(({ data }) => `${data.triggeredAt.slice(11, 16)} ${data.status}`)).to.deep.equal([
      '12:10 missed',
      '12:20 missed',
      '12:30 triggered',
      '12:40 triggered',
    ])
    expect(events[0]!.data)
      .to.include({ wanted: 0 })
      .and.to.deep.include({ resourceUids: ['i-2'] })
    expect(emitted.filter(({ type }) => type === 'action.wanted')).to.have.length(2)
    expect(actor.state.lastRunAt).to.deep.equal(new Date(at('2030-01-07T12:40:00')))
    expect(next(actor)).to.equal('2030-01-07T12:50')
  })

  it('writes down a hundred missed fires of a long outage and passes over the rest', () => {
    const actor = made({ rules: [{ action: 'stop', cron: '* * * * *' }], resourceUids: [] })
    const { emitted } = due(actor, '2030-01-07T12:01:00.000', 30 * 86_400_000)
    const count = (status: string) => emitted.filter(({ data }) => data.status === status).length
    expect([count('missed'), count('completed')]).to.deep.equal([100, 16])
    expect(next(actor)).to.equal('2030-02-06T12:02')
  })

  it('is not asked twice by what was due before its times were changed, nor after it was switched off', () => {
    const actor = made()
    patch(actor, { timezone: 'UTC' }, '2030-01-07T18:59:00')
    expect(next(actor)).to.equal('2030-01-07T20:00')
    expect(due(actor, '2030-01-07T19:00:00.000', 0, 1).emitted).to.deep.equal([])
    expect(next(actor)).to.equal('2030-01-07T20:00')
    patch(actor, { enabled: false }, '2030-01-07T19:30:00')
    expect(next(actor)).to.equal(undefined)
    expect(due(actor, '2030-01-07T20:00:00.000', 0, actor.state.revision).emitted).to.deep.equal([])
    // What would have fired meanwhile is not made up for.
    patch(actor, { enabled: true }, '2030-01-07T20:05:00')
    expect(next(actor)).to.equal('2030-01-08T07:00')
  })

  it('fires once, and goes on, where what was due before a change comes at a time it still has', () => {
    const actor = made({ resourceUids: [] })
    patch(actor, { rules: [{ action: 'stop', cron: '0 20 * * *' }] }, '2030-01-07T18:59:59.990')
    expect(due(actor, '2030-01-07T19:00:00.000', 5, 1).emitted).to.have.length(1)
    expect(next(actor)).to.equal('2030-01-08T19:00')
    expect(due(actor, '2030-01-07T19:00:00.000', 10, 2).emitted).to.deep.equal([])
  })

  it('runs what was due by the times of before when they change first, and not again behind it', () => {
    const actor = made({ resourceUids: ['i-2'] })
    const terms = { skipDates: ['2030-12-25'] }
    const changed = actor.take(
      scheduleSaved,
      { scheduleId: 's-1', isNew: false, terms },
      { at: at('2030-01-07T19:05:00'), needs: accounts },
    )
    expect(changed.emitted.map(({ type }) => type)).to.deep.equal(['scheduler_event.recorded', 'action.wanted'])
    expect(changed.emitted[1]!.data.action).to.equal('stop')
    expect(due(actor, '2030-01-07T19:00:00.000', 300_001, 1).emitted).to.deep.equal([])
    expect(next(actor)).to.equal('2030-01-08T06:00')
  })

  it('does not lose a fire under way to a change that leaves its times alone', () => {
    const actor = made()
    patch(actor, { name: 'Nights', resourceUids: ['i-2'] }, '2030-01-07T19:00:00.010')
    const { emitted } = due(actor, '2030-01-07T19:00:00.000', 20)
    expect(emitted.map(({ data }) => data.reason ?? data.resourceUids)).to.deep.equal([['i-2'], 'schedule Nights'])
  })

  it('runs for a fire that came before the clock of its lane said so', () => {
    const actor = made({ resourceUids: [] })
    expect(due(actor, '2030-01-07T19:00:00.000', -3).emitted).to.have.length(1)
    expect(next(actor)).to.equal('2030-01-08T06:00')
  })

  it('is missing before it is made and once it is removed', () => {
    const actor = new MemoryActor(scheduleActor, { place: 's-1', key: 's-1' })
    expect(patch(actor, { name: 'x' }).refused).to.equal('not_found')
    expect(actor.take(scheduleRemoved, { scheduleId: 's-1' }).refused).to.equal('not_found')
    const there = made()
    expect(there.take(scheduleRemoved, { scheduleId: 's-1' }).replies).to.deep.equal([{ id: 's-1' }])
    expect([...there.reminders]).to.deep.equal([])
    const again = { scheduleId: 's-1', isNew: true as const, terms: night }
    expect(made().take(scheduleSaved, again).refused).to.equal('already_exists')
  })

  it('does not fire again where its times change before the clock of its lane has come to the fire', () => {
    const actor = made({ resourceUids: [] })
    due(actor, '2030-01-07T19:00:00.000', -3)
    patch(actor, { rules: [{ action: 'stop', cron: '0 20 * * *' }] }, '2030-01-07T18:59:59.998')
    expect(next(actor)).to.equal('2030-01-08T19:00')
  })
})

const recorded = (fields: object = {}) => ({
  eventId: 'e-1',
  scheduleId: 's-1',
  action: 'stop' as const,
  status: 'triggered' as const,
  triggeredAt: '2030-01-07T19:00:00.000Z',
  resourceUids: ['i-1', 'i-2'],
  wanted: 2,
  at: '2030-01-07T19:00:00.040Z',
  ...fields,
})
const event = () => new MemoryActor(schedulerEventActor, { place: 's-1', key: 'e-1' })
const ended = (outcome: 'succeeded' | 'failed' | 'blocked') => ({
  scheduleId: 's-1',
  eventId: 'e-1',
  actionId: 'a-1',
  cloudAccountId: 'acct-1',
  resourceUid: 'i-1',
  outcome,
})
const rows = (facts: readonly { row: any }[]) => facts.map(({ row }) => `${row.resource_uid} ${row.status}`)

describe('what a schedule did', () => {
  it('is over when all its actions are: completed, failed or partial [G-63]', () => {
    const outcome = (...outcomes: ('succeeded' | 'failed' | 'blocked')[]) => {
      const actor = event()
      actor.take(schedulerEventRecorded, recorded({ wanted: outcomes.length }))
      for (const [i, one] of outcomes.entries()) {
        expect(actor.state.status, `before end ${i}`).to.equal('triggered')
        actor.take(schedulerMemberEnded, ended(one))
      }
      return actor.state.status
    }
    expect(outcome('succeeded', 'succeeded')).to.equal('completed')
    expect(outcome('failed', 'failed')).to.equal('failed')
    expect(outcome('succeeded', 'failed')).to.equal('partial')
    // What an override blocked is neither.
    expect(outcome('blocked', 'succeeded')).to.equal('completed')
    expect(outcome('blocked', 'blocked')).to.equal('completed')
    expect(outcome('blocked', 'failed')).to.equal('failed')
    expect(outcome('blocked', 'failed', 'succeeded')).to.equal('partial')
  })

  it('counts what no account has as failed, and is not over by that', () => {
    const actor = event()
    actor.take(schedulerEventRecorded, recorded({ wanted: 2, failed: 1 }))
    expect(actor.state.status).to.equal('triggered')
    actor.take(schedulerMemberEnded, ended('succeeded'))
    expect(actor.state.status).to.equal('partial')
  })

  it('is appended for each resource, and again with each change of its status', () => {
    const actor = event()
    const told = actor.take(schedulerEventRecorded, recorded({ wanted: 1 }))
    expect(rows(told.facts)).to.deep.equal(['i-1 triggered', 'i-2 triggered'])
    expect(told.facts[0]).to.deep.equal({
      table: 'scheduler_event',
      row: {
        org_id: 'o1',
        resource_uid: 'i-1',
        triggered_at: '2030-01-07T19:00:00.000Z',
        schedule_id: 's-1',
        action: 'stop',
        status: 'triggered',
        event_id: 'e-1',
        x_Version: told.facts[0]!.row.x_Version,
      },
    })
    const over = actor.take(schedulerMemberEnded, ended('failed'), { at: at('2030-01-07T19:00:02') })
    expect(rows(over.facts)).to.deep.equal(['i-1 failed', 'i-2 failed'])
    expect(BigInt(over.facts[0]!.row.x_Version) > BigInt(told.facts[0]!.row.x_Version)).to.equal(true)
    expect(actor.take(schedulerMemberEnded, ended('failed')).facts).to.deep.equal([])
  })

  it('that is told again as a last word takes its place, whatever still ends', () => {
    const actor = event()
    actor.take(schedulerEventRecorded, recorded())
    actor.take(schedulerMemberEnded, ended('failed'))
    const last = recorded({ status: 'completed', wanted: 0, resourceUids: ['i-2', 'i-3', 'i-2'] })
    const { facts, replies } = actor.take(schedulerEventRecorded, last)
    expect(replies).to.deep.equal([{ id: 'e-1', resources: ['i-2', 'i-3'] }])
    expect(rows(facts)).to.deep.equal(['i-1 ', 'i-2 completed', 'i-3 completed'])
    for (const outcome of ['failed', 'failed'] as const) actor.take(schedulerMemberEnded, ended(outcome))
    actor.take(schedulerEventRecorded, { ...last, status: 'triggered' })
    actor.take(schedulerMemberEnded, ended('failed'))
    expect(actor.state.status).to.equal('triggered')
    // Told at one time, the later word is the later row.
    const version = (told: typeof last) =>
      BigInt(actor.take(schedulerEventRecorded, told).facts[0]!.row.x_Version) >> 80n
    expect(version(last) < version(last)).to.equal(true)
    expect([actor.state.status, actor.state.resources]).to.deep.equal(['completed', ['i-2', 'i-3']])
  })

  it('with groups is over once all portions were told and have ended, in whatever order that is heard', () => {
    type Word = 'recorded' | 'sized-1' | 'sized-2' | 'direct' | 'first' | 'second' | 'third'
    const words: Word[] = ['recorded', 'sized-1', 'sized-2', 'direct', 'first', 'second', 'third']
    const say = (actor: ReturnType<typeof event>, word: Word) => {
      const sized = (uids: string[]) => ({ scheduleId: 's-1', eventId: 'e-1', uids, members: uids.length, of: 2 })
      if (word === 'recorded')
        return actor.take(schedulerEventRecorded, recorded({ wanted: 1, hasGroups: true, resourceUids: ['i-1'] }))
      if (word === 'sized-1') return actor.take(schedulerEventSized, sized(['m-1', 'm-2']))
      if (word === 'sized-2') return actor.take(schedulerEventSized, sized(['m-3']))
      return actor.take(schedulerMemberEnded, ended(word === 'second' ? 'failed' : 'succeeded'))
    }
    const law = fc.property(fc.shuffledSubarray(words, { minLength: words.length }), (order) => {
      const actor = event()
      const appended = new Map<string, string>()
      for (const [i, word] of order.entries()) {
        const { facts } = say(actor, word)
        expect(new Set(facts.map(({ row }) => row.resource_uid)).size, 'one row each').to.equal(facts.length)
        for (const { row } of facts) appended.set(row.resource_uid, row.status)
        expect(actor.state.status).to.equal(i === order.length - 1 ? 'partial' : 'triggered')
      }
      expect(actor.state.resources).to.have.members(['i-1', 'm-1', 'm-2', 'm-3'])
      expect(Object.fromEntries(appended)).to.deep.equal({
        'i-1': 'partial',
        'm-1': 'partial',
        'm-2': 'partial',
        'm-3': 'partial',
      })
    })
    fc.assert(law, { numRuns: 200 })
  })

  it('with groups that have nobody completes by what was told of them', () => {
    const actor = event()
    actor.take(schedulerEventRecorded, recorded({ wanted: 0, hasGroups: true, resourceUids: [] }))
    expect(actor.state.status).to.equal('triggered')
    actor.take(schedulerEventSized, { scheduleId: 's-1', eventId: 'e-1', uids: [], members: 0, of: 1 })
    expect(actor.state.status).to.equal('completed')
  })
})
