/** Writes down what schedules did. The one writer of SchedulerEvent. */
import { uuidOf } from '#engine/id.ts'
import type { Change } from '#engine/tell.ts'
import { schedulerEventRecorded, type scheduleActions, type scheduleStatuses } from '#streams/schedule.ts'

/** What a schedule did at one of its times; `resources` are uids. */
export interface SchedulerEventGiven {
  scheduleID: string
  action: (typeof scheduleActions)[number]
  /** ISO 8601, UTC. */
  triggeredAt: string
  resources: readonly string[]
  status: (typeof scheduleStatuses)[number]
}

// Holds the row until the transaction ends, whether it was there or not, and returns the resources from before.
const upsertSql = `
  insert into scheduler_event (org_id, id, schedule_id, action, triggered_at, resources, status, updated_at)
  values (?, ?, ?, ?, ?::timestamptz, '[]', ?, ?::timestamptz)
  on conflict (org_id, id) do update set status = excluded.status,
    updated_at = greatest(excluded.updated_at, scheduler_event.updated_at + interval '1 millisecond')
  returning resources, updated_at`
const resourcesSql = 'update scheduler_event set resources = ?::jsonb where org_id = ? and id = ?'

/** The id of the event and its resources, each once. One of the same schedule, time and action takes its place. */
export async function recordSchedulerEvent(
  { em, tell, orgId, now }: Change,
  { scheduleID: scheduleId, action, triggeredAt, resources: given, status }: SchedulerEventGiven,
): Promise<{ id: string; resources: string[] }> {
  const id = uuidOf('scheduler-event', orgId, scheduleId, triggeredAt, action)
  const resources = [...new Set(given)]
  const values = [orgId, id, scheduleId, action, triggeredAt, status, now().toISOString()]
  const [row] = await em.execute<{ resources: string[]; updated_at: string }[]>(upsertSql, values)
  const { resources: before, updated_at } = row!
  await em.execute(resourcesSql, [JSON.stringify(resources), orgId, id])
  const told = { eventId: id, scheduleId, action, triggeredAt, at: new Date(updated_at).toISOString() }
  const named = new Set(resources)
  const dropped = before.filter((uid) => !named.has(uid))
  if (dropped.length > 0) await tell(schedulerEventRecorded, { ...told, status: '', resourceUids: dropped })
  if (resources.length > 0) await tell(schedulerEventRecorded, { ...told, status, resourceUids: resources })
  return { id, resources }
}
