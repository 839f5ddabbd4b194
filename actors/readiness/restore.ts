/**
 * Restores targets. A target that was scaled up stays in `owed` until its policy reports that it is restored, whatever
 * happens to the plan: it may be cancelled, deleted, or scheduled again.
 */
import type { Static } from '#engine/value/schema.ts'
import { pauseBefore } from '#engine/actor/retry.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { planRestored } from '#streams/autoscaling.ts'
import type { planReported } from '#streams/readiness.ts'
import { retries } from '#streams/retry.ts'
import type { OwedRestore, ReadinessPlan } from './entity.ts'
import { orderOf, setTargets } from './target.ts'
import { log, move, raiseFailed, remind } from './tell.ts'

type Report = Static<typeof planReported.schema>

/** Milliseconds within which a policy must answer; its own call ends within ten minutes. */
const answerMs = 15 * 60_000
/** Milliseconds: the lane's clock may be slightly behind the clock of reminders. */
const earlyMs = 1000

/** Restores all targets to their counts before the plan. */
export function restoreAll(row: ReadinessPlan, turn: Turn): void {
  const fresh = row.targets.map(({ policyId, cloudAccountId, targetUid, originals }): OwedRestore => {
    const before = row.owed.find((one) => one.policyId === policyId)
    return {
      policyId,
      cloudAccountId,
      targetUid,
      revision: row.revision,
      originals: before?.originals ?? originals,
      tries: 0,
      dueAt: 0,
      isAsked: false,
      isGivenUp: false,
      message: '',
    }
  })
  row.owed = [...othersOwed(row), ...fresh.map((one) => ask(row, one, turn))]
  setTargets(row, { state: 'idle' })
  arm(row, turn)
}

/** Targets to restore that the plan no longer has. */
const othersOwed = (row: ReadinessPlan): OwedRestore[] =>
  row.owed.filter(({ policyId }) => row.targets.every((target) => target.policyId !== policyId))

/** The plan's own targets are scaled up again, and will be restored after that. */
export function forgetOwed(row: ReadinessPlan, turn: Turn): void {
  row.owed = othersOwed(row)
  arm(row, turn)
}

/**
 * Retries given-up targets at once and from the first try, with their old revision, since a newer revision is another
 * request.
 */
export function askAgain(row: ReadinessPlan, turn: Turn): void {
  row.owed = row.owed.map((one) => (one.isGivenUp ? ask(row, { ...one, tries: 0, isGivenUp: false }, turn) : one))
  arm(row, turn)
}

function ask(row: ReadinessPlan, one: OwedRestore, turn: Turn): OwedRestore {
  const tries = one.tries + 1
  const { revision, originals } = one
  const message = `restore ${one.targetUid}, attempt ${tries} (revision ${revision})`
  log(row, { kind: 'intent', message, policyId: one.policyId }, turn)
  turn.emit(planRestored, { ...orderOf(row, one), revision, originals })
  return { ...one, tries, dueAt: turn.now.getTime() + answerMs, isAsked: true, message: 'no answer' }
}

function arm(row: ReadinessPlan, turn: Turn): void {
  const dues = row.owed.map(({ dueAt }) => dueAt)
  if (dues.length === 0) turn.forget('restore')
  else remind(row, 'restore', new Date(Math.min(...dues)), turn)
}

const isOwed = ({ owed }: ReadinessPlan, policyId: string): boolean => owed.some((one) => one.policyId === policyId)

/** A policy's report about restoring its target. */
export function takeRestoreReport(
  row: ReadinessPlan,
  { policyId, revision, status, message }: Report,
  turn: Turn,
): void {
  const one = row.owed.find((owed) => owed.policyId === policyId && owed.revision === revision)
  if (!one) return
  // The policy continues by itself; the plan decides whether that takes too long.
  if (status === 'running') return void (message && change(row, one, { message }))
  if (status === 'succeeded') {
    row.owed = row.owed.filter((owed) => owed !== one)
    setTargets(row, { isKept: false }, (target) => target.policyId === policyId)
    arm(row, turn)
    return settle(row, turn)
  }
  if (one.isAsked) failRestore(row, one, message || 'no reason given', turn)
  arm(row, turn)
}

/** Completes the plan once all its targets are restored. */
function settle(row: ReadinessPlan, turn: Turn): void {
  if (row.status === 'scaling_down' && row.targets.every(({ policyId }) => !isOwed(row, policyId)))
    move(row, 'completed', 'All targets are restored.', turn, 'executor')
}

/** Targets that were given up are still retried, so that nothing stays scaled up forever. */
const slowlyDue = ({ now }: Turn): number => now.getTime() + pauseBefore(retries.planRestoreSlow, 2)!

/**
 * Notifies people after the first failure, and again when only slow tries are left, because a scaled-up target costs
 * money.
 */
function failRestore(row: ReadinessPlan, one: OwedRestore, message: string, turn: Turn): void {
  if (one.isGivenUp) return change(row, one, { isAsked: false, dueAt: slowlyDue(turn) })
  if (one.tries === 1) {
    const reason = `Target ${one.targetUid} is not restored yet and will be retried: ${message}`
    raiseFailed(row, one, reason, turn, 'could not restore a target')
  }
  const pause = pauseBefore(retries.planRestore, one.tries + 1)
  if (pause === undefined) return giveUp(row, one, message, turn)
  change(row, one, { isAsked: false, dueAt: turn.now.getTime() + pause })
}

function giveUp(row: ReadinessPlan, one: OwedRestore, message: string, turn: Turn): void {
  change(row, one, { isAsked: false, isGivenUp: true, dueAt: slowlyDue(turn) })
  const reason = `Target ${one.targetUid} could not be restored to its previous capacity: ${message}`
  raiseFailed(row, one, reason, turn, 'has left a target scaled up')
  if (row.status !== 'scaling_down') return
  row.reason = reason
  move(row, 'failed', reason, turn, 'executor')
}

function change(row: ReadinessPlan, one: OwedRestore, by: Partial<OwedRestore>): void {
  row.owed = row.owed.map((owed) => (owed.policyId === one.policyId ? { ...owed, ...by } : owed))
}

/** The pause before a try has ended, or the time for an answer. */
export function restoreDue(row: ReadinessPlan, turn: Turn): void {
  const now = turn.now.getTime() + earlyMs
  for (const one of row.owed) {
    if (one.dueAt > now) continue
    if (one.isAsked) failRestore(row, one, one.message, turn)
    else change(row, one, ask(row, one, turn))
  }
  arm(row, turn)
}
