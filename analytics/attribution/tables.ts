/** What costs are attributed by, at the time of the query. Times are ISO 8601 UTC. */
import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'

const flag = t.Integer({ minimum: 0, maximum: 1 })

/** Teams, as the attribution actor appends them. `deleted` 1 leaves their resources unassigned. */
export const teamState = table({
  name: 'team_state',
  row: t.Object({ org_id: t.String(), team_id: t.String(), name: t.String(), deleted: flag }),
})

/** The team of a resource; an empty `team_id` means none. */
export const teamAssignment = table({
  name: 'team_assignment',
  row: t.Object({ org_id: t.String(), resource_uid: t.String(), team_id: t.String(), assigned_at: t.String() }),
})

/** Resource groups, as the attribution actor appends them. */
export const resourceGroupState = table({
  name: 'resource_group_state',
  row: t.Object({ org_id: t.String(), group_id: t.String(), name: t.String(), deleted: flag }),
})

/** A resource in a group, or, with `removed` 1, no longer in it. */
export const resourceGroupMember = table({
  name: 'resource_group_member',
  row: t.Object({
    org_id: t.String(),
    group_id: t.String(),
    resource_uid: t.String(),
    added_at: t.String(),
    removed: flag,
  }),
})

/**
 * The team of a resource by rule; an empty `team_id` means none. One assigned by hand, in `team_assignment`, takes
 * precedence.
 */
export const allocatedResource = table({
  name: 'allocated_resource',
  row: t.Object({
    org_id: t.String(),
    cloud_account_id: t.String(),
    resource_uid: t.String(),
    team_id: t.String(),
    policy_id: t.String(),
    since: t.String(),
  }),
})

const texts = t.Array(t.String())

/**
 * Rules that distribute shared costs, oldest first. Conditions are four lists that correspond by position: the fact of
 * a line, the tag key or empty, the operator, and the values in lower case. An empty `among` means all teams; `weights`
 * are those of `teams`, in ten-thousandths of a percent.
 */
export const sharedCostRule = table({
  name: 'shared_cost_rule',
  row: t.Object({
    org_id: t.String(),
    policy_id: t.String(),
    enabled: flag,
    created_at: t.String(),
    facts: texts,
    tag_keys: texts,
    operators: texts,
    values: t.Array(texts),
    method: t.Enum(['even', 'proportional', 'fixed']),
    /** The cost that direct costs are compared by. */
    basis: t.Enum(['billed_cost', 'effective_cost', 'contracted_cost', 'list_cost']),
    among: texts,
    teams: texts,
    weights: t.Array(t.Integer()),
  }),
})

export const attributionTables = [
  teamState,
  teamAssignment,
  resourceGroupState,
  resourceGroupMember,
  allocatedResource,
  sharedCostRule,
]
