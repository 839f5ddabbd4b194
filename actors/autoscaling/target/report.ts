/** Results of the calls that a policy made by itself or for a person. */
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { Counts, targetReported } from '#streams/autoscaling.ts'
import type { AutoscalerPolicy, InFlight } from '#actors/autoscaling/entity.ts'
import type { AutoscalerNeeds } from '#actors/autoscaling/needs.ts'
import { evaluate } from '#actors/autoscaling/policy/evaluate.ts'
import { begunSaving } from '#actors/autoscaling/policy/saving.ts'
import { failuresMax } from '#actors/autoscaling/policy/status.ts'
import { note, remind } from '#actors/autoscaling/tell.ts'

export type Report = Static<typeof targetReported.schema>

/** Minimum milliseconds before a failed change may be requested again. */
const pauseMs = 30_000

/** Sets the current counts of the target. */
export function setCounts(
  row: AutoscalerPolicy,
  counts: Partial<Counts>,
  isTold: boolean,
  turn: Turn<AutoscalerNeeds>,
): void {
  row.current = { ...row.current, ...counts, observedAt: turn.now.toISOString() }
  row.countedAt = Math.max(row.countedAt, turn.now.getTime())
  row.isTold ||= isTold
}

/** Only the answer to the awaited call counts. */
export function takeTargetReport(row: AutoscalerPolicy, said: Report, turn: Turn<AutoscalerNeeds>): void {
  const asked = row.inFlight
  if (!asked || asked.call !== said.call) return
  row.inFlight = null
  turn.forget('limit')
  if (said.status === 'succeeded') succeed(row, asked, said, turn)
  else fail(row, asked, said, turn)
}

/** No answer has arrived in time. */
export const expireTargetCall = (row: AutoscalerPolicy, turn: Turn<AutoscalerNeeds>): void => {
  const asked = row.inFlight
  if (!asked) return
  row.inFlight = null
  fail(row, asked, { message: 'No answer in 10 minutes.' }, turn)
}

function succeed(row: AutoscalerPolicy, asked: InFlight, { counts }: Report, turn: Turn<AutoscalerNeeds>): void {
  const { kind, from, to, reason, appliedBy, byClock: isClock = false } = asked
  if (counts) setCounts(row, to ? boundedBy(to, counts) : counts, true, turn)
  else if (to) setCounts(row, row.adoption === 'adopt' ? { min: to.min, max: to.max } : to, false, turn)
  if (kind === 'look') return evaluate(row, turn, { isEdge: true, isClock })
  row.failures = 0
  if (asked.replaces) row.isReplaced = true
  if (kind === 'replace') return
  row.need = asked.need
  // A change applied by a person is that person's saving, not the policy's.
  if (kind !== 'apply') row.saving ??= begunSaving(from.desired, { at: turn.now.getTime(), units: row.current.desired })
  note(row, kind, turn, { from, to: to!, reason, appliedBy })
  if (asked.hasEdge) evaluate(row, turn, { isEdge: true, isClock })
}

/**
 * A target without bounds of its own reports other bounds than it was given; the policy keeps the given ones. Otherwise
 * it would set them again after each cooldown.
 */
const boundedBy = ({ min, max }: Counts, counts: Counts): Counts =>
  counts.desired >= min && counts.desired <= max ? { min, max, desired: counts.desired } : counts

function fail(
  row: AutoscalerPolicy,
  { kind, from, to, appliedBy, hasEdge = false, byClock: isClock = false }: InFlight,
  { message = 'The cloud rejected the call without giving a reason.' }: Pick<Report, 'message'>,
  turn: Turn<AutoscalerNeeds>,
): void {
  // The number of units is unknown: evaluates with what is known.
  if (kind === 'look') return evaluate(row, turn, { isEdge: true, isClock })
  row.failures += 1
  note(row, 'failure', turn, { from, ...(to && { to }), reason: message, appliedBy })
  if (row.failures >= failuresMax) row.failure = message
  // An edge does not wait for the cooldown, even after a failure.
  else if (kind === 'schedule' || hasEdge) remind(row, 'edge', turn.now.getTime() + pauseMs, turn)
  else remind(row, 'look', turn.now.getTime() + Math.max(pauseMs, row.cooldownSeconds * 1000), turn)
}
