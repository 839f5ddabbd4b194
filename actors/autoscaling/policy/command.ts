/** Commands of people to a policy: pause, resume, apply, remove. */
import type { AutoscalerNeeds } from '#actors/autoscaling/needs.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { autoscalerCommanded, autoscalerRemoved, AutoscalerVerb } from '#streams/autoscaling.ts'
import type { AutoscalerPolicy } from '#actors/autoscaling/entity.ts'
import { change, evaluate } from './evaluate.ts'
import { putBackAgain } from '#actors/autoscaling/hold/hold.ts'
import { checkIs } from './save.ts'
import { countSaving } from './saving.ts'
import { settle } from './status.ts'
import { note } from '#actors/autoscaling/tell.ts'

type PolicyCommand = Static<typeof autoscalerCommanded.schema>

const verbs: Readonly<
  Record<AutoscalerVerb, (row: AutoscalerPolicy, userId: string, turn: Turn<AutoscalerNeeds>) => void>
> = {
  pause,
  resume,
  apply,
}

/**
 * @throws Fault `missing`; `conflict` `invalid_transition`, `no_recommendation`, `change_in_progress`; `refused`
 * `capability_missing`
 */
export function command(
  row: AutoscalerPolicy,
  { policyId, verb, userId }: PolicyCommand,
  turn: Turn<AutoscalerNeeds>,
): void {
  checkIs(row, policyId)
  settle(row, turn)
  verbs[verb](row, userId, turn)
  row.updatedAt = turn.now
  turn.reply({ policyId })
}

const refusal = (row: AutoscalerPolicy, verb: AutoscalerVerb): Fault =>
  Fault.conflict('invalid_transition', `Cannot ${verb} a policy with status ${row.status}.`)

function pause(row: AutoscalerPolicy, userId: string, turn: Turn<AutoscalerNeeds>): void {
  if (row.status !== 'active') throw refusal(row, 'pause')
  row.isPaused = true
  row.recommendation = null
  turn.forget('edge')
  turn.forget('look')
  note(row, 'pause', turn, { appliedBy: userId })
  settle(row, turn)
}

/** Evaluates the target again from now on. If it could not be restored after an event, that is retried. */
function resume(row: AutoscalerPolicy, userId: string, turn: Turn<AutoscalerNeeds>): void {
  const isStuck = row.hold?.state === 'restoring' && row.hold.call === ''
  putBackAgain(row, turn)
  if (isStuck && !row.isPaused) return
  if (!row.isPaused && row.status !== 'error') throw refusal(row, 'resume')
  Object.assign(row, { isPaused: false, failures: 0, failure: '', statusReason: '' })
  note(row, 'resume', turn, { appliedBy: userId })
  settle(row, turn)
}

function apply(row: AutoscalerPolicy, userId: string, turn: Turn<AutoscalerNeeds>): void {
  if (row.status !== 'active') throw refusal(row, 'apply')
  if (row.effectiveMode === 'monitor')
    throw Fault.refused('capability_missing', 'A policy in monitor mode does not change its target.')
  // An older recommendation may no longer be valid.
  evaluate(row, turn)
  const is = row.recommendation
  if (!is) throw Fault.conflict('no_recommendation', 'The policy has no recommendation to apply.')
  if (row.inFlight && row.inFlight.kind !== 'look')
    throw Fault.conflict('change_in_progress', 'A change to the target is in progress.')
  const { toMin: min, toMax: max, toDesired: desired, need, reason } = is
  row.recommendation = null
  change(row, { kind: 'apply', wish: { min, max, desired, need, reason }, appliedBy: userId }, turn)
}

/** @throws Fault `missing`; `conflict` `plan_in_progress` */
export function remove(
  row: AutoscalerPolicy,
  { policyId, userId }: Static<typeof autoscalerRemoved.schema>,
  turn: Turn<AutoscalerNeeds>,
): void {
  checkIs(row, policyId)
  if (row.hold && !(row.hold.state === 'restoring' && row.hold.call === ''))
    throw Fault.conflict(
      'plan_in_progress',
      'A readiness plan is using the target. Cancel the plan, or wait until it ends.',
    )
  countSaving(row, turn)
  note(row, 'remove', turn, { appliedBy: userId })
  turn.reply({ policyId })
  turn.remove()
}
