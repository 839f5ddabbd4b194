/** When resources run, and what came of it: schedules, their events, and overrides. */
import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { powerActions } from '#streams/action/messages.ts'
import { ResourceUid, resourcesMax } from '#streams/attribution.ts'
import { text } from '#streams/text.ts'

export const scheduleActions = powerActions
export const scheduleStatuses = ['triggered', 'completed', 'partial', 'failed', 'missed'] as const

const moment = t.String({ format: 'date-time' })
const id = text({ minLength: 1, maxLength: 256 })

/** A start or stop whenever the five fields of `cron` agree with the wall clock of the schedule's zone. */
export const ScheduleRule = t.Object({ action: t.Enum(powerActions), cron: text({ minLength: 1, maxLength: 256 }) })
export type ScheduleRule = Static<typeof ScheduleRule>

export const rulesMax = 20
export const groupsMax = 100
export const skipDatesMax = 400

/** What a person says of a schedule: decision G-21. */
export const ScheduleTerms = t.Object({
  name: text({ minLength: 1, maxLength: 100 }),
  description: t.Union([text(), t.Null()]),
  /** IANA zone. */
  timezone: text({ minLength: 1, maxLength: 64 }),
  rules: t.Array(ScheduleRule, { minItems: 1, maxItems: rulesMax }),
  resourceUids: t.Array(ResourceUid, { maxItems: resourcesMax }),
  resourceGroupIds: t.Array(id, { maxItems: groupsMax }),
  /** Days of the zone (YYYY-MM-DD) on which no rule fires. */
  skipDates: t.Array(t.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }), { maxItems: skipDatesMax }),
  enabled: t.Boolean(),
})
export type ScheduleTerms = Static<typeof ScheduleTerms>

const terms: ScheduleTerms = {
  name: 'Night',
  description: null,
  timezone: 'Europe/Berlin',
  rules: [{ action: 'stop', cron: '0 20 * * 1-5' }],
  resourceUids: ['i-1'],
  resourceGroupIds: [],
  skipDates: [],
  enabled: true,
}

const ofSchedule = { kind: 'actor', place: (data: { scheduleId: string }) => data.scheduleId } as const

/** Command: make a schedule, or change members of one that there is. Replies `{ id }`. */
export const scheduleSaved = subject({
  ...ofSchedule,
  name: 'schedule.saved',
  summary: 'Create or update a schedule.',
  once: true,
  schema: t.Union([
    t.Object({ scheduleId: id, isNew: t.Literal(true), terms: ScheduleTerms }),
    t.Object({ scheduleId: id, isNew: t.Literal(false), terms: t.Partial(ScheduleTerms) }),
  ]),
  examples: [
    { scheduleId: 's-1', isNew: true, terms },
    { scheduleId: 's-1', isNew: false, terms: { enabled: false } },
  ],
})

/** Command: the schedule is to fire no more. Its events stay. */
export const scheduleRemoved = subject({
  ...ofSchedule,
  name: 'schedule.removed',
  summary: 'Delete a schedule.',
  once: true,
  schema: t.Object({ scheduleId: id }),
  examples: [{ scheduleId: 's-1' }],
})

/** Reminder: a rule of the schedule fires at `fire`. One of an older `revision` fires nothing by itself: the schedule has other times now. */
export const scheduleDue = subject({
  ...ofSchedule,
  name: 'schedule.due',
  summary: 'A rule of a schedule is due.',
  schema: t.Object({ scheduleId: id, revision: t.Integer({ minimum: 1 }), fire: moment }),
  examples: [{ scheduleId: 's-1', revision: 1, fire: '2030-01-07T19:00:00.000Z' }],
})

/**
 * What a schedule did at one of its times: told by the schedule, or by whoever runs schedules elsewhere (`POST /events`),
 * who is answered `{ id, resources }`. The same event again takes its place.
 */
export const schedulerEventRecorded = subject({
  ...ofSchedule,
  name: 'scheduler_event.recorded',
  summary: 'Record the result of a schedule run.',
  once: true,
  schema: t.Object({
    eventId: id,
    scheduleId: id,
    action: t.Enum(powerActions),
    /** Empty from versions before this one, for resources taken off: who says what is named says that too. */
    status: t.Enum([...scheduleStatuses, '']),
    triggeredAt: moment,
    resourceUids: t.Array(ResourceUid, { maxItems: resourcesMax }),
    /**
     * Ends that are waited for, as `scheduler_event.member_ended` tells them; with none and no groups `status` is the last
     * word.
     */
    wanted: t.Optional(t.Integer({ minimum: 0 })),
    /** Of these, resources that no account has: failed from the start. */
    failed: t.Optional(t.Integer({ minimum: 0 })),
    /** The members of resource groups go too: `scheduler_event.sized` tells how many they are. */
    hasGroups: t.Optional(t.Boolean()),
    at: moment,
  }),
  examples: [
    {
      eventId: '9f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01',
      scheduleId: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
      action: 'stop',
      status: 'completed',
      triggeredAt: '2026-01-15T20:00:00.000Z',
      resourceUids: ['i-1', 'i-2'],
      wanted: 0,
      at: '2026-01-15T20:00:04.000Z',
    },
  ],
})

/**
 * From the bulk action of a fire's groups to the fire's event, with its start: what goes by it, in `of` portions (one where
 * there are no members). Each portion has an id of its own.
 */
export const schedulerEventSized = subject({
  ...ofSchedule,
  name: 'scheduler_event.sized',
  summary: 'How many members of resource groups a schedule starts or stops.',
  once: true,
  schema: t.Object({
    scheduleId: id,
    eventId: id,
    uids: t.Array(ResourceUid, { maxItems: resourcesMax }),
    /** Ends that follow for these, as `scheduler_event.member_ended` tells them. */
    members: t.Integer({ minimum: 0 }),
    of: t.Integer({ minimum: 1 }),
  }),
  examples: [{ scheduleId: 's-1', eventId: 'e-1', uids: ['i-1', 'i-2'], members: 2, of: 1 }],
})

export const overrideScopes = ['resource', 'resource_group'] as const
export const desiredStates = ['running', 'stopped'] as const
export const overrideStatuses = ['active', 'expired', 'cancelled'] as const

/** An override lasts at most so many days. */
export const overrideDaysMax = 30

/** Command: bring a scope into a state at once and keep schedules off it until `expiresAt`. Replies `{ id }`. */
export const overrideRequested = subject({
  name: 'override.requested',
  kind: 'actor',
  summary: 'Keep resources in a state for a while, regardless of their schedules.',
  place: () => orgWide,
  once: true,
  schema: t.Object({
    overrideId: id,
    scopeType: t.Enum(overrideScopes),
    /** uid of the resource, or id of the group. */
    scopeId: ResourceUid,
    desiredState: t.Enum(desiredStates),
    expiresAt: moment,
    reason: t.Union([text(), t.Null()]),
    userId: text({ maxLength: 256 }),
  }),
  examples: [
    {
      overrideId: 'o-1',
      scopeType: 'resource',
      scopeId: 'i-1',
      desiredState: 'running',
      expiresAt: '2030-01-08T22:00:00.000Z',
      reason: 'Load test',
      userId: 'u-1',
    },
  ],
})

/** Command: end an override now. */
export const overrideCancelled = subject({
  name: 'override.cancelled',
  kind: 'actor',
  summary: 'End an override before its time.',
  place: () => orgWide,
  once: true,
  schema: t.Object({ overrideId: id }),
  examples: [{ overrideId: 'o-1' }],
})

/** Reminder: the time of an override is over. */
export const overrideDue = subject({
  name: 'override.due',
  kind: 'actor',
  summary: 'An override has expired.',
  place: () => orgWide,
  schema: t.Object({ overrideId: id }),
  examples: [{ overrideId: 'o-1' }],
})

export const scheduleMessages = [
  scheduleSaved,
  scheduleRemoved,
  scheduleDue,
  schedulerEventRecorded,
  schedulerEventSized,
  overrideRequested,
  overrideCancelled,
  overrideDue,
]
