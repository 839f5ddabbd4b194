/** Workflows as rows, for what only reads them, and as people make them. */
import { randomUUID } from 'node:crypto'
import type { Approval, AuditEntry, Op, WorkflowPlan, WorkflowStep } from '#actors/workflow/entity.ts'
import { hashOf } from '#actors/workflow/plan/plan.ts'
import { templates } from '#actors/workflow/plan/template.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { ask, type Founder } from '#test/harness/people.ts'
import { testProduct, until, type Tenant } from '#test/harness/product.ts'
import { found } from '#test/harness/tagged.ts'

export const at = '2026-01-15T10:00:00.000Z'
const later = '2026-01-15T10:00:00.212Z'

export const plan: WorkflowPlan = {
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
export const steps: WorkflowStep[] = templates.stop.steps.map((step, n) => {
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

/** The id of the recommendation that an orphaned disk of a connected account comes to: to delete it. */
export async function orphanOf(
  { accessToken: token, orgId }: Pick<Founder, 'accessToken' | 'orgId'>,
  cloudAccountId: string,
  uid: string,
): Promise<string> {
  const specs = { state: 'available', days_detached: 40, volume_type: 'gp3', encrypted: true }
  const data = found(uid, { type: 'aws-ebs-volume', sizeGB: 100, cloudAccountId, specs })
  await (await testProduct()).product.get(tokens.publisher).publish({ subject: resourceDiscovered, orgId, data })
  const recommendations = async (): Promise<{ id: string }[]> =>
    (await ask('GET', `/recommendations?resource_uid=${uid}&rule_id=RC-1301`, { token })).body.data.items
  await until('the recommendation', async () => (await recommendations()).length > 0)
  return (await recommendations())[0]!.id
}

/** The id of a connected account. */
export async function connected(token: string): Promise<string> {
  const body = { name: randomUUID(), provider: 'aws', externalID: randomUUID() }
  return (await ask('POST', '/cloud-accounts', { token, body })).body.data.id as string
}

/** Begins workflows, ends one in each way that people can: what is written down of it, the oldest first. */
export async function decidedWorkflows(who: Founder): Promise<[type: string, detail: object][]> {
  const token = who.accessToken
  const cloudAccountID = await connected(token)
  const told: [string, object][] = []
  const ways = [
    ['workflow_cancelled', 'cancel', {}],
    ['workflow_rejected', 'steps-by-id/delete%2Fapprove%2F1/reject', { stepID: 'delete/approve/1' }],
    ['workflow_approved', 'steps/approval/approve', { stepID: 'delete/approve/1' }],
  ] as const
  for (const [n, [type, path, more]] of ways.entries()) {
    const resourceUID = `vol-${who.orgId}-${n}`
    const recommendationID = await orphanOf(who, cloudAccountID, resourceUID)
    const begun = await ask('POST', `/recommendations/${recommendationID}/workflow`, { token })
    if (begun.status !== 202) throw new Error(`cannot begin: ${JSON.stringify(begun.body)}`)
    const { jobID } = begun.body.data
    const statusNow = async () => (await ask('GET', `/workflows/${jobID}`, { token })).body.data.status
    await until('it waits', async () => (await statusNow()) === 'awaiting_user')
    const detail = { jobID, recommendationID, resourceUID, cloudAccountID }
    const ended = await ask('POST', `/workflows/${jobID}/${path}`, { token })
    if (ended.status !== 200) throw new Error(`cannot ${path}: ${JSON.stringify(ended.body)}`)
    told.push(['workflow_started', { ...detail, ruleID: 'RC-1301' }], [type, { ...detail, ...more }])
  }
  return told
}
