/** The built-in mails that a person wants. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { setPreference } from '#actors/notification/channel/change.ts'
import type { EmailPreference } from '#actors/notification/entity.ts'
import { findPreference } from '#actors/notification/queries.ts'
import { Fault } from '#engine/value/fault.ts'
import { isUuid } from '#engine/value/id.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { Member } from '#http/identity/entity.ts'
import { EventKey } from '#http/notification/event-type.ts'
import { eventTypeOf, type EventType } from '#streams/notification/event-type.ts'

const PreferenceView = t.Object(
  {
    eventKey: EventKey,
    enabled: t.Boolean({ description: 'true by default' }),
    updatedAt: orNull(Timestamp),
  },
  { title: 'EmailPreference', examples: [{ eventKey: 'budget.warning', enabled: true, updatedAt: null }] },
)

const show = (eventKey: EventType, found: EmailPreference | null): Static<typeof PreferenceView> => ({
  eventKey,
  enabled: found?.enabled ?? true,
  updatedAt: timestamp(found?.updatedAt),
})

export const isMember = async (em: EntityManager, orgId: string, userId: string): Promise<boolean> =>
  isUuid(userId) && (await em.count(Member, { orgId, userId })) > 0

/**
 * A machine token belongs to nobody.
 * @throws Fault `missing` for an unknown event type, `forbidden` `person_required` for such a token
 */
async function getPreferenceKey(em: EntityManager, { orgId, userId }: Caller, given: string) {
  const known = eventTypeOf(given)
  if (!known) throw Fault.missing('event type', given)
  if (!(await isMember(em, orgId, userId)))
    throw Fault.forbidden('person_required', 'This is only for people. The token does not belong to a user.')
  return { userId, eventKey: known.key }
}

const routeBase = {
  path: '/notifications/email-preferences/:eventKey',
  permission: 'user',
  tags: ['Notifications'],
  params: t.Object({
    eventKey: t.String({ description: 'a key of GET /notifications/event-types', examples: ['budget.warning'] }),
  }),
} as const

export const emailPreferences: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    summary: 'Get your built-in email preference for an event type',
    description:
      'Built-in emails go to owners and admins for budgets and anomalies, and to the user who started an action for ' +
      'resources. Emails from channels of type email are separate.',
    reply: PreferenceView,
    refuses: { 403: ['person_required'] },
    handle: async ({ caller, params }, { em }) => {
      const { userId, eventKey } = await getPreferenceKey(em, caller, params.eventKey)
      return show(eventKey, await findPreference(em, caller.orgId, userId, eventKey))
    },
  }),

  route({
    ...routeBase,
    method: 'PUT',
    summary: 'Set your built-in email preference for an event type',
    description: 'Applies to you, in this organization.',
    body: t.Object(
      { enabled: t.Boolean({ description: 'false: no such email is sent to you' }) },
      { examples: [{ enabled: false }] },
    ),
    reply: PreferenceView,
    refuses: { 403: ['person_required'] },
    handle: async ({ caller, params, body }, { em, change }) => {
      const of = await getPreferenceKey(em, caller, params.eventKey)
      return show(of.eventKey, await change((tx) => setPreference(tx, of, body.enabled)))
    },
  }),
]
