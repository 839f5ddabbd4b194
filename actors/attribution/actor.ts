import { resourceGroupMember, resourceGroupState, teamAssignment, teamState } from '#analytics/attribution/tables.ts'
import { defineActor } from '#engine/actor.ts'
import { resourceGroupChanged, resourceGroupMembersChanged, teamAssigned, teamChanged } from '#streams/attribution.ts'
import { AttributionLog } from './entity.ts'

const key = () => 'all'
const flag = (is: boolean) => (is ? 1 : 0)

/**
 * Copies an organization's teams and groups to where costs are attributed; the edge's own tables are what counts. The
 * version of a row is the time of the change and not of the message: messages of one change may bear several times.
 */
export const attributionActor = defineActor({
  kind: 'attribution',
  entity: AttributionLog,
  address: { orgId: 'orgId', key: 'key' },
  initial: () => ({ changes: 0, lastAt: null }),
  reactions: (on) => [
    on(teamChanged, key, (log, { teamId, name, deleted, at }, turn) => {
      const row = { org_id: turn.address.orgId, team_id: teamId, name, deleted: flag(deleted) }
      turn.append(teamState, row, counted(log, at))
    }),
    on(teamAssigned, key, (log, { teamId, resourceUids, at }, turn) => {
      const changedAt = counted(log, at)
      for (const uid of resourceUids) {
        const row = { org_id: turn.address.orgId, resource_uid: uid, team_id: teamId, assigned_at: at }
        turn.append(teamAssignment, row, changedAt)
      }
    }),
    on(resourceGroupChanged, key, (log, { groupId, name, deleted, at }, turn) => {
      const row = { org_id: turn.address.orgId, group_id: groupId, name, deleted: flag(deleted) }
      turn.append(resourceGroupState, row, counted(log, at))
    }),
    on(resourceGroupMembersChanged, key, (log, { groupId, added, removed, at }, turn) => {
      const changedAt = counted(log, at)
      const group = { org_id: turn.address.orgId, group_id: groupId }
      const row = (member: (typeof added)[number], isRemoved: boolean) => ({
        ...group,
        resource_uid: member.resourceUid,
        added_at: member.addedAt,
        removed: flag(isRemoved),
      })
      for (const member of removed) turn.append(resourceGroupMember, row(member, true), changedAt)
      for (const member of added) turn.append(resourceGroupMember, row(member, false), changedAt)
    }),
  ],
})

/** The time of a change, once it is counted. */
function counted(log: AttributionLog, at: string): Date {
  const changedAt = new Date(at)
  log.changes += 1
  if (!log.lastAt || log.lastAt < changedAt) log.lastAt = changedAt
  return changedAt
}
