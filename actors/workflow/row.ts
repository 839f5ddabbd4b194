/** Workflows as the edge shows them. Own SQL, so that lists read neither plans nor audits. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql, type SelectQueryBuilder } from 'kysely'
import type { RecommendationSight, Slice } from '#actors/recommendation/row.ts'
import { within, type ResourcePlace } from '#actors/resource/row.ts'
import { liveStatuses, type SubjectType, type TemplateName, type WorkflowStatus } from '#streams/workflow.ts'
import type { Approval, AuditEntry, WorkflowPlan, WorkflowStep } from './entity.ts'

/** Columns of the workflow actor's rows. Times are PostgreSQL text. */
interface Columns {
  org_id: string
  cloud_account_id: string
  id: string
  recommendation_id: string
  resource_uid: string
  subject_type: SubjectType
  subject_id: string
  template: TemplateName
  status: WorkflowStatus
  step_id: string | null
  plan: WorkflowPlan
  plan_hash: string
  steps: WorkflowStep[]
  approvals: Approval[]
  audit: AuditEntry[]
  reason: string
  created_by: string
  created_at: string
  updated_at: string
  completed_at: string | null
}

interface Tables {
  workflow_job: Columns
}

/** Filters of a list; all must match. */
export interface JobFilter {
  statuses?: readonly WorkflowStatus[] | undefined
  recommendationId?: string | undefined
}

type JobQuery<O = object> = SelectQueryBuilder<{ w: Columns }, 'w', O>

/** Visible to anyone who sees its recommendation. */
const resourcePlace: ResourcePlace = { org: sql`w.org_id`, account: sql`w.cloud_account_id`, uid: sql`w.resource_uid` }

const selectJobs = (em: EntityManager, orgId: string, { scope }: RecommendationSight): JobQuery =>
  em
    .getKysely<Tables>()
    .selectFrom('workflow_job as w')
    .where('w.org_id', '=', orgId)
    .$if(scope !== undefined, (q) => q.where(within(scope!, resourcePlace)))

const rowColumns = [
  'w.id',
  'w.cloud_account_id',
  'w.recommendation_id',
  'w.resource_uid',
  'w.subject_type',
  'w.subject_id',
  'w.template',
  'w.status',
  'w.step_id',
  'w.plan_hash',
  'w.steps',
  'w.reason',
  'w.created_by',
  'w.created_at',
  'w.updated_at',
  'w.completed_at',
] as const
const ofPlan = [
  sql<number>`(w.plan ->> 'templateRevision')::int`.as('template_revision'),
  sql<string>`w.plan ->> 'title'`.as('title'),
] as const

type ColumnName<C extends string> = C extends `w.${infer N}` ? N : never
export type JobRow = Pick<Columns, ColumnName<(typeof rowColumns)[number]>> & {
  template_revision: number
  title: string
}
export type WholeJobRow = JobRow & Pick<Columns, 'plan' | 'audit'>

const total = sql<number>`count(*)::int`.as('total')

/** Newest first. */
export async function jobPage(
  em: EntityManager,
  orgId: string,
  sight: RecommendationSight,
  { statuses, recommendationId }: JobFilter,
  { limit, offset }: Slice,
): Promise<{ items: JobRow[]; total: number }> {
  const found = selectJobs(em, orgId, sight)
    .$if(!!statuses?.length, (q) => q.where('w.status', 'in', [...statuses!]))
    .$if(recommendationId !== undefined, (q) => q.where('w.recommendation_id', '=', recommendationId!))
  const page = found.orderBy('w.created_at', 'desc').orderBy('w.id').limit(limit).offset(offset)
  const [items, all] = await Promise.all([
    page.select([...rowColumns, ...ofPlan]).execute(),
    found.select(total).executeTakeFirstOrThrow(),
  ])
  return { items: items as JobRow[], total: all.total }
}

/** The workflow with this id, with all shown columns, if the caller may see it. */
export async function findJob(
  em: EntityManager,
  orgId: string,
  sight: RecommendationSight,
  id: string,
): Promise<WholeJobRow | undefined> {
  const found = selectJobs(em, orgId, sight).where('w.id', '=', id)
  const [row] = await found.select([...rowColumns, ...ofPlan, 'w.plan', 'w.audit']).execute()
  return row as WholeJobRow | undefined
}

/** The plan of the workflow in progress for a recommendation, if there is one. */
export async function livePlanOf(
  em: EntityManager,
  orgId: string,
  recommendationId: string,
): Promise<{ id: string; plan: WorkflowPlan; planHash: string } | undefined> {
  const [row] = await selectJobs(em, orgId, {})
    .select(['w.id', 'w.plan', 'w.plan_hash as planHash'])
    .where('w.recommendation_id', '=', recommendationId)
    .where('w.status', 'in', [...liveStatuses])
    .limit(1)
    .execute()
  return row
}

/** The status of the workflow with this id; undefined if there is none. */
export async function statusOf(em: EntityManager, orgId: string, id: string): Promise<WorkflowStatus | undefined> {
  const [row] = await selectJobs(em, orgId, {}).where('w.id', '=', id).select('w.status').execute()
  return row?.status
}

export type PendingRow = Pick<Columns, 'id' | 'recommendation_id' | 'resource_uid' | 'plan' | 'updated_at'> & {
  step: WorkflowStep
  /** Number of people who have approved the step. */
  given: number
}

const waits = sql<boolean>`s.step ->> 'kind' = 'approval' AND s.step ->> 'status' = 'awaiting_user'`
const approvalsGiven = sql<number>`(
  SELECT count(DISTINCT a ->> 'userId')::int FROM jsonb_array_elements(w.approvals) AS a
  WHERE a ->> 'stepId' = s.step ->> 'id')`

/** Steps that wait for an approval, longest waiting first. */
export async function pendingPage(
  em: EntityManager,
  orgId: string,
  sight: RecommendationSight,
  { limit, offset }: Slice,
): Promise<{ items: PendingRow[]; total: number }> {
  const found = selectJobs(em, orgId, sight)
    .innerJoin(sql<{ step: WorkflowStep }>`jsonb_array_elements(w.steps)`.as<'s'>(sql`s(step)`), (join) =>
      join.onTrue(),
    )
    .where('w.status', '=', 'awaiting_user')
    .where(waits)
  const page = found
    .orderBy(sql`s.step ->> 'startedAt'`)
    .orderBy('w.id')
    .limit(limit)
    .offset(offset)
  const columns = ['w.id', 'w.recommendation_id', 'w.resource_uid', 'w.plan', 'w.updated_at', 's.step'] as const
  const [items, all] = await Promise.all([
    page.select([...columns, approvalsGiven.as('given')]).execute(),
    found.select(total).executeTakeFirstOrThrow(),
  ])
  return { items, total: all.total }
}

/** Start times of a person's workflows, oldest first. */
export async function begunSince(em: EntityManager, orgId: string, userId: string, since: Date): Promise<Date[]> {
  const rows = await selectJobs(em, orgId, {})
    .select('w.created_at')
    .where('w.created_by', '=', userId)
    .where('w.created_at', '>', since.toISOString())
    .orderBy('w.created_at')
    .execute()
  return rows.map(({ created_at: at }) => new Date(at))
}
