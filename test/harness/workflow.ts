/** Workflows as rows, for what only reads them, and as people make them. */
import { randomUUID } from 'node:crypto'
import type { Approval, AuditEntry, Op, Plan, Step } from '#actors/workflow/entity.ts'
import { hashOf } from '#actors/workflow/plan.ts'
import { templates } from '#actors/workflow/template.ts'
import type { Tenant } from '#test/harness/product.ts'

export const at = '2026-01-15T10:00:00.000Z'
const later = '2026-01-15T10:00:00.212Z'

export const plan: Plan = {
  template: 'stop',
  templateRevision: 1,
  title: 'Stop EC2 instance web.',
  ruleId: 'RC-1001',
  actionType: 'stop',
  resource: { uid: 'i-1', name: 'web', type: 'aws-ec2', provider: 'aws', region: 'us-east-1' },
  ops: [{ kind: 'stop', expect: { exists: true }, done: { exists: true, status: 'stopped' } }],
  targetSpec: null,
  target: { exists: true, status: 'stopped' },
  estimate: { costUsd: 276.48, savingsUsd: 138.24 },
  instruction: '',
  fourEyes: false,
  windows: [],
  policies: [],
}

/** Those of a stop that waits for somebody who approves it. */
export const steps: Step[] = templates.stop.steps.map((step, n) => {
  if (n === 0) return { ...step, status: 'succeeded', startedAt: at, completedAt: later }
  return n === 1 ? { ...step, status: 'awaiting_user', startedAt: later } : { ...step, status: 'pending' }
})

const audit: AuditEntry[] = [
  { stepName: 'precondition', eventType: 'created', actor: 'system', createdAt: at },
  { stepName: 'precondition', eventType: 'completed', actor: 'system', createdAt: later },
  { stepName: 'approval', eventType: 'created', actor: 'system', createdAt: later },
]

const op: Op = { state: 'pending', call: '', actionId: randomUUID(), tries: 0, failures: 0 }

const basic = {
  cloud_account_id: 'acct-1',
  recommendation_id: randomUUID() as string,
  resource_uid: 'i-1',
  subject_type: 'resource',
  subject_id: 'i-1',
  template: 'stop',
  status: 'awaiting_user',
  step_id: 'stop/approve/1' as string | null,
  plan,
  steps,
  ops: [op],
  approvals: [] as Approval[],
  audit,
  n: 1,
  told: 4,
  grant_n: 0,
  looks: 0,
  undo: null,
  is_held: false,
  reason: '',
  created_by: 'u-1',
  created_at: at,
  updated_at: later,
  completed_at: null as string | null,
}
export type PlantedJob = typeof basic & { id: string }

/** Makes one of each; their ids, in this order. */
export async function plantedJobs(
  { orgId, connections }: Pick<Tenant, 'orgId' | 'connections'>,
  ...list: Partial<PlantedJob>[]
): Promise<string[]> {
  const rows = list.map((fields) => {
    const row = { org_id: orgId, id: randomUUID() as string, ...basic, ...fields }
    return { ...row, plan_hash: hashOf(row.plan) }
  })
  await connections.store.pool.query(
    'insert into workflow_job select * from jsonb_populate_recordset(null::workflow_job, $1)',
    [JSON.stringify(rows)],
  )
  return rows.map(({ id }) => id)
}
