/** The statements that workflows, guards and powers lead to, known by what they say, and answered from rows that are committed. */
import type { Power } from '#actors/action/entity.ts'
import type { Recommendation } from '#actors/recommendation/entity.ts'
import type { WorkflowJob } from '#actors/workflow/entity.ts'
import { liveStatuses } from '#streams/workflow.ts'
import type { Known, Plain } from '#test/sim/workflow/plain.ts'
import { rowKey, type State } from '#test/sim/workflow/state.ts'
import type { Truth } from '#test/sim/workflow/truth.ts'

export interface Stores {
  state: State
  plain: Plain
  truth: Truth
}

type Params = readonly any[]
type Answering = (stores: Stores, params: Params) => object[]

const jobOf = ({ state }: Stores, id: string): WorkflowJob | undefined => {
  for (const row of state.of<WorkflowJob>('workflow').values()) if (row.id === id) return row
  return undefined
}

const liveOnes = ({ state }: Stores): WorkflowJob[] =>
  [...state.of<WorkflowJob>('workflow').values()].filter(({ status }) => liveStatuses.some((live) => live === status))

const admins: Answering = ({ plain }, [[orgId]]) => plain.admins.map(({ id }) => ({ org_id: orgId, user_id: id }))

const recommended: Answering = ({ state }, [, account, id]) => {
  const row = state.of<Recommendation>('recommendation').get(rowKey(account, id))
  return row && row.generatedAt.getTime() > 0 ? [row] : []
}

const account = { status: 'connected', verdict: 'read_write' }

const about: Answering = (stores, [, , recommendationId]) => {
  const live = liveOnes(stores)
  const own = live.filter((job) => job.recommendationId === recommendationId)
  return [{ ofRecommendation: own.length, ofOrganization: live.length, isMember: true, account }]
}

/** Of the inventory, those at places that stand in three lists. */
const placed =
  (row: (known: Known, orgId: string) => object): Answering =>
  ({ plain }, [orgIds, accounts, uids]) =>
    (uids as string[]).flatMap((uid, i) => {
      const known = plain.inventory.get(uid)
      return known?.account === accounts[i] ? [row(known!, orgIds[i])] : []
    })

const planned = placed((known, orgId) => ({
  ...known,
  org_id: orgId,
  cloud_account_id: known.account,
  name: known.uid,
  provider: known.type.split('-')[0]!,
  region: 'us-east-1',
  resourceGroup: '',
}))

const tagged = placed(({ account: of, uid, tags }, orgId) => ({
  orgId,
  account: of,
  uid,
  tags,
  accepted: null,
  acceptedAt: null,
  predictedEnv: null,
  predictedNoStop: null,
  extraTags: null,
}))

const powered = placed((known, orgId) => ({
  org_id: orgId,
  cloud_account_id: known.account,
  uid: known.uid,
  name: known.uid,
  type: known.type,
  provider: known.type.split('-')[0]!,
  region: 'us-east-1',
  schedulable: known.schedulable,
  observed_status: known.status,
  observed_at: known.observedAt,
  deleted_at: known.deletedAt,
  status: 'connected',
  permission_verdict: 'read_write',
}))

const sets: Answering = ({ plain }, [domain, [orgId]]) =>
  plain.policies.some((policy) => policy.domain === domain) ? [{ org_id: orgId, version: plain.policyVersion }] : []

const policies: Answering = ({ plain }, [domain]) =>
  plain.enabled(domain).map(({ id, spec }) => ({ id, name: id, spec, created_at: new Date(0) }))

const warrants: Answering = (stores, [, id]) => {
  const job = jobOf(stores, id)
  if (!job) return []
  const { plain } = stores
  const users = new Set(job.approvals.map(({ userId }) => userId))
  const { status, plan, planHash, stepId, steps, ops, undo, approvals } = job
  const now = [...users].filter((user) => plain.wasAdmin(user, plain.moment))
  const halted = plain.wasHalted(plain.moment)
  return [{ status, plan, planHash, stepId, steps, ops, undo, approvals, admins: now, halted }]
}

const cloud = { name: 'account', external_id: '1', regions: [], credentials: null, billing_export: null }

const targets: Answering = ({ plain }, [, of, uid]) => {
  const known = plain.inventory.get(uid)
  if (known?.account !== of) return []
  const { specs, status, instanceType, deletedAt } = known!
  return [{ specs, observedStatus: status, instanceType, present: deletedAt === null, ...cloud, status: 'connected' }]
}

const powerOf = ({ state }: Stores, of: string, uid: string): Power | undefined =>
  state.of<Power>('power').get(rowKey(of, uid))

const called: Answering = (stores, [, of, uid]) => {
  const power = powerOf(stores, of, uid)
  if (!power) return []
  const [target] = targets(stores, ['', of, uid])
  const { live } = power
  return [{ ...target, intent: live?.intentId ?? null, workflow: live?.record.source.workflow ?? null }]
}

const retried: Answering = (stores, [orgIds, accounts, uids]) =>
  (uids as string[]).flatMap((uid, i) => {
    const jobId = powerOf(stores, accounts[i], uid)?.live?.record.source.workflow?.jobId
    return jobId === undefined ? [] : [{ orgId: orgIds[i], jobId }]
  })

const mailed: Answering = (stores, [, jobId, userId]) => {
  const job = jobOf(stores, jobId)
  const person = stores.plain.people.get(userId)
  if (!job || !person || person.isMachine || person.role === 'viewer') return []
  const { plan, steps, approvals, reason } = job
  return [{ email: userId, organization: '', account: '', plan, steps, approvals, reason, startedBy: job.createdBy }]
}

const scheduled: Answering = ({ plain }, [, id]) => ([...plain.schedules.values()].includes(id) ? [{}] : [])

const none: Answering = () => []

const sweeps = 'a.observed_at < coalesce(r.heard_at, r.observed_at) as behind'

const answers: readonly [says: string, answering: Answering][] = [
  ['select org_id, user_id::text as user_id from member', admins],
  ['from recommendation where org_id = $1', recommended],
  ['"ofRecommendation"', about],
  ['r.observed_status as status', planned],
  [sweeps, none],
  ['t.predicted_env', tagged],
  ['a.permission_verdict', powered],
  ['from policy_set', sets],
  ["domain = 'governance'", none],
  ['spec, created_at from policy', policies],
  ['as "planHash"', warrants],
  ['as "observedStatus"', targets],
  ['as intent, ', called],
  [`{record,source,workflow,jobId}' as "jobId"`, retried],
  ['as "startedBy"', mailed],
  ['select from schedule', scheduled],
  ['join resource_group g on', none],
  ['join "override" o', none],
  ['s.timezone, s.rules', none],
  ['what is true', ({ truth }, [uids]) => truth.judge(uids)],
]

const byText = new Map<string, Answering>()

/** @throws for what the model does not know */
export function answer(stores: Stores, sql: string, params: Params): object[] {
  let answering = byText.get(sql)
  if (!answering) {
    answering = answers.find(([says]) => sql.includes(says))?.[1]
    if (!answering) throw new Error(`the model knows no such statement: ${sql}`)
    byText.set(sql, answering)
  }
  return answering(stores, params)
}

/** Whether it is what a sweep reads first: of what is not there it reads nothing more. */
export const isSweep = (sql: string): boolean => sql.includes(sweeps)

/** Whether what is read is what a workflow has to show. */
export const isWarrant = (sql: string): boolean => byText.get(sql) === warrants
