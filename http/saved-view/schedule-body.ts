/** Email schedules of saved views and dashboards in requests and responses. */
import { cadences, mailStates, type ReportSchedule } from '#actors/saved-view/entity.ts'
import { t } from '#engine/value/schema.ts'
import { Email, orNull, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import type { Caller } from '#http/identity/organization/caller.ts'

const times = {
  every: t.Enum(cadences),
  weekday: t.Integer({ minimum: 1, maximum: 7, description: 'for weekly schedules: 1 is Monday' }),
  day: t.Integer({ minimum: 1, maximum: 28, description: 'for monthly schedules' }),
  hour: t.Integer({ minimum: 0, maximum: 23, description: 'in the time zone' }),
  timezone: t.String({ minLength: 1, maxLength: 64, description: 'IANA time zone', examples: ['Europe/Berlin'] }),
}
const recipients = t.Array(Email, {
  minItems: 1,
  maxItems: 20,
  description: 'email addresses of members; only an owner or an admin can add others',
})
const isOn = t.Boolean({ description: 'false: nothing is sent' })

export const ScheduleBody = t.Object(
  {
    every: times.every,
    weekday: t.Optional(times.weekday),
    day: t.Optional(times.day),
    hour: times.hour,
    timezone: times.timezone,
    recipients,
    isOn: t.Optional(isOn),
  },
  {
    examples: [
      { every: 'week', weekday: 1, hour: 8, timezone: 'Europe/Berlin', recipients: ['ana@example.com'], isOn: true },
    ],
  },
)
export const ScheduleChange = t.Partial(t.Object({ ...times, recipients, isOn }), { examples: [{ isOn: false }] })

const shown = {
  ownerID: t.String({ description: 'the user whose permissions determine the figures' }),
  isMine: t.Boolean({ description: 'whether it is your schedule' }),
  ...times,
  recipients: t.Array(
    t.Object({
      email: t.String(),
      isOutside: t.Boolean({ description: 'not a member: added by an owner or an admin' }),
      unsubscribed: t.Boolean({ description: 'has unsubscribed' }),
    }),
  ),
  isOn,
  nextDueAt: orNull(Timestamp),
  last: orNull(
    t.Object(
      {
        dueAt: Timestamp,
        at: Timestamp,
        reason: t.String({ description: 'why nothing was sent; empty if it was sent' }),
        mails: t.Array(
          t.Object({
            email: t.String(),
            state: t.Enum(mailStates, { description: 'left: no longer a member' }),
            message: t.String(),
          }),
        ),
      },
      { description: 'result of the last run' },
    ),
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

const example = {
  ownerID: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
  isMine: true,
  every: 'week' as const,
  weekday: 1,
  day: 1,
  hour: 8,
  timezone: 'Europe/Berlin',
  recipients: [{ email: 'ana@example.com', isOutside: false, unsubscribed: false }],
  isOn: true,
  nextDueAt: '2026-01-19T07:00:00.000Z',
  last: null,
  createdAt: '2026-01-15T10:00:00.000Z',
  updatedAt: '2026-01-15T10:00:00.000Z',
}
const ids = { id: '5c5e6c1a-4d3f-4b0e-8a51-6c9d0e1f2a33', of: '4c5e6c1a-4d3f-4b0e-8a51-6c9d0e1f2a33' }

/** Without what it is of. */
export const AnySchedule = t.Object({ id: t.String(), ...shown })

export const ViewSchedule = t.Object(
  { id: t.String(), viewID: t.String(), ...shown },
  { title: 'ReportSchedule', examples: [{ id: ids.id, viewID: ids.of, ...example }] },
)
export const DashboardSchedule = t.Object(
  { id: t.String(), dashboardID: t.String(), ...shown },
  { title: 'DashboardSchedule', examples: [{ id: ids.id, dashboardID: ids.of, ...example }] },
)

/** Without what it is of. */
export const showSchedule = (one: ReportSchedule, { userId }: Caller) => ({
  id: one.id,
  ownerID: one.ownerId,
  isMine: one.ownerId === userId,
  every: one.every,
  weekday: one.weekday,
  day: one.day,
  hour: one.hour,
  timezone: one.timezone,
  recipients: one.recipients.map((to) => ({ ...to, unsubscribed: one.unsubscribed.includes(to.email) })),
  isOn: one.isOn,
  nextDueAt: timestamp(one.nextDueAt),
  last: one.last ?? null,
  createdAt: one.createdAt.toISOString(),
  updatedAt: one.updatedAt.toISOString(),
})
