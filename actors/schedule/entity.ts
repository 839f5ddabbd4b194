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
    /** 1 to 100 characters; several schedules may have the same. */
    name: p.text(),
    description: p.text().nullable(),
    /** IANA zone. */
    timezone: p.text(),
    rules: p.json<ScheduleRule[]>(),
    /** uids, each once. */
    resourceUids: p.json<string[]>(),
    resourceGroupIds: p.json<string[]>(),
    /** Days of the zone (YYYY-MM-DD) on which nothing fires. */
    skipDates: p.json<string[]>(),
    enabled: p.boolean(),
    /** Rises with every change of when it fires; 0 before there is a schedule. */
    revision: p.integer(),
    /** Fires up to here are dealt with, or are none of it. */
    through: p.datetime(3).nullable(),
    /** The newest fire that ran; one that was missed has not. */
    lastRunAt: p.datetime(3).nullable(),
    /** The next fire; null while it is not enabled. */
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
    /** A UUID made of organization, schedule, time and action: told again, it is the same event. */
    id: p.text().primary(),
    action: p.text().$type<(typeof scheduleActions)[number]>(),
    /** Null while nobody has told of the event: an end of it may come first. */
    triggeredAt: p.datetime(3).nullable(),
    /** uids, each once: those that were named, then members of groups. */
    resources: p.json<string[]>(),
    status: p.text().$type<(typeof scheduleStatuses)[number]>(),
    /** Ends that are waited for, failed ones of resources that no account has included; those of groups as they are told. */
    wanted: p.integer().default(0),
    /** Ends that came, by outcome. */
    succeeded: p.integer().default(0),
    failed: p.integer().default(0),
    blocked: p.integer().default(0),
    hasGroups: p.boolean().default(false),
    /** Portions in which the members of its groups were told, of so many; 0 while nobody has said. */
    portions: p.integer().default(0),
    portionsOf: p.integer().default(0),
    /** Rises with every change of the event. */
    updatedAt: p.datetime(3),
  },
  indexes: [{ properties: ['orgId', 'triggeredAt'] }, { properties: ['orgId', 'scheduleId', 'triggeredAt'] }],
  /** By which versions before this one find an event again. */
  uniques: [{ properties: ['orgId', 'id'] }],
})

/** What a schedule did at one of its times. Written only by the scheduler-event actor. */
export class SchedulerEvent extends event.class {}
event.setClass(SchedulerEvent)
