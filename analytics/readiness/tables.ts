import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'
import { planLogKinds } from '#streams/readiness.ts'

/** Every change of a readiness plan, as its actor appends it. `at` is ISO 8601 UTC. */
export const planLogTable = table({
  name: 'plan_log',
  row: t.Object({
    org_id: t.String(),
    plan_id: t.String(),
    /** Position in the log of a plan. */
    n: t.Integer(),
    log_id: t.String(),
    at: t.String(),
    kind: t.Enum(planLogKinds),
    /** Statuses; empty if nothing changes. */
    from_status: t.String(),
    to_status: t.String(),
    message: t.String(),
    /** A person's id, `system` or `executor`. */
    actor: t.String(),
    /** Of one target; empty for the plan. */
    policy_id: t.String(),
  }),
})

export const readinessTables = [planLogTable]
