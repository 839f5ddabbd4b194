/** What happened to resources, from every source of it (decision G-41). */
import { t } from '#engine/schema.ts'
import { table } from '#engine/table.ts'
import { query } from '#analytics/query.ts'
import { everything, narrowed } from '#analytics/slice.ts'

export const activityKinds = [
  'state_transition',
  'scheduler_event',
  'action_submission',
  'configuration_change',
] as const

/** Changes of resources, as the resource actor appends them. `at` is ISO 8601 UTC, `details` JSON. */
export const resourceChange = table({
  name: 'resource_change',
  row: t.Object({
    org_id: t.String(),
    resource_uid: t.String(),
    at: t.String(),
    change_id: t.String(),
    cloud_account_id: t.String(),
    kind: t.Enum(['state_transition', 'configuration_change']),
    details: t.String(),
  }),
})

const ms = t.Integer({ description: 'milliseconds since 1970' })

/** `from_ms` is included, `to_ms` is not. `sliced` 1 asks the inventory which resources are meant. */
export const resourceActivity = query(
  'resource_activity',
  t.Object({
    org: t.String(),
    uids: t.Array(t.String()),
    from_ms: ms,
    to_ms: ms,
    sliced: t.Integer({ minimum: 0, maximum: 1 }),
    ...narrowed,
    limit: t.Integer({ minimum: 1 }),
    offset: t.Integer({ minimum: 0 }),
  }),
  t.Object({
    id: t.String(),
    at_ms: ms,
    kind: t.Enum(activityKinds),
    resource_uid: t.String(),
    actor: t.String(),
    details: t.String({ description: 'JSON' }),
    total: t.Integer(),
  }),
  {
    org: 'o1',
    uids: ['i-1'],
    from_ms: Date.UTC(2026, 0, 1),
    to_ms: Date.UTC(2026, 1, 1),
    sliced: 1,
    ...everything,
    limit: 20,
    offset: 0,
  },
)
