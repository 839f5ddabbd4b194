import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'

/**
 * Runs of schedules, one row per resource, as the scheduler-event actor appends them. `status` is empty for a resource
 * that was removed.
 */
export const schedulerEventTable = table({
  name: 'scheduler_event',
  row: t.Object({
    org_id: t.String(),
    resource_uid: t.String(),
    triggered_at: t.String(),
    schedule_id: t.String(),
    action: t.String(),
    status: t.String(),
    event_id: t.String(),
  }),
})

export const scheduleTables = [schedulerEventTable]
