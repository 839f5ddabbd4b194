/** How plans end, and how an ended one begins anew. */
import { Fault } from '#engine/value/fault.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { PlanStatus } from '#streams/readiness.ts'
import type { ReadinessPlan } from './entity.ts'
import type { PolicyPlace } from './needs.ts'
import { askAgain, restoreAll } from './restore.ts'
import { releaseAll, setTargets } from './target.ts'
import { move, raiseFailed, rest, system } from './tell.ts'

/** Every target ends as it was: those that may have been raised are put back, the others are let go of. */
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
  /** The target that failed; the first one where it was none of them. */
  of?: PolicyPlace
}

/** Nobody waits for what fails behind its scheduling: people are told. */
export function fail(row: ReadinessPlan, { reason, actor = system, of }: Failure, turn: Turn): void {
  const from = row.status
  move(row, 'failed', reason, turn, actor)
  row.reason = reason
  rest(turn)
  leaving[from]?.(row, turn)
  const about = of ?? row.targets[0]
  if (from !== 'scheduling' && about) raiseFailed(row, about, reason, turn)
}

/** @throws Fault conflict `invalid_transition` */
export function cancel(row: ReadinessPlan, userId: string, turn: Turn, message = 'Cancelled.'): void {
  const from = row.status
  move(row, 'cancelled', message, turn, userId)
  rest(turn)
  leaving[from]?.(row, turn)
}

const schedulable: readonly PlanStatus[] = ['draft', 'scheduling', 'scheduled']
const endedStatuses: readonly PlanStatus[] = ['completed', 'failed', 'cancelled']

/** Its log stays, and so does the row, for targets that are still to be put back. @throws Fault conflict `plan_in_progress` */
export function remove(row: ReadinessPlan, userId: string, turn: Turn): void {
  if (schedulable.includes(row.status)) cancel(row, userId, turn, 'Cancelled because the plan was deleted.')
  else if (!endedStatuses.includes(row.status))
    throw Fault.conflict('plan_in_progress', `A plan with status ${row.status} cannot be deleted. Cancel it first.`)
  row.deletedAt = turn.now
}

/** A failed or a completed plan is a draft again, whose targets nothing is known of. @throws Fault conflict `invalid_transition` */
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
