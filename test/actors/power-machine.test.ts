/** The table of a resource's power, against all that can happen to one. */
import { expect } from 'chai'
import { powerMachine } from '#actors/action/power/machine.ts'
import { powerActor } from '#actors/action/power/power.ts'
import type { Subject } from '#engine/actor/subject.ts'
import { uuidOf } from '#engine/value/id.ts'
import {
  actionLimitReached,
  actionLookDue,
  actionReported,
  actionRetryDue,
  actionWaited,
  actionWanted,
  demandAsked,
  powerRested,
  type ActionSource,
} from '#streams/action/messages.ts'
import { powerFreed, powerHeld } from '#streams/workflow.ts'
import { hashOf } from '#actors/workflow/plan/plan.ts'
import type { WarrantRow } from '#actors/workflow/plan/warrant.ts'
import { listedMoves, watchMoves } from '#test/harness/moves.ts'
import { bulk, fire, iso, manual, needs, place, World } from '#test/harness/power.ts'
import { plan } from '#test/harness/workflow.ts'
import { Random } from '#test/sim/scheduler.ts'

const started = { ...plan, template: 'start' as const }
/** Of a workflow that may start and stop the resource. */
const warrant = {
  status: 'running',
  plan: started,
  planHash: hashOf(started),
  stepId: 'start/execute/1',
  steps: [],
  ops: [{ state: 'running', call: 'c-1', actionId: 'a', tries: 1, failures: 0 }],
  undo: null,
  approvals: [],
  admins: [],
  halted: false,
} satisfies WarrantRow

describe('the machine of a power', () => {
  it('makes every move that its table lists, and no other', () => {
    const random = new Random(1)
    const watch = watchMoves(powerActor, powerMachine)
    const { actor } = new World()
    const refused = new Set<string | undefined>()
    for (let n = 0; n < 20_000; n++) {
      const workflow: ActionSource = { ...manual, workflow: { jobId: 'j-1', call: 'c-1' } }
      const source = random.pick([manual, bulk, fire(`e-${n}`), { type: 'override', id: 'o-1' } as const, workflow])
      const action = random.pick(['start', 'stop'] as const)
      const of = { ...place, intentId: actor.state.live?.intentId ?? 'i-1/none' }
      const job = { ...place, jobId: 'j-1' }
      const report = (status: 'accepted' | 'running' | 'succeeded' | 'failed') =>
        [actionReported, { ...of, status, retryable: random.chance(0.5) }] as const
      const wanted = [actionWanted, { ...place, actionId: `a-${n}`, action, reason: null, source }] as const
      const [subject, data] = random.pick<readonly [Subject<any>, object]>([
        wanted,
        wanted,
        [demandAsked, { ...place, overrideId: uuidOf('o', String(n)) }],
        [actionWaited, { ...place, actionId: actor.state.waiting?.record.actionId ?? 'a-0' }],
        report('accepted'),
        report('running'),
        report('succeeded'),
        report('failed'),
        report('failed'),
        [actionRetryDue, of],
        [actionLookDue, of],
        [actionLimitReached, of],
        [actionLimitReached, of],
        [powerHeld, { ...job, until: iso(n + 100) }],
        [powerFreed, job],
        [powerRested, place],
      ])
      const facts = needs({
        resource: { observed_status: random.pick(['running', 'stopped']) },
        account: { status: random.chance(0.05) ? 'disabled' : 'connected' },
        overrides: random.chance(0.3) ? [{ id: 'o-2', desired_state: random.pick(['running', 'stopped']) }] : [],
      })
      const warrants = new Map([['o1\0j-1', warrant]])
      refused.add(actor.take(subject, data, { needs: { ...facts, warrants } }).refused)
    }
    expect(watch.stop()).to.deep.equal(listedMoves(powerMachine))
    expect([...refused]).to.have.members([undefined, 'action_in_progress', 'capability_missing'])
  })
})
