/** Whose resources are: what cost is attributed by, at the time of the question. Times are ISO 8601 UTC. */
import { t } from '#engine/schema.ts'
import { table } from '#engine/table.ts'

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

/** A resource in a group, or, with `removed` 1, no more. */
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

export const attributionTables = [teamState, teamAssignment, resourceGroupState, resourceGroupMember]
