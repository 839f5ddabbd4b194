import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'
import { auditEvents, templateNames, workflowStatuses } from '#streams/workflow.ts'

/** Events of a workflow: its own changes, those of its steps, decisions of its guard, results of its calls. */
export const workflowEvents = [
  'begun',
  ...auditEvents.map((event) => `step_${event}` as const),
  'guard_yes',
  'guard_later',
  'guard_no',
  'call_begun',
  'call_succeeded',
  'call_failed',
  'call_refused',
  'succeeded',
  'failed',
  'cancelled',
] as const

/** Every change of a workflow, as its actor appends them. `at` is ISO 8601 UTC; amounts are US dollars for 30 days. */
export const workflowEventTable = table({
  name: 'workflow_event',
  row: t.Object({
    org_id: t.String(),
    job_id: t.String(),
    /** Position among the events of a job. */
    n: t.Integer(),
    at: t.String(),
    event: t.Enum(workflowEvents),
    status: t.Enum(workflowStatuses),
    step_id: t.String(),
    step_name: t.String(),
    actor: t.String(),
    reason: t.String(),
    plan_hash: t.String(),
    template: t.Enum(templateNames),
    cloud_account_id: t.String(),
    resource_uid: t.String(),
    resource_type: t.String(),
    provider: t.String(),
    recommendation_id: t.String(),
    rule_id: t.String(),
    current_cost_usd: t.String(),
    savings_usd: t.String(),
  }),
})

export const workflowTables = [workflowEventTable]
