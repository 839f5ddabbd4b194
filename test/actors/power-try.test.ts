import { expect } from 'chai'
import { actionLookDue } from '#streams/action/messages.ts'
import {
  at,
  iso,
  place,
  type Facts,
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
} from '#test/harness/power.ts'
import type { Done } from '#test/harness/turn.ts'

describe('the tries of an action', () => {
  let w: World
  beforeEach(() => void (w = new World()))

  it('tries three times, 30 s and 2 min apart, then says so [ACT-15] [HIST-06]', () => {
    const fault = { retryable: true, errorMessage: 'slow down' }
    w.want('a-1', 'stop', fire('e-1'), {}, 0)
    w.say('a-1', 'accepted', {}, 1)
    const first = w.say('a-1', 'failed', fault, 2)
    expect(w.actor.state.live?.record).to.include({ status: 'pending', nextAttemptAt: iso(32) })
    expect([...w.actor.reminders]).to.deep.equal([['retry', at(32)]])
    expect([events(first), history(first), ends(first)]).to.deep.equal([[], [], []])
    const again = w.retry('a-1', 32)
    expect(again.calls.map(({ key }) => key)).to.deep.equal([`exec/o1/${intentOf('a-1', 2)}`])
    expect(again.facts).to.deep.equal([])
    w.say('a-1', 'failed', fault, 33, 2)
    expect(w.actor.reminders.get('retry')).to.equal(at(153))
    w.retry('a-1', 153, {}, 2)
    const last = w.say('a-1', 'failed', fault, 154, 3)
    expect(events(last)).to.deep.equal(['resource.failed', 'resource.retry_exhausted'])
    expect(ends(last)).to.deep.equal(['a-1 failed: slow down'])
    const [{ state, step, status, error_message, attempts, schedule_id, changed_by }] = history(last)
    expect([state, step, status, error_message, attempts, schedule_id, changed_by]).to.deep.equal([
      'failed',
      'cloud_call',
      'failed',
      'slow down',
      3,
      's-1',
      'schedule:Night:s-1',
    ])
    expect(of(last, 'resource.failed')[0].data).to.include({ attempts: 3, errorMessage: 'slow down' })
    expect(shows(last).map(({ shows: shown, observed }) => [shown, observed])).to.deep.equal([[null, undefined]])
  })

  it('leaves alone what an override has come to hold in the pause; a person is not held [G-22]', () => {
    const fault = { retryable: true, errorMessage: 'slow down' }
    const overrides = [{ id: 'o-1', desired_state: 'running' as const }]
    w.want('a-1', 'stop', fire('e-1'), {}, 0)
    w.say('a-1', 'failed', fault, 2)
    const held = w.retry('a-1', 32, { overrides })
    expect([held.calls, ends(held)]).to.deep.equal([[], ['a-1 failed: an override is active for the resource']])
    expect(history(held)).to.have.length(1)
    w = new World()
    w.want('a-1', 'stop', manual, {}, 0)
    w.say('a-1', 'failed', fault, 2)
    expect(w.retry('a-1', 32, { overrides }).calls).to.have.length(1)
  })

  it('keeps the counts of a stop that nobody saw succeed, for the start of the morning', () => {
    const before = { min: 2, max: 30, desired: 20 }
    w.want('a-1', 'stop', manual, {}, 0)
    w.say('a-1', 'accepted', { before }, 1)
    w.say('a-1', 'failed', { retryable: false, errorMessage: 'lost' }, 2)
    const begun = w.want('a-2', 'start', manual, { resource: { observed_status: 'stopped' } }, 60)
    expect(begun.calls.map(({ input }) => input.before)).to.deep.equal([before])
  })

  it('fails at once where another try is no use, and says in which step', () => {
    const failed = { retryable: false, errorMessage: 'not allowed' }
    const of3: [string, (w: World) => Done][] = [
      ['cloud_call', () => w.say('a-1', 'failed', failed)],
      ['wait_state', () => (w.say('a-1', 'running'), w.say('a-1', 'failed', failed))],
      ['queued', () => w.say('a-1', 'failed', { ...failed, isUnmade: true })],
    ]
    for (const [step, act] of of3) {
      w = new World()
      w.want('a-1', 'stop')
      const done = act(w)
      expect(history(done).map((row) => row.step)).to.deep.equal([step])
      expect(events(done)).to.deep.equal(['resource.failed'])
    }
  })

  it('makes no second try of a resource that is gone or an account that is disabled', () => {
    for (const [facts, message] of [
      [{ resource: { deleted_at: new Date() } }, 'the resource no longer exists'],
      [{ account: { status: 'deleted' } }, 'the account no longer exists'],
      [{ account: { status: 'disabled' } }, 'the account is disabled'],
    ] satisfies [Facts, string][]) {
      w = new World()
      w.want('a-1', 'stop', bulk, {}, 0)
      w.say('a-1', 'failed', { retryable: true }, 1)
      const done = w.retry('a-1', 31, facts)
      expect([done.calls, ends(done), history(done)[0].step, events(done)]).to.deep.equal([
        [],
        [`a-1 failed: ${message}`],
        'queued',
        ['resource.failed'],
      ])
    }
  })

  it('looks after 5, 10, 20, 40, 60 and again 60 s until the cloud is done', () => {
    w.want('a-1', 'stop', manual, {}, 0)
    w.say('a-1', 'accepted', {}, 0)
    let now = 0
    for (const [n, pause] of [5, 10, 20, 40, 60, 60].entries()) {
      w.say('a-1', 'running', {}, now)
      expect(w.actor.reminders.get('look')).to.equal(at(now + pause))
      now += pause
      const looked = w.actor.take(actionLookDue, { ...place, intentId: intentOf('a-1') }, { at: at(now) })
      expect(looked.calls.map(({ name, key }) => [name, key])).to.deep.equal([
        ['look-action', `exec/o1/${intentOf('a-1')}/look/${n + 1}`],
      ])
    }
    expect(w.actor.reminders.get('limit')).to.equal(at(600))
    expect(statuses(w.say('a-1', 'succeeded'))).to.deep.equal(['a-1 succeeded'])
    expect([...w.actor.reminders.keys()]).to.deep.equal(['rest'])
  })

  it('gives a try ten minutes from when it is taken up, and an hour until then', () => {
    w.want('a-1', 'stop', manual, {}, 0)
    expect(w.actor.reminders.get('limit')).to.equal(at(3600))
    w.say('a-1', 'accepted', {}, 100)
    expect(w.actor.reminders.get('limit')).to.equal(at(700))
    expect(w.limit('a-1', 700).calls).to.deep.equal([])
    expect(w.actor.state.live!.record).to.include({ status: 'pending', nextAttemptAt: iso(730) })
    const late = w.say('a-1', 'succeeded', {}, 705)
    expect([statuses(late), [...w.actor.reminders.keys()]]).to.deep.equal([['a-1 succeeded'], ['rest']])
  })

  it('takes no word of another try, nor a second end of the same', () => {
    w.want('a-1', 'stop', manual, {}, 0)
    expect(w.say('a-0', 'succeeded').emitted).to.deep.equal([])
    w.say('a-1', 'failed', { retryable: true })
    for (const status of ['accepted', 'running', 'failed'] as const)
      expect(w.say('a-1', status, { retryable: true }).emitted, status).to.deep.equal([])
    w.retry('a-1', 60)
    for (const status of ['accepted', 'running', 'failed', 'succeeded'] as const)
      expect(w.say('a-1', status).emitted, status).to.deep.equal([])
    expect(statuses(w.say('a-1', 'succeeded', {}, undefined, 2))).to.deep.equal(['a-1 succeeded'])
  })
})
