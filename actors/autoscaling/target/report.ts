/** What became of the calls that a policy asked for by itself or for a person. */
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

/** Milliseconds before a change that failed may be asked for again, at least. */
const pauseMs = 30_000

/** The counts of the target as they are now. */
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

/** Of the call that is awaited. The answer to another is none of this. */
export function takeTargetReport(row: AutoscalerPolicy, said: Report, turn: Turn<AutoscalerNeeds>): void {
  const asked = row.inFlight
  if (!asked || asked.call !== said.call) return
  row.inFlight = null
  turn.forget('limit')
  if (said.status === 'succeeded') succeed(row, asked, said, turn)
  else fail(row, asked, said, turn)
}

/** No answer came. */
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
  // What a person applies is that person's saving, and no policy's.
  if (kind !== 'apply') row.saving ??= begunSaving(from.desired, { at: turn.now.getTime(), units: row.current.desired })
  note(row, kind, turn, { from, to: to!, reason, appliedBy })
  if (asked.hasEdge) evaluate(row, turn, { isEdge: true, isClock })
}

/**
 * A target that is bounded by nothing of its own tells other bounds than it was just given: they are the policy's to keep. Asked for
 * them again at each end of its cooldown it would only take them again.
 */
const boundedBy = ({ min, max }: Counts, counts: Counts): Counts =>
  counts.desired >= min && counts.desired <= max ? { min, max, desired: counts.desired } : counts

function fail(
  row: AutoscalerPolicy,
  { kind, from, to, appliedBy, hasEdge = false, byClock: isClock = false }: InFlight,
  { message = 'The cloud rejected the call without giving a reason.' }: Pick<Report, 'message'>,
  turn: Turn<AutoscalerNeeds>,
): void {
  // How many there are is not told: it is judged by what is known.
  if (kind === 'look') return evaluate(row, turn, { isEdge: true, isClock })
  row.failures += 1
  note(row, 'failure', turn, { from, ...(to && { to }), reason: message, appliedBy })
  if (row.failures >= failuresMax) row.failure = message
  // An edge waits for no cooldown, also where it did not come to be.
  else if (kind === 'schedule' || hasEdge) remind(row, 'edge', turn.now.getTime() + pauseMs, turn)
  else remind(row, 'look', turn.now.getTime() + Math.max(pauseMs, row.cooldownSeconds * 1000), turn)
}
