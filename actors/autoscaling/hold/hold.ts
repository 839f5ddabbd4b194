/** A readiness plan controls the target for an event: its counts are read, scaled up, held, and restored. */
import type { AutoscalerNeeds } from '#actors/autoscaling/needs.ts'
import type { Static } from '#engine/value/schema.ts'
import { pauseBefore } from '#engine/actor/retry.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { Counts, planRaised, planReleased, planReserved, planRestored } from '#streams/autoscaling.ts'
import { isDatabase } from '#streams/cloud/resource/resource-type.ts'
import { retries } from '#streams/retry.ts'
import { planReported, type PlanPhase } from '#streams/readiness.ts'
import { calculate } from '#actors/autoscaling/policy/calculate.ts'
import type { AutoscalerPolicy, Hold } from '#actors/autoscaling/entity.ts'
import { limitMs } from '#actors/autoscaling/policy/evaluate.ts'
import { order } from '#actors/autoscaling/target/order.ts'
import { setCounts, type Report } from '#actors/autoscaling/target/report.ts'
import { note, remind } from '#actors/autoscaling/tell.ts'

const endedMax = 20

interface Plan {
  planId: string
  revision: number
}

type ReportDetails = Partial<Pick<Static<typeof planReported.schema>, 'originals' | 'counts' | 'message' | 'retryable'>>

function tellPlan(
  row: Pick<AutoscalerPolicy, 'policyId'>,
  { planId, revision }: Plan,
  phase: PlanPhase,
  status: 'running' | 'succeeded' | 'failed',
  said: ReportDetails,
  turn: Turn,
): void {
  turn.emit(planReported, { planId, revision, policyId: row.policyId, phase, status, ...said })
}

/** Answers a plan whose policy has been removed. */
export function refuseGone(asked: Plan & { policyId: string }, phase: PlanPhase, turn: Turn): void {
  const status = phase === 'restored' ? 'succeeded' : 'failed'
  tellPlan(asked, asked, phase, status, status === 'failed' ? { message: 'The policy was removed.' } : {}, turn)
}

const isEnded = ({ endedPlans }: AutoscalerPolicy, { planId, revision }: Plan): boolean =>
  endedPlans.some(([id, newest]) => id === planId && revision <= newest)

function end(row: AutoscalerPolicy, { planId, revision }: Plan): void {
  const others = row.endedPlans.filter(([id]) => id !== planId)
  row.endedPlans = [...others, [planId, revision] as [string, number]].slice(-endedMax)
  row.plans = row.plans.filter((one) => one.planId !== planId || one.revision > revision)
}

const countsOf = ({ current: { min, max, desired } }: AutoscalerPolicy): Counts => ({ min, max, desired })

/** Reads the counts to restore later. They are read again right before the target is scaled up. */
export function reserve(row: AutoscalerPolicy, asked: Static<typeof planReserved.schema>, turn: Turn): void {
  const newer = row.plans.some((one) => one.planId === asked.planId && one.revision > asked.revision)
  if (newer || isEnded(row, asked)) return
  if (row.status === 'error') {
    const message = `The policy is in error: ${row.statusReason}`
    return tellPlan(row, asked, 'reserved', 'failed', { message, retryable: false }, turn)
  }
  const { planId, revision, from, to } = asked
  const others = row.plans.filter((one) => one.planId !== planId)
  row.plans = [...others, { planId, revision, from, to, call: order(row, 'reserve', {}, turn) }]
}

export function release(row: AutoscalerPolicy, asked: Static<typeof planReleased.schema>): void {
  withoutNext(row, asked)
  if (row.hold?.planId !== asked.planId) end(row, asked)
}

type Raise = Pick<Static<typeof planRaised.schema>, 'planId' | 'revision' | 'multiplier' | 'until'>

export function raiseTarget(row: AutoscalerPolicy, asked: Raise, turn: Turn<AutoscalerNeeds>): void {
  const { planId, revision, multiplier, until } = asked
  if (isEnded(row, asked) || (row.hold?.planId === planId && revision <= row.hold.revision)) return
  if (row.hold) return queue(row, row.hold, asked, turn)
  const isWaiting = !!row.inFlight && row.inFlight.kind !== 'look'
  row.hold = {
    planId,
    revision,
    multiplier,
    until,
    state: 'waiting',
    call: '',
    originals: null,
    scaled: null,
    tries: 0,
    isOver: false,
  }
  row.recommendation = null
  tellPlan(row, asked, 'raised', 'running', {}, turn)
  if (!isWaiting) goOn(row, turn)
}

/** Queues the plan after the current hold. A newer revision replaces a queued one; another plan is refused. */
function queue(row: AutoscalerPolicy, hold: Hold, asked: Raise, turn: Turn): void {
  const { planId, revision, multiplier, until } = asked
  const { next } = hold
  if (next && next.planId !== planId) {
    const message = 'Another plan is already queued for this target.'
    return tellPlan(row, asked, 'raised', 'failed', { message, retryable: false }, turn)
  }
  if (next && next.revision >= revision) return
  row.hold = { ...hold, next: { planId, revision, multiplier, until } }
  tellPlan(row, asked, 'raised', 'running', { message: 'The target is still being restored.' }, turn)
}

/** Requests the call that the hold waits for, for the first time or again. */
export function goOn(row: AutoscalerPolicy, turn: Turn<AutoscalerNeeds>): void {
  const { hold } = row
  if (!hold || hold.call !== '' || hold.state === 'held') return
  if (hold.state !== 'restoring' && Date.parse(hold.until) <= turn.now.getTime())
    return giveUp(row, hold, 'The time window has passed.', turn)
  const { planId, tries, until } = hold
  if (hold.state === 'waiting' || hold.state === 'looking')
    row.hold = { ...hold, state: 'looking', call: order(row, 'measure', { withAverage: true, until }, turn) }
  else if (hold.state === 'raising')
    row.hold = { ...hold, call: order(row, 'raise', { counts: hold.scaled!, until, planId, tries }, turn) }
  else row.hold = { ...hold, call: order(row, 'restore', { counts: hold.originals!, planId, tries }, turn) }
  remind(row, 'unanswered', turn.now.getTime() + limitMs, turn)
}

/** No answer has arrived to a plan's call. */
export function expireHoldCall(row: AutoscalerPolicy, turn: Turn<AutoscalerNeeds>): void {
  const { hold } = row
  if (!hold || hold.call === '') return
  row.hold = { ...hold, call: '' }
  fail(row, row.hold, { message: 'No answer in 10 minutes.', retryable: true }, turn)
}

/** Restores the target. If it has not been scaled up yet, it is only released. */
export function restore(
  row: AutoscalerPolicy,
  asked: Static<typeof planRestored.schema>,
  turn: Turn<AutoscalerNeeds>,
): void {
  const hold = withoutNext(row, asked)
  if (hold?.planId !== asked.planId || asked.revision < hold.revision) {
    if (hold?.planId !== asked.planId && !isEnded(row, asked)) end(row, asked)
    return tellPlan(row, asked, 'restored', 'succeeded', { counts: countsOf(row) }, turn)
  }
  row.hold = { ...hold, revision: asked.revision, isOver: true }
  if (hold.call !== '' && (hold.state === 'restoring' || hold.state === 'raising')) return
  putBack(row, turn)
}

/** Drops a queued raise of the plan. */
function withoutNext(row: AutoscalerPolicy, { planId, revision }: Plan): Hold | null {
  const { hold } = row
  if (!hold?.next || hold.next.planId !== planId || hold.next.revision > revision) return hold ?? null
  const { next: _, ...rest } = hold
  row.hold = rest
  return rest
}

function putBack(row: AutoscalerPolicy, turn: Turn<AutoscalerNeeds>): void {
  const hold = row.hold!
  const isUnraised = hold.state === 'waiting' || hold.state === 'looking' || isDatabase(row.targetType)
  if (isUnraised) return letGo(row, hold, turn)
  row.hold = { ...hold, state: 'restoring', call: '', tries: 0 }
  goOn(row, turn)
}

/** Ends the hold: the policy continues from the restored counts. */
function letGo(row: AutoscalerPolicy, hold: Hold, turn: Turn<AutoscalerNeeds>): void {
  const next = row.hold?.next
  row.hold = null
  row.statusReason = ''
  turn.forget('hold')
  end(row, hold)
  tellPlan(row, hold, 'restored', 'succeeded', { counts: countsOf(row) }, turn)
  if (next) raiseTarget(row, next, turn)
}

/** Handles the answer to a plan's call; false if it is not one. */
export function takeHoldReport(row: AutoscalerPolicy, said: Report, turn: Turn<AutoscalerNeeds>): boolean {
  const reservation = row.plans.find((one) => one.call === said.call && said.call !== '')
  if (reservation) {
    row.plans = row.plans.map((one) => (one === reservation ? { ...one, call: '' } : one))
    const { message = '', retryable = false } = said
    if (said.status === 'failed') tellPlan(row, reservation, 'reserved', 'failed', { message, retryable }, turn)
    else
      tellPlan(
        row,
        reservation,
        'reserved',
        'succeeded',
        { originals: row.hold?.originals ?? said.counts ?? countsOf(row) },
        turn,
      )
    return true
  }
  const { hold } = row
  if (!hold || hold.call === '' || hold.call !== said.call) return false
  row.hold = { ...hold, call: '' }
  turn.forget('unanswered')
  if (said.status === 'failed') fail(row, row.hold, said, turn)
  else succeed(row, row.hold, said, turn)
  return true
}

function succeed(row: AutoscalerPolicy, hold: Hold, said: Report, turn: Turn<AutoscalerNeeds>): void {
  const { counts } = said
  if (hold.state === 'looking') return takeMeasurement(row, hold, said, turn)
  setCounts(row, counts ?? (hold.state === 'restoring' ? hold.originals! : hold.scaled!), counts !== undefined, turn)
  if (hold.state === 'restoring') {
    const [from, to] = [hold.scaled ?? hold.originals!, countsOf(row)]
    note(row, 'event_hold', turn, { from, to, reason: 'The target is back to its capacity before the readiness plan.' })
    return letGo(row, hold, turn)
  }
  markHeld(row, hold, turn)
}

function markHeld(row: AutoscalerPolicy, hold: Hold, turn: Turn<AutoscalerNeeds>): void {
  row.hold = { ...hold, state: 'held', tries: 0 }
  if (hold.isOver) return putBack(row, turn)
  tellPlan(row, hold, 'raised', 'succeeded', { originals: hold.originals!, counts: countsOf(row) }, turn)
}

/** Reads the counts right before the event, so that edits of the policy since the reservation count. */
function takeMeasurement(
  row: AutoscalerPolicy,
  hold: Hold,
  { counts, averageCpu = null }: Report,
  turn: Turn<AutoscalerNeeds>,
): void {
  if (counts) setCounts(row, counts, true, turn)
  const originals = countsOf(row)
  const { multiplier } = hold
  if (hold.isOver) return letGo(row, hold, turn)
  // Databases are not scaled up: people get a recommended instance class instead.
  if (isDatabase(row.targetType)) return markHeld(row, { ...hold, originals, scaled: originals }, turn)
  const { scaled } = calculate(originals, { multiplier, averageCpu, targetCpuPercent: row.targetCpuPercent })
  note(row, 'event_hold', turn, { from: originals, to: scaled, reason: 'A readiness plan is using the target.' })
  row.hold = { ...hold, state: 'raising', originals, scaled, tries: 0 }
  goOn(row, turn)
}

/** Failures that may pass are retried: scaling up until its window has passed, restoring as long as it takes. */
type Failure = Pick<Report, 'message' | 'retryable' | 'code'>

function fail(row: AutoscalerPolicy, hold: Hold, said: Failure, turn: Turn<AutoscalerNeeds>): void {
  const { message = '', retryable = false, code } = said
  const isReturn = hold.state === 'restoring'
  // A target that no longer exists cannot be restored.
  if (isReturn && code === 'resource_not_found') return letGo(row, hold, turn)
  note(row, 'failure', turn, {
    from: row.current,
    ...(isReturn ? {} : { to: hold.scaled ?? row.current }),
    reason: message,
  })
  if (!isReturn && hold.isOver) {
    // A failed call may have scaled the target up all the same.
    return hold.state === 'raising' ? putBack(row, turn) : letGo(row, hold, turn)
  }
  if (!retryable) return giveUp(row, hold, message, turn)
  const pause = pauseBefore(retries.planHold, hold.tries + 2)!
  row.hold = { ...hold, tries: hold.tries + 1 }
  tellPlan(row, hold, isReturn ? 'restored' : 'raised', 'running', { message, retryable: true }, turn)
  remind(row, 'hold', turn.now.getTime() + pause, turn)
}

/** Retries a failed restore once, because something about the target has changed. */
export function putBackAgain(row: AutoscalerPolicy, turn: Turn<AutoscalerNeeds>): void {
  if (row.hold?.state === 'restoring' && row.hold.call === '') goOn(row, turn)
}

/** Reports the failure to the plan, which then requests the restore. */
function giveUp(row: AutoscalerPolicy, hold: Hold, message: string, turn: Turn): void {
  const isReturn = hold.state === 'restoring'
  if (!isReturn && hold.state !== 'raising') {
    row.hold = null
    end(row, hold)
  } else row.hold = { ...hold, state: isReturn ? 'restoring' : 'held', call: '' }
  if (isReturn) row.statusReason = `The target could not be restored after an event: ${message}`
  tellPlan(row, hold, isReturn ? 'restored' : 'raised', 'failed', { message, retryable: false }, turn)
}
