/**
 * Whether a call of a workflow may be made: the workflow is at this call, current administrators have approved its
 * current plan, and the kill switch is off. Read by the process that makes the call, right before it.
 */
import type { Approval, Op, WorkflowPlan, WorkflowStep, Undo } from '#actors/workflow/entity.ts'
import { hashOf } from './plan.ts'

/** A workflow as committed. */
export interface WarrantRow {
  status: string
  plan: WorkflowPlan
  planHash: string
  stepId: string | null
  steps: WorkflowStep[]
  ops: Op[]
  undo: Undo | null
  approvals: Approval[]
  /** Approvers who may approve now. */
  admins: string[]
  /** Whether the kill switch is on. */
  halted: boolean
}

// A machine token belongs to nobody: its approval is valid while the token is. `operator` is anyone with access to the
// command line, not the id of a person.
const rowSql = `
  select j.status, j.plan, j.plan_hash as "planHash", j.step_id as "stepId", j.steps, j.ops, j.undo, j.approvals,
    array(
      select distinct a ->> 'userId' from jsonb_array_elements(j.approvals) a
      where a ->> 'userId' = 'operator' or case when exists (select from member m where m.org_id = j.org_id and m.user_id::text = a ->> 'userId')
        then exists (select from member m where m.org_id = j.org_id and m.user_id::text = a ->> 'userId'
          and m.status = 'active' and m.role_id in ('owner', 'admin'))
        else exists (select from personal_access_token t where t.org_id = j.org_id and t.user_id = a ->> 'userId'
          and t.role in ('owner', 'admin') and t.revoked_at is null and (t.expires_at is null or t.expires_at > now()))
        end) as admins,
    coalesce((select (p.spec ->> 'killSwitch')::boolean from policy p
      where p.org_id = j.org_id and p.domain = 'guardrail' and p.enabled order by p.created_at, p.id limit 1), false) as halted
  from workflow_job j where j.org_id = $1 and j.id = $2`

type Rows = <T extends object>(sql: string, params: readonly unknown[]) => Promise<readonly T[]>

export async function warrantRow(
  rows: Rows,
  { orgId, jobId }: { orgId: string; jobId: string },
): Promise<WarrantRow | undefined> {
  const [row] = await rows<WarrantRow>(rowSql, [orgId, jobId])
  return row
}

/** Undefined if the call may be made. `stale`: the workflow no longer waits for it. */
export function findWarrantRefusal(
  row: WarrantRow | undefined,
  call: string,
  now: Date,
): 'unapproved' | 'halted' | 'stale' | undefined {
  if (!row || row.status !== 'running') return 'stale'
  const isUndo = row.undo?.call === call
  const index = row.ops.findIndex((op) => op.call === call && op.state === 'running')
  if (!isUndo && index === -1) return 'stale'
  if (row.halted) return 'halted'
  // Reverting, or starting what was stopped, was approved with the rest: otherwise it would stay stopped.
  const isRestart = row.plan.ops[index]?.kind === 'start' && row.ops.some(({ state }) => state === 'done')
  return isUndo || isRestart || isApproved(row, now) ? undefined : 'unapproved'
}

/** Whether the workflow has made a call that had an effect; a state that was already reached does not count. */
export const hasBegun = ({ ops }: Pick<WarrantRow, 'ops'>): boolean =>
  ops.some(({ state, isUnmade }) => state === 'done' && !isUnmade)

/** Whether the current plan has enough approvals at each gate before the step; a start needs none. */
function isApproved(row: WarrantRow, now: Date): boolean {
  const { plan, planHash, steps, stepId } = row
  if (hashOf(plan) !== planHash) return false
  const gates = steps
    .slice(
      0,
      steps.findIndex(({ id }) => id === stepId),
    )
    .filter(({ kind }) => kind === 'approval')
  if (gates.length === 0) return plan.template === 'start'
  // A change that was started in time may be completed.
  const isBegun = hasBegun(row)
  return gates.every((gate) => {
    const good = row.approvals.filter(
      (approval) =>
        approval.stepId === gate.id &&
        approval.planHash === planHash &&
        row.admins.includes(approval.userId) &&
        (isBegun || now.getTime() < Date.parse(approval.at) + (gate.expiresHours ?? 0) * 3_600_000),
    )
    return new Set(good.map(({ userId }) => userId)).size >= (gate.approvals ?? 1)
  })
}
