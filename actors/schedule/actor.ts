import { schedulerEventTable } from '#analytics/schedule/tables.ts'
import { defineActor } from '#engine/actor.ts'
import { schedulerEventRecorded } from '#streams/schedule.ts'
import { SchedulerEventLog } from './entity.ts'

/** Copies what an organization's schedules did to where it is asked for by resource; the edge's own table is what counts. */
export const schedulerEventActor = defineActor({
  kind: 'scheduler-event',
  entity: SchedulerEventLog,
  address: { orgId: 'orgId', key: 'key' },
  initial: () => ({ events: 0, lastAt: null }),
  reactions: (on) => [
    on(
      schedulerEventRecorded,
      () => 'all',
      (log, event, turn) => {
        const at = new Date(event.at)
        log.events += 1
        if (!log.lastAt || log.lastAt < at) log.lastAt = at
        for (const uid of event.resourceUids) {
          const row = {
            org_id: turn.address.orgId,
            resource_uid: uid,
            triggered_at: event.triggeredAt,
            schedule_id: event.scheduleId,
            action: event.action,
            status: event.status,
            event_id: event.eventId,
          }
          turn.append(schedulerEventTable, row, at)
        }
      },
    ),
  ],
})
