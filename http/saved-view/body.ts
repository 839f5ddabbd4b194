/** Saved views and their schedules in requests and responses. */
import { readdirSync } from 'node:fs'
import { cadences, mailStates, type ReportSchedule, type SavedView } from '#actors/saved-view/entity.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Email, Name, orNull, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { didYouMean } from '#http/edge/request/nearest.ts'
import { badInput } from '#http/edge/problem.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { isMailable } from '#http/saved-view/report-query.ts'

/** Each view has a folder with its name. */
const consoleViews: readonly string[] = readdirSync(new URL('../console/web/view/', import.meta.url), {
  withFileTypes: true,
}).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))

const queryMax = 8192

const members = {
  name: Name,
  view: t.String({ maxLength: 64, description: 'a console view, as in its URL', examples: ['costs'] }),
  query: t.String({
    maxLength: queryMax,
    pattern: "^(?:[A-Za-z0-9._~!$&'()*+,;=:@/\\[\\]|-]|%[0-9A-Fa-f]{2})*$",
    description: 'query string of its URL without the question mark; may be empty',
    examples: ['range=month&dims=service_name'],
  }),
  shared: t.Enum(['me', 'organization'], {
    description: 'who can see it. Views of the organization can be changed by their creator and by owners and admins',
  }),
}

export const ViewBody = t.Object(
  { ...members, query: t.Optional(members.query), shared: t.Optional(members.shared) },
  {
    examples: [
      { name: 'Services this month', view: 'costs', query: 'range=month&dims=service_name', shared: 'organization' },
    ],
  },
)
export const ViewChange = t.Partial(t.Object(members), { examples: [{ name: 'Services' }] })

/** @throws Fault `invalid` for an unknown view, or a query that is not valid text */
export function checkView({ view, query }: { view?: string; query?: string }): void {
  if (view !== undefined && !consoleViews.includes(view)) {
    const message = `must be a console view: ${consoleViews.join(', ')}${didYouMean(view, consoleViews)}`
    throw badInput({ in: 'body', name: '/view', code: 'enum', message })
  }
  if (query !== undefined && !isReadable(query))
    throw badInput({ in: 'body', name: '/query', code: 'format', message: 'must be a valid UTF-8 query string' })
}

function isReadable(query: string): boolean {
  try {
    return !decodeURIComponent(query).includes('\u0000')
  } catch {
    return false
  }
}

export const View = t.Object(
  {
    id: t.String(),
    ...members,
    ownerID: t.String({ description: 'creator' }),
    isMine: t.Boolean(),
    mayChange: t.Boolean({ description: 'whether you can change and delete it' }),
    isMailable: t.Boolean({ description: 'whether it can be sent by email' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'SavedView',
    examples: [
      {
        id: '4c5e6c1a-4d3f-4b0e-8a51-6c9d0e1f2a33',
        name: 'Services of the month',
        view: 'costs',
        query: 'range=month&dims=service_name',
        shared: 'organization',
        ownerID: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
        isMine: true,
        mayChange: true,
        isMailable: true,
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

export const mayChange = ({ ownerId, holder }: SavedView, { userId, isAdmin }: Caller): boolean =>
  ownerId === userId || (holder === '' && isAdmin)

export const showView = (view: SavedView, caller: Caller): Static<typeof View> => ({
  id: view.id,
  name: view.name,
  view: view.view,
  query: view.query,
  shared: view.holder === '' ? 'organization' : 'me',
  ownerID: view.ownerId,
  isMine: view.ownerId === caller.userId,
  mayChange: mayChange(view, caller),
  isMailable: isMailable(view.view),
  createdAt: view.createdAt.toISOString(),
  updatedAt: view.updatedAt.toISOString(),
})

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

export const Schedule = t.Object(
  {
    id: t.String(),
    viewID: t.String(),
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
  },
  {
    title: 'ReportSchedule',
    examples: [
      {
        id: '5c5e6c1a-4d3f-4b0e-8a51-6c9d0e1f2a33',
        viewID: '4c5e6c1a-4d3f-4b0e-8a51-6c9d0e1f2a33',
        ownerID: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
        isMine: true,
        every: 'week',
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
      },
    ],
  },
)

export const showSchedule = (one: ReportSchedule, { userId }: Caller): Static<typeof Schedule> => ({
  id: one.id,
  viewID: one.viewId,
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
