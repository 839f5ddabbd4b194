import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'

const orNull = t.Union([t.String(), t.Null()])

/**
 * The latest known state of a resource, as the resource actor appends it. Times are the producers', ISO 8601 UTC;
 * `deleted_at` is null while it exists.
 */
export const resourceState = table({
  name: 'resource_state',
  row: t.Object({
    org_id: t.String(),
    cloud_account_id: t.String(),
    resource_uid: t.String(),
    resource_id: t.String(),
    name: t.String(),
    type: t.String(),
    provider: t.String(),
    region: t.String(),
    status: t.String(),
    instance_type: t.String(),
    parent_uid: t.String(),
    resource_group: t.String(),
    /** 1 if it can be started and stopped, otherwise 0. */
    schedulable: t.Integer({ minimum: 0, maximum: 1 }),
    tags: t.Record(t.String(), t.String()),
    /** Strings as they are, anything else as JSON. */
    specs: t.Record(t.String(), t.String()),
    /** US dollars per hour while running. */
    hourly_rate_usd: t.Union([t.Number(), t.Null()]),
    first_seen_at: t.String(),
    observed_at: t.String(),
    deleted_at: orNull,
  }),
})

/**
 * Changes of resources, as the resource actor appends them, and decisions about their tags, as the tagging actor does.
 * `at` is ISO 8601 UTC, `details` JSON, for a `user` with the `userId`.
 */
export const resourceChange = table({
  name: 'resource_change',
  row: t.Object({
    org_id: t.String(),
    resource_uid: t.String(),
    at: t.String(),
    change_id: t.String(),
    cloud_account_id: t.String(),
    kind: t.Enum(['state_transition', 'configuration_change']),
    actor: t.Enum(['discovery', 'action', 'user']),
    details: t.String(),
  }),
})

export const resourceTables = [resourceState, resourceChange]
