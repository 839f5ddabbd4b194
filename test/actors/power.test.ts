import { expect } from 'chai'
import { powerActor } from '#actors/action/power/power.ts'
import type { Holding } from '#actors/action/power/needs.ts'
import { uuidOf } from '#engine/value/id.ts'
import { demandAsked, powerRested } from '#streams/action/messages.ts'
import { execResult } from '#streams/action/exec.ts'
import {
  at,
  iso,
  place,
  type Facts,
  needs,
  manual,
  fire,
  bulk,
  intentOf,
  World,
  of,
  statuses,
  history,
  ends,
  events,
  shows,
  idle,
} from '#test/harness/power.ts'

describe('actor power', () => {
  let w: World
  beforeEach(() => void (w = new World()))

  it('stops a running resource: one call, one row of history, everyone told [ACT-13] [ACT-15]', () => {
    const begun = w.want('a-1', 'stop', manual, {}, 0)
    expect(begun.replies).to.deep.equal([{ actionId: 'a-1' }])
    expect(begun.calls).to.deep.equal([
      {
        key: `exec/o1/${intentOf('a-1')}`,
        name: 'execute-action',
        input: {
          intentId: intentOf('a-1'),
          ...place,
          provider: 'aws',
          type: 'aws-ec2',
          region: 'us-east-1',
          action: 'stop',
          before: null,
        },
      },
    ])
    expect(of(begun, 'exec.intent')).to.deep.equal([
      {
        intentId: intentOf('a-1'),
        kind: 'stop',
        ...place,
        params: {},
        source: { type: 'manual', id: 'u-1' },
        revision: 1,
        dueAt: iso(0),
        attempt: 1,
      },
    ])
    expect(begun.facts.map(({ table, row }) => [table, row.action, row.changed_by])).to.deep.equal([
      ['action_submission', 'stop', 'manual:u-1'],
    ])
    const accepted = w.say('a-1', 'accepted', {}, 1)
    expect(shows(accepted)).to.deep.equal([
      { shows: 'stopping', observed: undefined, n: 1, at: iso(1), until: iso(901) },
    ])
    const done = w.say('a-1', 'succeeded', { observedState: 'stopped' }, 2)
    expect(of(done, 'action.told')).to.deep.equal([
      {
        actionId: 'a-1',
        ...place,
        provider: 'aws',
        resourceType: 'aws-ec2',
        region: 'us-east-1',
        action: 'stop',
        reason: null,
        status: 'succeeded',
        errorMessage: null,
        source: manual,
        attempt: 1,
        nextAttemptAt: null,
        createdAt: iso(0),
        startedAt: iso(1),
        endedAt: iso(2),
        revision: 3,
      },
    ])
    expect(shows(done)).to.deep.equal([{ shows: null, observed: 'stopped', n: 2, at: iso(2), until: undefined }])
    const [{ x_Version: _, ...row }] = history(done)
    expect(row).to.deep.equal({
      org_id: 'o1',
      resource_uid: 'i-1',
      cloud_account_id: 'acct-1',
      action_id: 'a-1',
      state: 'stopped',
      changed_at: iso(2),
      changed_by: 'manual:u-1',
      changed_by_type: 'manual',
      schedule_id: '',
      step: 'done',
      status: 'succeeded',
      error_message: '',
      action: 'stop',
      attempts: 1,
    })
    const [event] = of(done, 'resource.stopped')
    expect([event.title, event.scope, event.data]).to.deep.equal([
      'web was stopped',
      { type: 'resource', id: 'i-1' },
      {
        actionID: 'a-1',
        action: 'stop',
        resourceUid: 'i-1',
        resourceName: 'web',
        resourceType: 'aws-ec2',
        provider: 'aws',
        cloudAccountID: 'acct-1',
        region: 'us-east-1',
        source: 'manual',
        changedBy: 'manual:u-1',
        attempts: 1,
      },
    ])
    expect([...w.actor.reminders]).to.deep.equal([['rest', at(62)]])
    expect([w.actor.state.live, w.actor.state.lastId]).to.deep.equal([null, 'a-1'])
  })

  it('tells of a success that overtakes its beginning as of both', () => {
    w.want('a-1', 'stop')
    const done = w.say('a-1', 'succeeded')
    expect(statuses(done)).to.deep.equal(['a-1 succeeded'])
    expect(of(done, 'action.told')[0].startedAt).to.equal(iso(2))
    expect(w.say('a-1', 'accepted').emitted).to.deep.equal([])
  })

  it('succeeds without a call, a row of history or an event where the resource is so already [G-60]', () => {
    const done = w.want('a-1', 'stop', bulk, { resource: { observed_status: 'stopped' } }, 0)
    expect([done.calls, done.facts, events(done)]).to.deep.equal([[], [], []])
    expect(
      of(done, 'action.told').map(({ status, attempt, startedAt, endedAt }) => [status, attempt, startedAt, endedAt]),
    ).to.deep.equal([['succeeded', 0, null, iso(0)]])
    expect(ends(done)).to.deep.equal(['a-1 succeeded'])
    expect(w.actor.take(powerRested, place, { at: at(60) }).removed).to.equal(true)
  })

  for (const [what, facts, code] of [
    ['a resource that is not known', { resource: null }, 'not_found'],
    ['a resource that is deleted', { resource: { deleted_at: new Date(0) } }, 'not_found'],
    ['an account that is not known', { account: null }, 'not_found'],
    ['an account that was deleted', { account: { status: 'deleted' } }, 'not_found'],
    ['an account that is disabled', { account: { status: 'disabled' } }, 'capability_missing'],
    ['credentials that only read', { account: { permission_verdict: 'read_only' } }, 'capability_missing'],
    ['credentials that do nothing', { account: { permission_verdict: 'none' } }, 'capability_missing'],
    ['what cannot be started', { resource: { schedulable: false } }, 'not_schedulable'],
  ] satisfies [string, Facts, string][])
    it(`refuses ${what} to a person by the fault, to others by telling them [G-60]`, () => {
      const asked = w.want('a-1', 'stop', manual, facts)
      expect([asked.refused, asked.emitted, asked.calls]).to.deep.equal([code, [], []])
      const told = w.want('a-2', 'stop', bulk, facts)
      expect(told.refused).to.equal(undefined)
      expect(ends(told).map((end) => end.split(':')[0])).to.deep.equal(['a-2 failed'])
      expect(w.want('a-3', 'stop', { type: 'override', id: 'o-1' }, facts).emitted).to.deep.equal([])
      expect(w.actor.state).to.include(idle)
    })

  it('takes credentials whose rights are not known', () => {
    expect(w.want('a-1', 'stop', manual, { account: { permission_verdict: 'unknown' } }).calls).to.have.length(1)
  })

  it('refuses people and their bulk actions while one is carried out [G-60]', () => {
    w.want('a-1', 'stop')
    expect(w.want('a-2', 'stop').refused).to.equal('action_in_progress')
    expect(w.want('a-3', 'start').refused).to.equal('action_in_progress')
    expect(ends(w.want('a-4', 'stop', bulk))).to.deep.equal([
      'a-4 failed: The resource is already being started or stopped.',
    ])
    expect(w.actor.state.liveId).to.equal('a-1')
  })

  it('is blocked by an override for schedules alone, whatever they want [G-22]', () => {
    const overrides: Holding[] = [{ id: 'o-1', desired_state: 'running' }]
    const blocked = w.want('a-1', 'stop', fire('e-1'), { overrides })
    expect([ends(blocked), blocked.calls, statuses(blocked)]).to.deep.equal([
      ['a-1 blocked: An override is active for the resource.'],
      [],
      [],
    ])
    const ofBulk = w.want('a-2', 'stop', { ...fire('e-1'), bulkId: 'b-2' }, { overrides })
    expect(of(ofBulk, 'bulk.member_ended').map(({ bulkId, outcome }) => [bulkId, outcome])).to.deep.equal([
      ['b-2', 'blocked'],
    ])
    expect(w.want('a-3', 'stop', manual, { overrides }).calls).to.have.length(1)
  })

  it('merges those who want the same: its end is theirs too', () => {
    w.want('a-1', 'stop')
    const merged = w.want('a-2', 'stop', fire('e-1'))
    expect([merged.calls, merged.emitted]).to.deep.equal([[], []])
    w.want('a-3', 'stop', fire('e-2'))
    const done = w.say('a-1', 'succeeded')
    expect(ends(done)).to.deep.equal(['a-2 succeeded', 'a-3 succeeded'])
    expect(history(done)).to.have.length(1)
  })

  it('lets one wait that wants the other; the next takes its place [G-60]', () => {
    w.want('a-1', 'stop')
    w.want('a-2', 'start', fire('e-1'))
    expect(w.actor.state.waiting?.record).to.include({ actionId: 'a-2', status: 'pending' })
    const replaced = w.want('a-3', 'start', fire('e-2'))
    expect([ends(replaced), statuses(replaced), history(replaced), events(replaced)]).to.deep.equal([
      ['a-2 failed: superseded by schedule:Night:s-1'],
      ['a-2 failed'],
      [],
      [],
    ])
    expect(w.proceed('a-3').emitted).to.deep.equal([])
    const done = w.say('a-1', 'succeeded')
    expect(of(done, 'action.waited')).to.deep.equal([{ ...place, actionId: 'a-3' }])
    expect(w.want('a-4', 'stop').refused).to.equal('action_in_progress')
    const begun = w.proceed('a-3', { resource: { observed_status: 'stopped' } })
    expect(begun.calls.map(({ input }) => input.action)).to.deep.equal(['start'])
    expect(w.actor.state.live?.record).to.include({ actionId: 'a-3', status: 'pending' })
    expect(begun.facts.map(({ table }) => table)).to.deep.equal(['action_submission'])
    expect(ends(w.say('a-3', 'succeeded'))).to.deep.equal(['a-3 succeeded'])
  })

  it('does what was asked for last: who wants again what is carried out takes the place of what waits', () => {
    w.want('a-1', 'stop')
    w.want('a-2', 'start', fire('e-1'))
    const again = w.want('a-3', 'stop', fire('e-2'))
    expect(ends(again)).to.deep.equal(['a-2 failed: superseded by schedule:Night:s-1'])
    const done = w.say('a-1', 'succeeded')
    expect([ends(done), of(done, 'action.waited'), w.actor.state.waiting]).to.deep.equal([['a-3 succeeded'], [], null])
  })

  it('looks anew at what stands in the way of one that has waited', () => {
    const cases: [Facts, string][] = [
      [{ resource: { observed_status: 'running', observed_at: new Date(at(60)) } }, 'a-2 succeeded'],
      [{ resource: null }, 'a-2 failed: No such resource.'],
      [
        { overrides: [{ id: 'o-1', desired_state: 'stopped' }] },
        'a-2 blocked: An override is active for the resource.',
      ],
    ]
    for (const [facts, end] of cases) {
      w = new World()
      w.want('a-1', 'stop')
      w.want('a-2', 'start', fire('e-1'))
      w.say('a-1', 'succeeded')
      const done = w.proceed('a-2', facts)
      expect([ends(done), done.calls, history(done)]).to.deep.equal([[end], [], []])
      expect(w.actor.state).to.include({ live: null, waiting: null, lastId: 'a-2' })
    }
  })

  it('knows what its last action came to, though the resource has not heard of it yet', () => {
    w.want('a-1', 'stop')
    w.say('a-1', 'succeeded', {}, 10)
    expect(statuses(w.want('a-2', 'stop', manual, {}, 11))).to.deep.equal(['a-2 succeeded'])
    expect(w.want('a-3', 'start', manual, {}, 12).calls).to.have.length(1)
    w = new World()
    w.want('a-1', 'stop')
    w.say('a-1', 'succeeded', {}, 10)
    const seenSince = { resource: { observed_status: 'running', observed_at: new Date(at(11)) } } as const
    expect(w.want('a-2', 'start', manual, seenSince, 12).calls).to.deep.equal([])
  })

  it('hears of the same from who carries it out elsewhere, by the id of the try alone', () => {
    w.want('a-1', 'stop')
    const said = { intentId: intentOf('a-1'), occurredAt: iso(5) }
    w.actor.take(execResult, { ...said, status: 'accepted' })
    const done = w.actor.take(execResult, { ...said, status: 'succeeded', observedState: 'gone fishing' })
    expect(shows(done).map(({ observed }) => observed)).to.deep.equal(['stopped'])
    expect(powerActor.reactions.get(execResult.name)!.key({ intentId: intentOf('a-1') } as never)).to.equal('i-1')
    expect(powerActor.reactions.get(execResult.name)!.key({ intentId: 'of nobody' } as never)).to.equal('')
  })

  it('keeps what a stop found for the next start, from the first of its tries', () => {
    const before = { min: 2, max: 5, desired: 3 }
    w.want('a-1', 'stop', manual, {}, 0)
    w.say('a-1', 'accepted', { before }, 1)
    w.say('a-1', 'failed', { retryable: true }, 2)
    w.retry('a-1', 32)
    w.say('a-1', 'accepted', { before: { min: 0, max: 5, desired: 0 } }, 33, 2)
    w.say('a-1', 'succeeded', {}, 34, 2)
    expect(w.actor.take(powerRested, place, { at: at(94) }).removed).to.equal(false)
    expect(w.actor.state).to.deep.include({ ...idle, before, n: w.actor.state.n })
    const start = w.want('a-2', 'start', manual, { resource: { observed_status: 'stopped' } }, 100)
    expect(start.calls[0]!.input.before).to.deep.equal(before)
    expect(of(start, 'exec.intent')[0].params).to.deep.equal(before)
    w.say('a-2', 'succeeded')
    expect(w.actor.state.before).to.equal(null)
  })

  it('does not take what stood at none for what the next start has to bring back', () => {
    const before = { min: 2, max: 5, desired: 3 }
    w.want('a-1', 'stop')
    w.say('a-1', 'accepted', { before })
    w.say('a-1', 'succeeded', {}, 10)
    w.want('a-2', 'stop', manual, { resource: { observed_status: 'running', observed_at: new Date(at(20)) } }, 21)
    w.say('a-2', 'accepted', { before: { min: 0, max: 5, desired: 0 } })
    w.say('a-2', 'succeeded')
    expect(w.actor.state.before).to.deep.equal(before)
  })

  it('does what another override demands when one is over, told as that one [G-22]', () => {
    const overrides: Holding[] = [
      { id: 'o-1', desired_state: 'running' },
      { id: 'o-2', desired_state: 'stopped' },
      { id: 'o-3', desired_state: 'running' },
    ]
    const asked = { ...place, overrideId: 'o-1' }
    w.actor.take(demandAsked, asked, { needs: needs({ overrides }) })
    const actionId = uuidOf('demand', 'o-1', 'acct-1', 'i-1')
    const source = { type: 'override', id: 'o-2' }
    expect(w.actor.state.live?.record).to.deep.include({ actionId, action: 'stop', source })
    w = new World()
    const stopped = needs({ overrides, resource: { observed_status: 'stopped' } })
    expect(w.actor.take(demandAsked, asked, { needs: stopped }).emitted).to.deep.equal([])
    expect(w.actor.take(demandAsked, asked, { needs: needs({ overrides: [] }) }).emitted).to.deep.equal([])
  })
})
