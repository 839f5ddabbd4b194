/** Events that policies record, and their reminders. */
import { policyEventTable } from '#analytics/autoscaling/tables.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { autoscalerDue, type AutoscalerDueKind, type AutoscalerEventKind, type Counts } from '#streams/autoscaling.ts'
import type { AutoscalerPolicy } from './entity.ts'
import type { AccountStanding, AutoscalerNeeds } from './needs.ts'

export const policyOf = ({ cloudAccountId, targetUid, policyId }: AutoscalerPolicy) => ({
  cloudAccountId,
  targetUid,
  policyId,
})

export const accountOf = (turn: Turn<AutoscalerNeeds>): AccountStanding =>
  turn.needs.account(turn.address.orgId, turn.address.place)

interface NoteDetails {
  from?: Pick<Counts, 'min' | 'max'> & Partial<Counts>
  to?: Pick<Counts, 'min' | 'max'> & Partial<Counts>
  reason?: string
  /** A person's id; missing if the service did it. */
  appliedBy?: string
}

function boundsOf(from: NoteDetails['from'], to: NoteDetails['to']) {
  const [was, is] = [from ?? none, to ?? none]
  return {
    from_min: was.min,
    from_max: was.max,
    to_min: is.min,
    to_max: is.max,
    from_desired: was.desired ?? null,
    to_desired: is.desired ?? null,
  }
}

const none = { min: null, max: null, desired: null }

/** Records one event, for people and for analysts. */
export function note(
  row: AutoscalerPolicy,
  kind: AutoscalerEventKind,
  turn: Turn<AutoscalerNeeds>,
  { from, to, reason = '', appliedBy = '' }: NoteDetails = {},
): void {
  row.told += 1
  row.updatedAt = turn.now
  const { orgId } = turn.address
  turn.append(
    policyEventTable,
    {
      org_id: orgId,
      policy_id: row.policyId,
      n: row.told,
      event_id: turn.id(),
      at: turn.now.toISOString(),
      kind,
      ...boundsOf(from, to),
      reason,
      applied_by: appliedBy,
      mode: row.effectiveMode,
      cloud_account_id: row.cloudAccountId,
      target_uid: row.targetUid,
      target_type: row.targetType,
      provider: row.provider,
    },
    turn.now,
  )
}

export const remind = (row: AutoscalerPolicy, what: AutoscalerDueKind, at: number, turn: Turn<AutoscalerNeeds>): void =>
  turn.remind(what, new Date(Math.max(at, turn.now.getTime())), autoscalerDue, { ...policyOf(row), what })

/** Evaluates again in a turn of its own, with the state at that time. */
export const beginAnew = (row: AutoscalerPolicy, turn: Turn<AutoscalerNeeds>): void =>
  turn.emit(autoscalerDue, { ...policyOf(row), what: 'begin' })
