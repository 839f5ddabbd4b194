/** Until when a person has read what they were notified of. */
import { setReadMark } from '#actors/notification/channel/change.ts'
import { ReadMark } from '#actors/notification/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { orNull, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import { isMember } from '#http/notification/preference.ts'

const View = t.Object(
  { readUntil: orNull(Timestamp) },
  { title: 'ReadMark', examples: [{ readUntil: '2026-01-15T10:00:00.000Z' }] },
)

const routeBase = { path: '/notifications/read-mark', permission: 'user', tags: ['Notifications'] } as const

export const readMarks: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    summary: 'Get until when you have read your notifications in this organization',
    description: 'The time of the newest delivery that you have seen; null if you have seen none.',
    reply: View,
    handle: async ({ caller: { orgId, userId } }, { em }) => {
      const found = await em.findOne(ReadMark, { orgId, userId }, { refresh: true })
      return { readUntil: timestamp(found?.readUntil) }
    },
  }),

  route({
    ...routeBase,
    method: 'PUT',
    summary: 'Mark your notifications in this organization as read',
    description: 'A time before the present mark changes nothing.',
    body: t.Object(
      { readUntil: t.String({ format: 'date-time', maxLength: 64 }) },
      { examples: [{ readUntil: '2026-01-15T10:00:00.000Z' }] },
    ),
    reply: View,
    refuses: { 403: ['person_required'] },
    handle: async ({ caller: { orgId, userId }, body }, { em, change }) => {
      if (!(await isMember(em, orgId, userId)))
        throw Fault.forbidden('person_required', 'This is only for people. The token does not belong to a user.')
      const until = await change((tx) => setReadMark(tx, userId, new Date(body.readUntil)))
      return { readUntil: until.toISOString() }
    },
  }),
]
