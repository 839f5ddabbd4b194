/** How plans end, and how an ended plan becomes a draft again. */
import { Fault } from '#engine/value/fault.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { PlanStatus } from '#streams/readiness.ts'
import type { ReadinessPlan } from './entity.ts'
import type { PolicyPlace } from './needs.ts'
import { askAgain, restoreAll } from './restore.ts'
import { releaseAll, setTargets } from './target.ts'
import { move, raiseFailed, rest, system } from './tell.ts'

/** How targets are left, by status: those that may be scaled up are restored, others are released. */
const leaving: Readonly<Partial<Record<PlanStatus, (row: ReadinessPlan, turn: Turn) => void>>> = {
  scheduling: releaseAll,
  scheduled: releaseAll,
  scaling_up: restoreAll,
  active: restoreAll,
  failed: askAgain,
}

interface Failure {
  reason: string
  actor?: string
  /** The failed target; default: the first one. */
  of?: PolicyPlace
}

/** After scheduling nobody waits for an answer, so people are notified. */
export function fail(row: ReadinessPlan, { reason, actor = system, of }: Failure, turn: Turn): void {
  const from = row.status
  move(row, 'failed', reason, turn, actor)
  row.reason = reason
  rest(turn)
  leaving[from]?.(row, turn)
  const about = of ?? row.targets[0]
  if (from !== 'scheduling' && about) raiseFailed(row, about, reason, turn)
}

/** @throws Fault `conflict` `invalid_transition` */
export function cancel(row: ReadinessPlan, userId: string, turn: Turn, message = 'Cancelled.'): void {
  const from = row.status
  move(row, 'cancelled', message, turn, userId)
  rest(turn)
  leaving[from]?.(row, turn)
}

const schedulable: readonly PlanStatus[] = ['draft', 'scheduling', 'scheduled']
const endedStatuses: readonly PlanStatus[] = ['completed', 'failed', 'cancelled']

/**
 * Marks the plan as deleted. Its row and log stay, also for targets that still have to be restored.
 * @throws Fault `conflict` `plan_in_progress`
 */
export function remove(row: ReadinessPlan, userId: string, turn: Turn): void {
  if (schedulable.includes(row.status)) cancel(row, userId, turn, 'Cancelled because the plan was deleted.')
  else if (!endedStatuses.includes(row.status))
    throw Fault.conflict('plan_in_progress', `A plan with status ${row.status} cannot be deleted. Cancel it first.`)
  row.deletedAt = turn.now
}

/**
 * Makes a failed or completed plan a draft again and resets its targets. @throws Fault `conflict` `invalid_transition`
 */
export function redraft(row: ReadinessPlan, from: 'failed' | 'completed', userId: string, turn: Turn): void {
  if (row.status !== from)
    throw Fault.conflict(
      'invalid_transition',
      `A plan with status ${row.status} cannot be changed to draft: its status must be ${from}.`,
    )
  move(row, 'draft', from === 'failed' ? 'Reset to draft.' : 'Reopened.', turn, userId)
  askAgain(row, turn)
  row.revision += 1
  row.reason = ''
  setTargets(row, { state: 'idle', originals: null, scaled: null, isKept: false })
}
