/** What is recorded of a workflow, and who is notified. */
import { workflowEventTable, type workflowEvents } from '#analytics/workflow/tables.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { workflowMoved } from '#streams/live/messages.ts'
import { workflowDue, workflowTold, type DueKind, type MailTemplate, type toldStates } from '#streams/workflow.ts'
import { mailAdmin } from '#actors/workflow/call/effect.ts'
import type { AuditEntry, WorkflowStep, WorkflowJob } from './entity.ts'
import type { WorkflowNeeds } from './needs.ts'

export const jobOf = (row: WorkflowJob) => ({ cloudAccountId: row.cloudAccountId, jobId: row.id })

/** The current step. */
export const stepOf = (row: WorkflowJob): WorkflowStep | undefined => row.steps.find(({ id }) => id === row.stepId)

/** The actor of changes that the service makes by itself. */
export const system = 'system'

interface ChangeDetails {
  actor?: string
  reason?: string
  step?: WorkflowStep
}

/** One line for analysts about every change, with what was decided on. */
export function write(
  row: WorkflowJob,
  event: (typeof workflowEvents)[number],
  turn: Turn<WorkflowNeeds>,
  { actor = system, reason = '', step }: ChangeDetails = {},
): void {
  row.told += 1
  row.updatedAt = turn.now
  const { orgId, place } = turn.address
  const { plan } = row
  turn.tell(
    workflowMoved,
    { jobID: row.id, recommendationID: row.recommendationId, status: row.status },
    { cloudAccountID: place },
  )
  turn.append(
    workflowEventTable,
    {
      org_id: orgId,
      job_id: row.id,
      n: row.told,
      at: turn.now.toISOString(),
      event,
      status: row.status,
      step_id: step?.id ?? '',
      step_name: step?.name ?? '',
      actor,
      reason,
      plan_hash: row.planHash,
      template: row.template,
      cloud_account_id: place,
      resource_uid: row.resourceUid,
      resource_type: plan.resource.type,
      provider: plan.resource.provider,
      recommendation_id: row.recommendationId,
      rule_id: plan.ruleId,
      current_cost_usd: plan.estimate.costUsd.toFixed(2),
      savings_usd: plan.estimate.savingsUsd.toFixed(2),
    },
    turn.now,
  )
}

/** One line of the audit for people, and one for analysts. */
export function note(
  row: WorkflowJob,
  step: WorkflowStep,
  eventType: AuditEntry['eventType'],
  turn: Turn<WorkflowNeeds>,
  said: ChangeDetails = {},
): void {
  const { actor = system, reason } = said
  const entry: AuditEntry = { stepName: step.name, eventType, actor, createdAt: turn.now.toISOString() }
  row.audit = [...row.audit, reason ? { ...entry, reason } : entry]
  write(row, `step_${eventType}`, turn, { ...said, step })
}

/** Changes a step; never in place. */
export function setStep(row: WorkflowJob, id: string, change: Partial<WorkflowStep>): void {
  row.steps = row.steps.map((step) => (step.id === id ? { ...step, ...change } : step))
}

export const remind = (row: WorkflowJob, what: DueKind, ms: number, turn: Turn<WorkflowNeeds>): void =>
  turn.remind(what, new Date(turn.now.getTime() + ms), workflowDue, { ...jobOf(row), what })

export function tellRecommendation(
  row: WorkflowJob,
  state: (typeof toldStates)[number],
  turn: Turn<WorkflowNeeds>,
): void {
  const { recommendationId, template, createdBy: userId, told } = row
  turn.emit(workflowTold, { ...jobOf(row), recommendationId, state, template, userId, n: told })
}

/** Sends a mail to everybody who may approve. */
export function mailAdmins(row: WorkflowJob, template: MailTemplate, stepId: string, turn: Turn<WorkflowNeeds>): void {
  const { orgId } = turn.address
  for (const userId of turn.needs.admins(orgId)) {
    const key = [template, orgId, row.id, stepId, userId].join('/')
    turn.call(mailAdmin, key, { ...jobOf(row), template, stepId, userId })
  }
}

/** Publishes an event for subscribers of the stream. */
export function publish(row: WorkflowJob, type: string, turn: Turn<WorkflowNeeds>): void {
  turn.publish('workflow', `workflow.${type}`, {
    jobId: row.id,
    recommendationId: row.recommendationId,
    template: row.template,
    status: row.status,
    title: row.plan.title,
    resourceUid: row.resourceUid,
    cloudAccountId: row.cloudAccountId,
    savingsUsd: row.plan.estimate.savingsUsd,
    ...(row.reason !== '' && { reason: row.reason }),
  })
}
