/** Status changes of a plan, and its log: every change, request and answer has one line. */
import { planLogTable } from '#analytics/readiness/tables.ts'
import { uuidOf } from '#engine/value/id.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { notification, raise } from '#streams/notification/messages.ts'
import { readinessDue, type PlanDueKind, type PlanLogKind, type PlanStatus } from '#streams/readiness.ts'
import type { ReadinessPlan } from './entity.ts'
import type { PolicyPlace } from './needs.ts'

/** The actor of changes that the service makes by itself. */
export const system = 'system'
/** Whatever scales the targets: the policies of this service, or an executor outside this process. */
export const executor = 'executor'

/** The statuses that may follow each status (decisions, section 9). */
export const moves: Readonly<Record<PlanStatus, readonly PlanStatus[]>> = {
  draft: ['scheduling', 'cancelled'],
  scheduling: ['scheduled', 'failed', 'cancelled'],
  scheduled: ['scaling_up', 'failed', 'cancelled'],
  scaling_up: ['active', 'failed', 'cancelled'],
  active: ['scaling_down', 'failed', 'cancelled'],
  scaling_down: ['completed', 'failed', 'cancelled'],
  completed: ['draft', 'cancelled'],
  failed: ['draft', 'scheduling', 'cancelled'],
  cancelled: [],
}

interface Line {
  kind: PlanLogKind
  message: string
  actor?: string
  from?: PlanStatus
  to?: PlanStatus
  policyId?: string
}

export function log(row: ReadinessPlan, { kind, message, actor = system, from, to, policyId }: Line, turn: Turn): void {
  row.logged += 1
  const { orgId } = turn.address
  turn.append(
    planLogTable,
    {
      org_id: orgId,
      plan_id: row.id,
      n: row.logged,
      log_id: uuidOf('plan-log', orgId, row.id, String(row.logged)),
      at: turn.now.toISOString(),
      kind,
      from_status: from ?? '',
      to_status: to ?? '',
      message,
      actor,
      policy_id: policyId ?? '',
    },
    turn.now,
  )
}

export const mayMove = ({ status }: ReadinessPlan, to: PlanStatus): boolean => moves[status].includes(to)

/** @throws Fault `conflict` `invalid_transition` */
export function move(row: ReadinessPlan, to: PlanStatus, message: string, turn: Turn, actor = system): void {
  const from = row.status
  if (!mayMove(row, to)) throw wrongMove(from, to)
  row.status = to
  row.updatedAt = turn.now
  log(row, { kind: 'transition', message, actor, from, to }, turn)
}

export const wrongMove = (from: PlanStatus, to: PlanStatus): Fault =>
  Fault.conflict('invalid_transition', `A plan cannot change from ${from} to ${to}.`)

export const planOf = ({ id }: ReadinessPlan) => ({ planId: id })

export function remind(row: ReadinessPlan, what: PlanDueKind, at: Date, turn: Turn): void {
  turn.remind(what, at, readinessDue, { ...planOf(row), revision: row.revision, what })
}

/** Cancels all reminders except those for targets that must be restored. */
export function rest(turn: Turn): void {
  for (const what of ['ack', 'up', 'down'] as const) turn.forget(what)
}

/** Notifies people that a target was not scaled up, or not restored. */
export function raiseFailed(row: ReadinessPlan, of: PolicyPlace, message: string, turn: Turn, what?: string): void {
  const { id, name } = row
  const event = notification('resource.failed', {
    id: turn.id(),
    orgID: turn.address.orgId,
    occurredAt: turn.now,
    title: `Readiness plan ${name} ${what ?? 'has failed'}`,
    summary: message,
    scope: { type: 'resource', id: of.targetUid },
    data: {
      planID: id,
      planName: name,
      policyID: of.policyId,
      resourceUid: of.targetUid,
      cloudAccountID: of.cloudAccountId,
      errorMessage: message,
    },
  })
  raise(turn, event)
}
