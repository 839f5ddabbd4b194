/**
 * What a workflow has to show before anything is called for it: that it is at this call, that people who are administrators
 * right now have approved the plan as it stands, and that nothing is halted. Read by whoever makes the call, right before it.
 */
import type { Approval, Op, WorkflowPlan, WorkflowStep, Undo } from '#actors/workflow/entity.ts'
import { hashOf } from './plan.ts'

/** A workflow as it is committed. */
export interface WarrantRow {
  status: string
  plan: WorkflowPlan
  planHash: string
  stepId: string | null
  steps: WorkflowStep[]
  ops: Op[]
  undo: Undo | null
  approvals: Approval[]
  /** Those of the approvers who may approve now. */
  admins: string[]
  /** The kill switch. */
  halted: boolean
}

// A token of a machine is nobody's: it is good for as long as it is. `operator` is whoever has the command line, and no id of anybody.
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

/** Undefined where the call may be made. `stale`: the workflow does not wait for it any more. */
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
  // What takes back what was begun, or starts again what was stopped, was approved with it: else it would stay off.
  const isRestart = row.plan.ops[index]?.kind === 'start' && row.ops.some(({ state }) => state === 'done')
  return isUndo || isRestart || isApproved(row, now) ? undefined : 'unapproved'
}

/** Whether something of it was done for it; that it was so already is no beginning. */
export const hasBegun = ({ ops }: Pick<WarrantRow, 'ops'>): boolean =>
  ops.some(({ state, isUnmade }) => state === 'done' && !isUnmade)

/** Everything but a start has been approved by as many as each gate before the step asks for, of the plan as it stands. */
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
  // What was begun in time may be ended.
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
