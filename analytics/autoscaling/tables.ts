import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'
import { autoscalerEventKinds, autoscalerModes } from '#streams/autoscaling.ts'

const orNull = t.Union([t.Integer(), t.Null()])

/** Events of a policy, as its actor appends them. `at` is ISO 8601 UTC. */
export const policyEventTable = table({
  name: 'policy_event',
  row: t.Object({
    org_id: t.String(),
    policy_id: t.String(),
    /** Position among the events of a policy. */
    n: t.Integer(),
    event_id: t.String(),
    at: t.String(),
    kind: t.Enum(autoscalerEventKinds),
    /** Null if the event changes no bounds. */
    from_min: orNull,
    from_max: orNull,
    to_min: orNull,
    to_max: orNull,
    from_desired: orNull,
    to_desired: orNull,
    reason: t.String(),
    /** Empty for the service itself. */
    applied_by: t.String(),
    mode: t.Enum(autoscalerModes),
    cloud_account_id: t.String(),
    target_uid: t.String(),
    target_type: t.String(),
    provider: t.String(),
  }),
})

export const autoscalingTables = [policyEventTable]
