/** What policies write down, and when they are reminded. */
import { policyEventTable } from '#analytics/autoscaling/tables.ts'
import type { Turn } from '#engine/turn.ts'
import { autoscalerDue, type AutoscalerDueKind, type AutoscalerEventKind, type Counts } from '#streams/autoscaling.ts'
import type { AutoscalerPolicy } from './entity.ts'
import type { AccountStanding, AutoscalerNeeds } from './needs.ts'

export const policyOf = ({ cloudAccountId, targetUid, policyId }: AutoscalerPolicy) => ({
  cloudAccountId,
  targetUid,
  policyId,
})

export const needsOf = (turn: Turn): AutoscalerNeeds => turn.needs as AutoscalerNeeds

export const accountOf = (turn: Turn): AccountStanding => needsOf(turn).account(turn.address.orgId, turn.address.place)

interface Said {
  from?: Pick<Counts, 'min' | 'max'> & Partial<Counts>
  to?: Pick<Counts, 'min' | 'max'> & Partial<Counts>
  reason?: string
  /** A person's id; left out for what the service did by itself. */
  appliedBy?: string
}

/** One event, for people and for analysts. */
export function note(
  row: AutoscalerPolicy,
  kind: AutoscalerEventKind,
  turn: Turn,
  { from, to, reason = '', appliedBy = '' }: Said = {},
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
      from_min: from?.min ?? null,
      from_max: from?.max ?? null,
      to_min: to?.min ?? null,
      to_max: to?.max ?? null,
      from_desired: from?.desired ?? null,
      to_desired: to?.desired ?? null,
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

export const remind = (row: AutoscalerPolicy, what: AutoscalerDueKind, at: number, turn: Turn): void =>
  turn.remind(what, new Date(Math.max(at, turn.now.getTime())), autoscalerDue, { ...policyOf(row), what })

/** Looks at it again in a turn of its own, with what stands by then. */
export const beginAnew = (row: AutoscalerPolicy, turn: Turn): void =>
  turn.emit(autoscalerDue, { ...policyOf(row), what: 'begin' })
