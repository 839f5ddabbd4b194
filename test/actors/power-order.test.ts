import { expect } from 'chai'
import fc from 'fast-check'
import type { PowerNeeds } from '#actors/action/power/needs.ts'
import {
  actionLimitReached,
  actionLookDue,
  actionReported,
  actionRetryDue,
  actionWanted,
  powerRested,
  type PowerAction,
} from '#streams/action/messages.ts'
import { place, needs, manual, fire, bulk, type Reported, World, of, history } from '#test/harness/power.ts'
import type { Done } from '#test/harness/turn.ts'
import { amount } from '#test/harness/tier.ts'

/** What may happen to a power at any time. */
type Step =
  | { do: 'want'; action: PowerAction; source: 'manual' | 'schedule' | 'bulk' | 'override' }
  | { do: 'report'; status: Reported['status']; retryable: boolean }
  | { do: 'stale' }
  | { do: 'remind' }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('want' as const),
    action: fc.constantFrom('start' as const, 'stop' as const),
    source: fc.constantFrom('manual' as const, 'schedule' as const, 'bulk' as const, 'override' as const),
  }),
  fc.record({
    do: fc.constant('report' as const),
    status: fc.constantFrom('accepted' as const, 'running' as const, 'succeeded' as const, 'failed' as const),
    retryable: fc.boolean(),
  }),
  fc.record({ do: fc.constant('stale' as const) }),
  fc.record({ do: fc.constant('remind' as const) }),
)

/** A power with a cloud that says what it is told to, and everything that waits to be delivered. */
class Play {
  readonly w = new World()
  readonly asked = new Map<string, string>()
  readonly told = new Map<string, string[]>()
  readonly records = new Map<string, string[]>()
  readonly begun = new Set<string>()
  readonly rows: string[] = []
  state: 'running' | 'stopped' = 'running'
  private count = 0

  run(one: Step): void {
    const { live } = this.w.actor.state
    if (one.do === 'want') this.want(one)
    else if (one.do === 'stale') this.take(this.w.say('a-0', 'succeeded'))
    else if (one.do === 'remind') this.remind()
    else if (live) {
      const said = { ...place, intentId: live.intentId, status: one.status, retryable: one.retryable }
      this.take(this.w.actor.take(actionReported, said, { needs: this.needs }))
    }
  }

  /** Lets everything end well. */
  finish(): void {
    for (let i = 0; this.w.actor.state.live || this.w.actor.state.waiting; i++) {
      expect(i, 'ends').to.be.below(20)
      this.run({ do: 'report', status: 'succeeded', retryable: false })
    }
  }

  private get needs(): PowerNeeds {
    return needs({ resource: { observed_status: this.state } })
  }

  private want({ action, source: type }: Extract<Step, { do: 'want' }>): void {
    const id = `a-${++this.count}`
    const source = { manual, bulk, schedule: fire(id), override: { type: 'override', id: 'o-1' } as const }[type]
    const done = this.w.actor.take(
      actionWanted,
      { ...place, actionId: id, action, reason: null, source },
      { needs: this.needs },
    )
    if (done.refused === undefined) this.asked.set(id, type)
    else expect([type, done.refused]).to.deep.equal(['manual', 'action_in_progress'])
    this.take(done)
  }

  private remind(): void {
    const next = [...this.w.actor.reminders].toSorted(([, a], [, b]) => a - b)[0]
    if (!next) return
    const [name, due] = next
    this.w.actor.reminders.delete(name)
    const intentId = this.w.actor.state.live?.intentId ?? 'none'
    const subject = { retry: actionRetryDue, look: actionLookDue, limit: actionLimitReached, rest: powerRested }[name]!
    const delivery = { at: Math.max(due, this.w.actor.now), needs: this.needs }
    this.take(this.w.actor.take(subject as never, { ...place, intentId } as never, delivery))
  }

  private take(done: Done): void {
    for (const { actionId, status } of of(done, 'action.told'))
      this.records.set(actionId, [...(this.records.get(actionId) ?? []), status])
    for (const call of done.calls) if (call.name === 'execute-action') this.begun.add(this.w.actor.state.liveId!)
    for (const one of [...of(done, 'bulk.member_ended'), ...of(done, 'scheduler_event.member_ended')])
      this.told.set(one.actionId, [...(this.told.get(one.actionId) ?? []), one.outcome])
    for (const row of history(done)) {
      this.rows.push(row.action_id)
      if (row.state !== 'failed') this.state = row.state
    }
    for (const { actionId } of of(done, 'action.waited'))
      this.take(this.w.proceed(actionId, { resource: { observed_status: this.state } }))
  }
}

const allowed: Readonly<Record<string, string[]>> = {
  pending: ['pending', 'running', 'succeeded', 'failed'],
  running: ['pending', 'succeeded', 'failed'],
}

describe('actor power, whatever happens in whatever order', () => {
  it('moves each action as listed alone, ends each, tells each source once, and leaves one row of history an action carried out [G-60]', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const play = new Play()
        for (const one of steps) play.run(one)
        play.finish()
        for (const [id, known] of play.records) {
          for (const [i, to] of known.slice(1).entries())
            expect(allowed[known[i]!], `${id} ${known.join(' ')}`).to.include(to)
          expect(known.at(-1), `${id} ${known.join(' ')}`).to.be.oneOf(['succeeded', 'failed'])
        }
        const heard = [...play.asked].filter(([, type]) => type === 'schedule' || type === 'bulk').map(([id]) => id)
        expect([...play.told.keys()].toSorted()).to.deep.equal(heard.toSorted())
        expect([...play.told.values()].every(({ length }) => length === 1)).to.equal(true)
        expect(play.rows.toSorted()).to.deep.equal([...play.begun].toSorted())
      }),
      { numRuns: amount(150, 500, 5000) },
    )
  })

  it('leaves the resource as it was asked for last where everything succeeds', () => {
    const wants = fc.record({ action: fc.constantFrom('start' as const, 'stop' as const), waits: fc.boolean() })
    fc.assert(
      fc.property(fc.array(wants, { minLength: 1, maxLength: 12 }), (list) => {
        const play = new Play()
        for (const { action, waits } of list) {
          play.run({ do: 'want', action, source: 'schedule' })
          if (!waits) play.run({ do: 'report', status: 'succeeded', retryable: false })
        }
        play.finish()
        expect(play.state).to.equal(list.at(-1)!.action === 'start' ? 'running' : 'stopped')
      }),
      { numRuns: amount(150, 500, 5000) },
    )
  })
})
