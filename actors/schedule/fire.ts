/** What a schedule does when it fires. */
import type { Schedule } from '#actors/schedule/entity.ts'
import type { Fire } from '#actors/schedule/times.ts'
import type { Waiting } from '#engine/actor/actor.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { actionWanted, bulkRequested, type ActionSource } from '#streams/action/messages.ts'
import { scheduleDue, schedulerEventRecorded, scheduleSaved } from '#streams/schedule.ts'

/** The id of an event, whoever reports it. `triggeredAt` is ISO 8601, UTC, with milliseconds. */
export const eventIdOf = (orgId: string, scheduleId: string, triggeredAt: string, action: string): string =>
  uuidOf('scheduler-event', orgId, scheduleId, triggeredAt, action)

/** By organization, then uid: the accounts that have such a resource now. */
export type Accounts = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

// A batch with reminders waits for the commit before it, so the schedules read here are those that its turns see.
const accountsSql = `
  select distinct resource.org_id, resource.uid, resource.cloud_account_id
  from unnest($1::text[], $2::text[]) as asked (org_id, id)
  join schedule on schedule.org_id = asked.org_id and schedule.id = asked.id
  cross join lateral jsonb_array_elements_text(schedule.resource_uids) as named (uid)
  join resource on resource.org_id = schedule.org_id and resource.uid = named.uid and resource.deleted_at is null
  order by resource.cloud_account_id`

/**
 * For a batch with firings, and with changes that may find one due: the accounts of the resources that the schedules
 * name, in one statement.
 */
export async function fireNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<Accounts> {
  const due = waiting.filter(({ subject }) => subject.name === scheduleDue.name || subject.name === scheduleSaved.name)
  const found = new Map<string, Map<string, string[]>>()
  if (due.length === 0) return found
  const asked = [due.map(({ address }) => address.orgId), due.map(({ address }) => address.key)]
  const rows = await reads.plain<{ org_id: string; uid: string; cloud_account_id: string }>(accountsSql, asked, {
    maxAgeMs: 0,
  })
  for (const { org_id, uid, cloud_account_id } of rows) {
    const ofOrg = found.get(org_id) ?? new Map<string, string[]>()
    ofOrg.set(uid, [...(ofOrg.get(uid) ?? []), cloud_account_id])
    found.set(org_id, ofOrg)
  }
  return found
}

/** Starts or stops what the schedule names: each resource in each account that has it, and its groups in tier order. */
export function run(schedule: Schedule, { at, action }: Fire, turn: Turn<Accounts>): void {
  const { orgId } = turn.address
  const { id: scheduleId, name, resourceUids, resourceGroupIds } = schedule
  const fire = at.toISOString()
  const eventId = eventIdOf(orgId, scheduleId, fire, action)
  const source: ActionSource = { type: 'schedule', id: scheduleId, name, eventId }
  const reason = `schedule ${name}`
  const accounts = turn.needs?.get(orgId)
  const members = resourceUids.flatMap((uid) => (accounts?.get(uid) ?? []).map((account) => ({ uid, account })))
  const failed = resourceUids.filter((uid) => !accounts?.has(uid)).length
  const hasGroups = resourceGroupIds.length > 0
  const isOver = members.length === 0 && !hasGroups
  turn.emit(schedulerEventRecorded, {
    eventId,
    scheduleId,
    action,
    triggeredAt: fire,
    resourceUids,
    status: !isOver ? 'triggered' : failed > 0 ? 'failed' : 'completed',
    wanted: isOver ? 0 : members.length + failed,
    failed,
    hasGroups,
    at: turn.now.toISOString(),
  })
  for (const { uid, account } of members) {
    const actionId = uuidOf('fire', scheduleId, fire, account, uid)
    turn.emit(actionWanted, { actionId, cloudAccountId: account, resourceUid: uid, action, reason, source })
  }
  if (!hasGroups) return
  const bulkId = uuidOf('fire-bulk', scheduleId, fire, action)
  turn.emit(bulkRequested, {
    bulkId,
    groupIds: resourceGroupIds,
    except: resourceUids,
    action,
    reason,
    source: {
      ...source,
      bulkId,
    },
  })
}

/** Records a firing that came too late to run. */
export function recordMissed(
  { id: scheduleId, resourceUids }: Schedule,
  { at, action }: Fire,
  turn: Turn<Accounts>,
): void {
  const triggeredAt = at.toISOString()
  turn.emit(schedulerEventRecorded, {
    eventId: eventIdOf(turn.address.orgId, scheduleId, triggeredAt, action),
    scheduleId,
    action,
    triggeredAt,
    resourceUids,
    status: 'missed',
    wanted: 0,
    at: turn.now.toISOString(),
  })
}
