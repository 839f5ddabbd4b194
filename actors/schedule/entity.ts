import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/policy.ts'
import type { scheduleActions, scheduleStatuses } from '#streams/schedule.ts'

const event = defineEntity({
  name: 'SchedulerEvent',
  tableName: 'scheduler_event',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID made of organization, schedule, time and action: told again, it is the same event. */
    id: p.text().primary(),
    scheduleId: p.text(),
    action: p.text().$type<(typeof scheduleActions)[number]>(),
    triggeredAt: p.datetime(3),
    /** uids, each once, in the order they were named. */
    resources: p.json<string[]>(),
    status: p.text().$type<(typeof scheduleStatuses)[number]>(),
    /** Rises with every change of the event. */
    updatedAt: p.datetime(3),
  },
  indexes: [{ properties: ['orgId', 'triggeredAt'] }, { properties: ['orgId', 'scheduleId', 'triggeredAt'] }],
})

/** What a schedule did at one of its times. Written only by actors/schedule/change.ts. */
export class SchedulerEvent extends event.class {}
event.setClass(SchedulerEvent)

const log = defineEntity({
  name: 'SchedulerEventLog',
  tableName: 'scheduler_event_log',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** Always `all`: one an organization. */
    key: p.text().primary(),
    /** Messages taken. */
    events: p.integer(),
    /** The newest change among them. */
    lastAt: p.datetime(3).nullable(),
  },
})

/** How far the scheduler events of an organization have come on their way to ClickHouse. Written only by the scheduler-event actor. */
export class SchedulerEventLog extends log.class {}
log.setClass(SchedulerEventLog)
