/** Which events channels send. */
import type { NotificationSubscription } from '#actors/notification/entity.ts'
import { listSubscriptions } from '#actors/notification/queries.ts'
import {
  bulkMax,
  editSubscription,
  makeSubscription,
  mergeSubscriptions,
  removeSubscription,
} from '#actors/notification/channel/subscription-change.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import { EventKey } from '#http/notification/event-type.ts'
import { checkReach } from '#http/notification/scope-check.ts'
import { reply } from '#http/store/reply.ts'
import { subscriptionScopes } from '#streams/notification/channel.ts'
import { text } from '#streams/text.ts'

const members = {
  channelID: text({ minLength: 1, maxLength: 256, description: 'the channel that sends the notifications' }),
  eventType: EventKey,
  scopeType: t.Enum(subscriptionScopes, { description: 'org: all events of the organization' }),
  scopeID: text({
    maxLength: 1024,
    description: 'empty for org, UID of a resource, otherwise the ID of the account, group or team',
  }),
  enabled: t.Boolean({ description: 'false: paused' }),
}

const SubscriptionBody = t.Object(
  {
    channelID: members.channelID,
    eventType: members.eventType,
    scopeType: members.scopeType,
    scopeID: t.Optional(members.scopeID),
    enabled: t.Optional(t.Boolean({ default: true, description: 'default true; false: paused' })),
  },
  {
    examples: [
      {
        channelID: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
        eventType: 'budget.exceeded',
        scopeType: 'org',
        scopeID: '',
        enabled: true,
      },
    ],
  },
)

const ChangeBody = t.Object(
  {
    channelID: t.Optional(members.channelID),
    eventType: t.Optional(members.eventType),
    scopeType: t.Optional(members.scopeType),
    scopeID: t.Optional(members.scopeID),
    enabled: t.Optional(members.enabled),
  },
  { examples: [{ enabled: false }] },
)

const BulkBody = t.Object(
  { subscriptions: t.Array(SubscriptionBody, { minItems: 1, maxItems: bulkMax }) },
  {
    examples: [
      {
        subscriptions: [
          {
            channelID: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
            eventType: 'cost.anomaly.cloud_account.critical',
            scopeType: 'cloud_account',
            scopeID: '0d4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a02',
          },
        ],
      },
    ],
  },
)

const SubscriptionView = t.Object(
  { id: t.String(), ...members, createdAt: Timestamp, updatedAt: Timestamp },
  {
    title: 'Subscription',
    examples: [
      {
        id: '8c9e6679-7425-40de-944b-e07fc1f90ae7',
        channelID: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
        eventType: 'budget.warning',
        scopeType: 'org',
        scopeID: '',
        enabled: true,
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

const show = (s: NotificationSubscription): Static<typeof SubscriptionView> => ({
  id: s.id,
  channelID: s.channelId,
  eventType: s.eventType as Static<typeof EventKey>,
  scopeType: s.scopeType,
  scopeID: s.scopeId,
  enabled: s.enabled,
  createdAt: s.createdAt.toISOString(),
  updatedAt: s.updatedAt.toISOString(),
})

const routeBase = { tags: ['Notifications'] } as const
const params = t.Object({ subID: t.String({ description: 'as in GET /notifications/subscriptions' }) })

export const subscriptions: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/notifications/subscriptions',
    summary: 'List subscriptions of channels, oldest first',
    description:
      'Includes all channels of the organization and paused subscriptions. Email preferences of users are not listed here.',
    permission: 'service.view',
    query: t.Object({
      channel_id: t.Optional(t.String({ maxLength: 256, description: 'only this channel' })),
      event_type: t.Optional(t.Enum(EventKey.enum, { description: 'filter by event type' })),
    }),
    reply: t.Array(SubscriptionView),
    handle: async ({ caller, query: { channel_id: channelId, event_type: eventType } }, { em }) =>
      (await listSubscriptions(em, caller.orgId, { channelId, eventType })).map(show),
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/notifications/subscriptions',
    summary: 'Subscribe a channel to an event type; at most 5,000',
    description:
      'For the whole organization, or for a cloud account, a resource group, a resource or a team, with their resources. An ' +
      'event that matches several subscriptions of a channel is sent once. Returns 404 if the channel, account, group or ' +
      'team does not exist; a resource need not be known. Returns 409 if the channel has the same subscription. A role that ' +
      'sees only part of the costs can subscribe to its cloud accounts and teams; anything more returns 403 report_scope.',
    permission: 'service.create',
    status: 201,
    body: SubscriptionBody,
    reply: SubscriptionView,
    refuses: { 403: ['report_scope'], 404: ['not_found'], 409: ['already_exists'], 422: ['too_many_subscriptions'] },
    handle: ({ body, caller }, { change }) =>
      change(async (tx) => {
        const made = await makeSubscription(tx, body)
        checkReach(caller, [made])
        return reply(show(made), {})
      }),
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/notifications/subscriptions/bulk',
    summary: 'Create or update many subscriptions, all or nothing',
    description:
      'Existing ones with the same channel, event type and scope are updated, the others created. Of duplicates, the last ' +
      'one wins. Errors name the position, such as /subscriptions/3/channelID.',
    permission: 'service.create',
    body: BulkBody,
    reply: t.Object({ created: t.Integer(), updated: t.Integer() }),
    example: { created: 2, updated: 0 },
    refuses: { 403: ['report_scope'], 422: ['too_many_subscriptions'] },
    handle: ({ body, caller }, { change }) => {
      const wanted = body.subscriptions.map(({ scopeID: scopeId = '', enabled = true, ...one }) => ({
        ...one,
        scopeId,
        enabled,
      }))
      checkReach(caller, wanted)
      return change(async (tx) => reply(await mergeSubscriptions(tx, body.subscriptions), {}))
    },
  }),

  route({
    ...routeBase,
    method: 'PUT',
    path: '/notifications/subscriptions/:subID',
    summary: 'Update a subscription; omitted fields are unchanged',
    description: 'A new scopeType requires its scopeID. Returns 409 if the channel has the same subscription.',
    permission: 'service.update',
    params,
    body: ChangeBody,
    reply: SubscriptionView,
    refuses: { 403: ['report_scope'], 409: ['already_exists'] },
    handle: ({ params: { subID }, body, caller }, { change }) =>
      change(async (tx) => {
        const changed = await editSubscription(tx, subID, body)
        checkReach(caller, [changed])
        return show(changed)
      }),
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/notifications/subscriptions/:subID',
    summary: 'Delete a subscription',
    description: 'Messages in delivery are still sent. The channel is kept.',
    permission: 'service.delete',
    status: 204,
    params,
    handle: ({ params: { subID } }, { change }) => change((tx) => removeSubscription(tx, subID)),
  }),
]
