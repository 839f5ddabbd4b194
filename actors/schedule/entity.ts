import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { ScheduleRule, scheduleActions, scheduleStatuses } from '#streams/schedule.ts'

const schedule = defineEntity({
  name: 'Schedule',
  tableName: 'schedule',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID. */
    id: p.text().primary(),
    /** 1 to 100 characters; need not be unique. */
    name: p.text(),
    description: p.text().nullable(),
    /** IANA time zone. */
    timezone: p.text(),
    rules: p.json<ScheduleRule[]>(),
    /** uids, without repeats. */
    resourceUids: p.json<string[]>(),
    resourceGroupIds: p.json<string[]>(),
    /** Days in the time zone (YYYY-MM-DD) on which nothing fires. */
    skipDates: p.json<string[]>(),
    enabled: p.boolean(),
    /** Increases with every change of its times; 0 before there is a schedule. */
    revision: p.integer(),
    /** Firings up to this time have been handled, or do not count. */
    through: p.datetime(3).nullable(),
    /** The newest firing that ran; missed ones do not count. */
    lastRunAt: p.datetime(3).nullable(),
    /** The next firing; null while disabled. */
    nextRunAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [
    { properties: ['orgId', 'name'] },
    {
      name: 'schedule_resource_uids',
      expression:
        'create index "schedule_resource_uids" on "schedule" using gin ("resource_uids" jsonb_path_ops) with (fastupdate = off)',
    },
    {
      name: 'schedule_resource_group_ids',
      expression:
        'create index "schedule_resource_group_ids" on "schedule" using gin ("resource_group_ids" jsonb_path_ops) with (fastupdate = off)',
    },
  ],
})

/** When resources are started and stopped. Written only by the schedule actor. */
export class Schedule extends schedule.class {}
schedule.setClass(Schedule)

const event = defineEntity({
  name: 'SchedulerEvent',
  tableName: 'scheduler_event',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    scheduleId: p.text().primary(),
    /** A UUID derived from organization, schedule, time and action: a repeated report is the same event. */
    id: p.text().primary(),
    action: p.text().$type<(typeof scheduleActions)[number]>(),
    /** Null until the firing is reported: the end of an action may arrive first. */
    triggeredAt: p.datetime(3).nullable(),
    /** uids, without repeats: named ones first, then members of groups. */
    resources: p.json<string[]>(),
    status: p.text().$type<(typeof scheduleStatuses)[number]>(),
    /**
     * Number of expected ends: includes failed ones of resources that no account has; those of groups are added when
     * reported.
     */
    wanted: p.integer().default(0),
    /** Number of ends, by outcome. */
    succeeded: p.integer().default(0),
    failed: p.integer().default(0),
    blocked: p.integer().default(0),
    hasGroups: p.boolean().default(false),
    /** Messages received with members of its groups. Below: the expected number of these; 0 until known. */
    portions: p.integer().default(0),
    portionsOf: p.integer().default(0),
    /** Increases with every change of the event. */
    updatedAt: p.datetime(3),
  },
  indexes: [{ properties: ['orgId', 'triggeredAt'] }, { properties: ['orgId', 'scheduleId', 'triggeredAt'] }],
  /** Earlier versions use it to find events. */
  uniques: [{ properties: ['orgId', 'id'] }],
})

/** What a schedule did at one of its times. Written only by the scheduler-event actor. */
export class SchedulerEvent extends event.class {}
event.setClass(SchedulerEvent)
