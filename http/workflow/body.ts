/** A workflow in the responses of both families of routes (decision G-70). */
import type { AuditEntry as AuditRow, WorkflowStep as StepRow } from '#actors/workflow/entity.ts'
import type { JobRow, WholeJobRow } from '#actors/workflow/row.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull, Timestamp } from '#http/edge/parameter/field.ts'
import { jobExample } from '#http/workflow/example.ts'
import { PlanShown, showPlan } from '#http/workflow/plan.ts'
import {
  auditEvents,
  stepKinds,
  stepStatuses,
  subjectTypes,
  templateNames,
  workflowStatuses,
} from '#streams/workflow.ts'

/** The definition of a step, whether or not it has started. */
export const stepRecord = {
  id: t.String({ description: 'permanent, even if the template changes; may contain slashes' }),
  name: t.String(),
  kind: t.Enum(stepKinds),
  approvals: t.Optional(
    t.Integer({ minimum: 1, description: 'for an approval: number of different people who must approve' }),
  ),
  expiresHours: t.Optional(t.Integer({ minimum: 1, description: 'for an approval: how long to wait' })),
  timeoutMinutes: t.Optional(t.Integer({ minimum: 1, description: 'for a validation: how long to check the target' })),
  reversible: t.Boolean({ description: 'whether its change can be undone' }),
}

const Step = t.Object(
  {
    ...stepRecord,
    status: t.Enum(stepStatuses),
    startedAt: t.Optional(Timestamp),
    completedAt: t.Optional(Timestamp),
    output: t.Optional(t.Record(t.String(), t.Unknown(), { description: 'such as what it is waiting for' })),
    errorMessage: t.Optional(t.String({ description: 'why it failed' })),
  },
  { title: 'WorkflowStep' },
)

export const AuditEntry = t.Object(
  {
    stepName: t.String(),
    eventType: t.Enum(auditEvents, {
      description: 'a step started (created), was approved or rejected, or ended (completed, failed)',
    }),
    actor: t.String({ description: 'user ID, the principal of a machine token, or system' }),
    reason: t.Optional(t.String({ description: 'only if one was given' })),
    createdAt: Timestamp,
  },
  { title: 'WorkflowAuditEntry', examples: jobExample.audit },
)

const listedFields = {
  id: t.String(),
  orgID: t.String(),
  recommendationID: t.String(),
  subjectType: t.Enum(subjectTypes),
  subjectID: t.String({ description: 'resource UID, or the ID of a resource group with the resource' }),
  resourceUid: t.String({ description: 'what is changed' }),
  cloudAccountID: t.String(),
  template: t.Enum(templateNames),
  templateRevision: t.Integer(),
  title: t.String({ description: 'title of the recommendation, a full sentence' }),
  status: t.Enum(workflowStatuses, { description: 'succeeded, failed and cancelled are final' }),
  currentStep: orNull(t.String({ description: 'the name of the current step' })),
  steps: t.Array(Step),
  reason: t.Optional(t.String({ description: 'why it ended, or what it is waiting for' })),
  planHash: t.String({ description: 'SHA-256 of the plan: an approval applies only to this plan' }),
  createdBy: t.String({ description: 'user ID, or the principal of a machine token' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  completedAt: t.Optional(Timestamp),
}

const { audit: _audit, plan: _plan, ...listedExample } = jobExample

/** As in lists. */
export const ListedJob = t.Object(listedFields, { title: 'ListedJob', examples: [listedExample] })

export type ListedJob = Static<typeof ListedJob>

export const JobView = t.Object(
  { ...listedFields, plan: PlanShown, audit: t.Array(AuditEntry, { description: 'of all steps, oldest first' }) },
  { title: 'Job', examples: [jobExample] },
)
export type JobView = Static<typeof JobView>

const iso = (at: string): string => new Date(at).toISOString()

export const stepBasics = ({ id, name, kind, approvals, expiresHours, timeoutMinutes, reversible }: StepRow) => ({
  id,
  name,
  kind,
  ...(approvals !== undefined && { approvals }),
  ...(expiresHours !== undefined && { expiresHours }),
  ...(timeoutMinutes !== undefined && { timeoutMinutes }),
  reversible,
})

const showStep = (step: StepRow): Static<typeof Step> => {
  const { status, startedAt, completedAt, output, errorMessage } = step
  return {
    ...stepBasics(step),
    status,
    ...(startedAt !== undefined && { startedAt }),
    ...(completedAt !== undefined && { completedAt }),
    ...(output !== undefined && { output }),
    ...(errorMessage !== undefined && { errorMessage }),
  }
}

/** Oldest first; entries of the same time in the order of writing. */
export const showAudit = (audit: readonly AuditRow[]): Static<typeof AuditEntry>[] =>
  audit
    .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt))
    .map(({ stepName, eventType, actor, reason, createdAt }) => ({
      stepName,
      eventType,
      actor,
      ...(reason && { reason }),
      createdAt,
    }))

export const showListed = (orgID: string, row: JobRow): Static<typeof ListedJob> => ({
  id: row.id,
  orgID,
  recommendationID: row.recommendation_id,
  subjectType: row.subject_type,
  subjectID: row.subject_id,
  resourceUid: row.resource_uid,
  cloudAccountID: row.cloud_account_id,
  template: row.template,
  templateRevision: row.template_revision,
  title: row.title,
  status: row.status,
  currentStep: row.steps.find(({ id }) => id === row.step_id)?.name ?? null,
  steps: row.steps.map(showStep),
  ...(row.reason && { reason: row.reason }),
  planHash: row.plan_hash,
  createdBy: row.created_by,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
  ...(row.completed_at !== null && { completedAt: iso(row.completed_at) }),
})

export const showJob = (orgID: string, row: WholeJobRow): JobView => ({
  ...showListed(orgID, row),
  plan: showPlan(row.plan),
  audit: showAudit(row.audit),
})
