/** History of workflows. */
import { questions } from '#analytics/store/query.ts'
import { workflowEvents } from '#analytics/workflow/tables.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { templateNames } from '#streams/workflow.ts'

const query = questions(import.meta.url)

export const guardHistory = query(
  'guard_history',
  t.Object({ org: t.String(), since: t.String(), from: t.String(), to: t.String() }),
  t.Object({
    /** Milliseconds since 1970. */
    ms: t.Integer(),
    job_id: t.String(),
    /** Position among the events of a job. */
    n: t.Integer(),
    event: t.Enum(workflowEvents),
    actor: t.String(),
    template: t.Enum(templateNames),
    cloud_account_id: t.String(),
    resource_uid: t.String(),
    resource_type: t.String(),
    /** US dollars for 30 days. */
    current_cost_usd: t.String(),
  }),
  { org: 'o1', since: '2025-11-27', from: '2026-01-01', to: '2026-01-31' },
)
export type GuardLine = Static<typeof guardHistory.row>

export const workflowQuestions = [guardHistory]
