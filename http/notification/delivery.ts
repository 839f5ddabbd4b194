/** The log of deliveries: what was sent to whom, with its outcome. */
import { farMs, notificationDeliveries } from '#analytics/notification/questions.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { askPage, list, toPage, pageOf, paging } from '#http/edge/parameter/paging.ts'
import { range, rangeOf } from '#http/edge/parameter/range.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { EventKey, shareType, testType } from '#http/notification/event-type.ts'
import { anomalyTypes } from '#streams/anomaly.ts'
import { NotificationEvent, personChannel } from '#streams/notification/messages.ts'
import { deliveryKinds, deliveryStatuses } from '#streams/notification/channel.ts'
import { eventCategories } from '#streams/notification/event-type.ts'

const holds = ['quiet', 'digest', 'circuit'] as const

const fields = {
  id: t.String({ description: 'X-Tidemark-Delivery header of the post, the same for all attempts' }),
  channelID: t.String({ description: "channel ID; mail:<user> for a user's built-in email" }),
  kind: t.Enum(deliveryKinds, { description: 'digest: several events in one message' }),
  eventID: t.String({ description: 'the same for all channels that notify about the event' }),
  eventType: t.String({ description: 'a key of GET /notifications/event-types, or test' }),
  category: t.Enum(eventCategories),
  severity: t.Optional(t.String({ description: 'for anomalies' })),
  title: t.String(),
  scope: t.Object({ type: t.Enum(anomalyTypes), id: t.String({ description: 'empty for org' }) }),
  status: t.Enum(deliveryStatuses, { description: 'folded: included in another delivery, see foldedInto' }),
  hold: t.Optional(t.Enum(holds, { description: 'why it is delayed: quiet hours, a digest, or a failing channel' })),
  tries: t.Integer(),
  responseStatus: t.Optional(
    t.Integer({ description: 'HTTP status of the receiver; absent if it did not respond, and for email' }),
  ),
  message: t.Optional(t.String({ description: 'why it failed' })),
  createdAt: Timestamp,
  nextTryAt: t.Optional(Timestamp),
  endedAt: t.Optional(Timestamp),
  foldedInto: t.Optional(t.String({ description: 'the delivery that includes it' })),
}
const deliveryExample = {
  id: '9c9e6679-7425-80de-944b-e07fc1f90ae7',
  channelID: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  kind: 'event',
  eventID: 'ac9e6679-7425-80de-944b-e07fc1f90ae7',
  eventType: 'budget.warning',
  category: 'budget',
  title: 'Budget Shop: 80% used',
  scope: { type: 'org', id: '' },
  status: 'delivered',
  tries: 1,
  createdAt: '2026-01-15T10:00:00.000Z',
  endedAt: '2026-01-15T10:00:02.000Z',
} as const
export const Delivery = t.Object(fields, {
  title: 'Delivery',
  examples: [deliveryExample],
})
const WholeDelivery = t.Object(
  { ...fields, event: NotificationEvent },
  {
    title: 'DeliveryWithEvent',
    examples: [
      {
        ...deliveryExample,
        event: {
          id: 'ac9e6679-7425-80de-944b-e07fc1f90ae7',
          eventType: 'budget.warning',
          name: 'Budget warning',
          category: 'budget',
          orgID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
          occurredAt: '2026-01-15T10:00:00.000Z',
          title: 'Budget Shop: 80% used',
          summary: '802.14 of 1000 US dollars are spent in January 2026.',
          scope: { type: 'org', id: '' },
          data: { budgetId: '0198a1b2-0000-7000-8000-000000000001' },
        },
      },
    ],
  },
)

type Row = Static<(typeof notificationDeliveries)['row']>

const moment = (ms: number): string => new Date(ms).toISOString()

/** One delivery as the API shows it. */
export const shownDelivery = (row: Row): Static<typeof Delivery> => ({
  id: row.id,
  channelID: row.channel_id,
  kind: row.kind,
  eventID: row.event_id,
  eventType: row.event_type,
  category: row.category,
  ...(row.severity && { severity: row.severity }),
  title: row.title,
  scope: { type: row.scope_type, id: row.scope_id },
  status: row.status,
  ...(row.hold && { hold: row.hold as (typeof holds)[number] }),
  tries: row.tries,
  ...(row.response_status > 0 && { responseStatus: row.response_status }),
  ...(row.message && { message: row.message }),
  createdAt: moment(row.created_at_ms),
  ...(row.next_try_at_ms > 0 && { nextTryAt: moment(row.next_try_at_ms) }),
  ...(row.ended_at_ms > 0 && { endedAt: moment(row.ended_at_ms) }),
  ...(row.folded_into && { foldedInto: row.folded_into }),
})

/** Filters for a caller who may see all deliveries. */
export const everyDelivery = {
  id: '',
  anomaly: '',
  from_ms: 0,
  to_ms: farMs,
  channels: [],
  event_types: [],
  statuses: [],
  admin: 1,
  own: '',
  scoped: 0,
  scope_accounts: [],
  scope_teams: [],
  whole: 0,
  limit: 1,
  offset: 0,
}

/** Built-in mails are visible to their recipients and to admins; costs to callers who see their accounts and teams. */
export const seenBy = ({ isAdmin, userId, reportScope: { all, cloudAccountIDs, teamIDs } }: Caller) => ({
  ...everyDelivery,
  admin: Number(isAdmin),
  own: userId === '' ? '' : personChannel(userId),
  scoped: Number(!all),
  scope_accounts: all ? [] : [...cloudAccountIDs],
  scope_teams: all ? [] : [...teamIDs],
})

const routeBase = { method: 'GET', permission: 'service.view', tags: ['Notifications'] } as const

export const deliveries: readonly Route[] = [
  route({
    ...routeBase,
    path: '/notifications/deliveries',
    summary: 'List sent and pending notifications, newest first',
    description:
      'One for each event and channel, kept for 90 days. Without from and to, all are returned; with only one of them, the ' +
      'range is as in reports. Built-in emails are visible to their recipients, and to owners and admins.',
    query: t.Object({
      channel_id: t.Optional(list(t.String({ maxLength: 256 }), { maxItems: 100, description: 'filter by channel' })),
      event_type: t.Optional(
        list(t.Enum([...EventKey.enum, testType, shareType]), { description: 'filter by event type' }),
      ),
      status: t.Optional(list(t.Enum(deliveryStatuses), { description: 'filter by status' })),
      ...range,
      ...paging(50, 200),
    }),
    reply: pageOf(Delivery),
    refuses: { 422: ['report_too_large'] },
    handle: async ({ caller, query }, { analytics, now }) => {
      const isRanged = query.from !== undefined || query.to !== undefined
      const { from, to } = rangeOf(query, now())
      const question = {
        ...seenBy(caller),
        ...(isRanged && { from_ms: from.getTime(), to_ms: to.getTime() }),
        channels: query.channel_id ?? [],
        event_types: query.event_type ?? [],
        statuses: query.status ?? [],
      }
      const { rows, total } = await askPage(query, (cut) => analytics(notificationDeliveries, { ...question, ...cut }))
      return toPage({ items: rows.map(shownDelivery), total }, query)
    },
  }),

  route({
    ...routeBase,
    path: '/notifications/deliveries/:deliveryID',
    summary: 'Get a delivery with its full event',
    description: "Also returns 404 for a delivery about accounts or teams outside the caller's report scope.",
    params: t.Object({ deliveryID: t.String({ description: 'as in GET /notifications/deliveries' }) }),
    reply: WholeDelivery,
    refuses: { 422: ['report_too_large'] },
    handle: async ({ caller, params: { deliveryID } }, { analytics }) => {
      const question = { ...seenBy(caller), id: deliveryID, whole: 1 }
      const [row] = await analytics(notificationDeliveries, question)
      if (!row) throw Fault.missing('delivery', deliveryID)
      return { ...shownDelivery(row), event: JSON.parse(row.whole_event) as NotificationEvent }
    },
  }),
]
