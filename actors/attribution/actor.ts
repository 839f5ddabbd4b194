import {
  allocatedResource,
  resourceGroupMember,
  resourceGroupState,
  sharedCostRule,
  teamAssignment,
  teamState,
} from '#analytics/attribution/tables.ts'
import { defineActor } from '#engine/actor/actor.ts'
import {
  allocationChanged,
  resourceGroupChanged,
  resourceGroupMembersChanged,
  resourcesAllocated,
  sharedCostChanged,
  teamAssigned,
  teamChanged,
} from '#streams/attribution.ts'
import { costChanged } from '#streams/cost.ts'
import { allocations, billedAllocation, wholeAllocation } from '#analytics/attribution/projections.ts'
import { AttributionLog } from './entity.ts'
import { ruleRow } from '#actors/attribution/shared-cost/shared-cost.ts'

const key = () => 'all'

/** Milliseconds after which every batch has ended that was in progress when rules changed. */
const againMs = 10_000
const flag = (is: boolean) => (is ? 1 : 0)

/**
 * Copies an organization's teams and groups to ClickHouse, where costs are attributed; the PostgreSQL tables remain
 * authoritative. The version of a row is the time of the change, not of the message, since one change may send several
 * messages with different times.
 */
export const attributionActor = defineActor({
  kind: 'attribution',
  entity: AttributionLog,
  address: { orgId: 'orgId', key: 'key' },
  initial: () => ({ changes: 0, lastAt: null }),
  reactions: (on) => [
    on(teamChanged, key, (log, { teamId, name, deleted, at }, turn) => {
      const row = { org_id: turn.address.orgId, team_id: teamId, name, deleted: flag(deleted) }
      turn.append(teamState, row, countChange(log, at))
      turn.mark(allocations, wholeAllocation)
    }),
    on(teamAssigned, key, (log, { teamId, resourceUids, at }, turn) => {
      const changedAt = countChange(log, at)
      for (const uid of resourceUids) {
        const row = { org_id: turn.address.orgId, resource_uid: uid, team_id: teamId, assigned_at: at }
        turn.append(teamAssignment, row, changedAt)
      }
    }),
    on(resourceGroupChanged, key, (log, { groupId, name, deleted, at }, turn) => {
      const row = { org_id: turn.address.orgId, group_id: groupId, name, deleted: flag(deleted) }
      turn.append(resourceGroupState, row, countChange(log, at))
    }),
    on(resourceGroupMembersChanged, key, (log, { groupId, added, removed, at }, turn) => {
      const changedAt = countChange(log, at)
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
    on(resourcesAllocated, key, (log, { teamId, policyId, resources, at }, turn) => {
      const changedAt = countChange(log, at)
      const row = { org_id: turn.address.orgId, team_id: teamId, policy_id: policyId, since: at }
      for (const { cloudAccountId, resourceUid } of resources) {
        const where = { cloud_account_id: cloudAccountId, resource_uid: resourceUid }
        turn.append(allocatedResource, { ...row, ...where }, changedAt)
      }
    }),
    on(allocationChanged, key, (_log, { again = false }, turn) => {
      turn.mark(allocations, wholeAllocation)
      // Batches in progress when the first rule was created have not marked anything.
      if (!again) turn.remind('allocation', new Date(turn.now.getTime() + againMs), allocationChanged, { again: true })
    }),
    on(costChanged, key, (_log, _data, turn) => turn.mark(allocations, billedAllocation)),
    on(sharedCostChanged, key, (log, changed, turn) => {
      const row = { org_id: turn.address.orgId, ...ruleRow(changed) }
      turn.append(sharedCostRule, row, countChange(log, changed.at))
    }),
  ],
})

/** Counts a change and returns its time. */
function countChange(log: AttributionLog, at: string): Date {
  const changedAt = new Date(at)
  log.changes += 1
  if (!log.lastAt || log.lastAt < changedAt) log.lastAt = changedAt
  return changedAt
}
