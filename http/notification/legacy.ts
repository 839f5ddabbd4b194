/** Notifications from before there were channels (decision G-96): each is a channel that is shown nowhere else. */
import {
  editLegacy,
  legacyFlags,
  makeLegacy,
  removeLegacy,
  type LegacyFlag,
} from '#actors/notification/channel/change.ts'
import type { NotificationChannel } from '#actors/notification/entity.ts'
import { listLegacy, subscriptionsOf } from '#actors/notification/queries.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { Chat, ChatGiven, real, recordChannel, toolsOf, webhookShown, WebhookUrl } from '#http/notification/body.ts'
import { reply } from '#http/store/reply.ts'

const flagTexts: Readonly<Record<LegacyFlag, string>> = {
  notifyOnStart: 'notify about started resources',
  notifyOnStop: 'notify about stopped resources',
  notifyOnFailure: 'notify about failed starts and stops',
  notifyOnOverride: 'notify about overrides',
}
const flag = (name: LegacyFlag) => t.Boolean({ description: flagTexts[name] })
const off = (name: LegacyFlag) =>
  t.Optional(t.Boolean({ default: false, description: `${flagTexts[name]}; default false` }))
const flags = {
  notifyOnStart: flag('notifyOnStart'),
  notifyOnStop: flag('notifyOnStop'),
  notifyOnFailure: flag('notifyOnFailure'),
  notifyOnOverride: flag('notifyOnOverride'),
}

const LegacyView = t.Object(
  {
    id: t.String(),
    channel: Chat,
    webhookURL: t.String({ description: 'masked as https://host/... for callers without service.update' }),
    ...flags,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'LegacyNotification',
    examples: [
      {
        id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
        channel: 'slack',
        webhookURL: 'https://hooks.slack.com/…',
        notifyOnStart: true,
        notifyOnStop: true,
        notifyOnFailure: true,
        notifyOnOverride: false,
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

const CreateBody = t.Object(
  {
    channel: ChatGiven,
    webhookURL: WebhookUrl,
    notifyOnStart: off('notifyOnStart'),
    notifyOnStop: off('notifyOnStop'),
    notifyOnFailure: off('notifyOnFailure'),
    notifyOnOverride: off('notifyOnOverride'),
  },
  {
    examples: [
      {
        channel: 'slack',
        webhookURL: 'https://hooks.slack.com/services/T000/B000/XXXX',
        notifyOnStart: false,
        notifyOnStop: true,
        notifyOnFailure: true,
        notifyOnOverride: false,
      },
    ],
  },
)

const ChangeBody = t.Object(
  {
    channel: t.Optional(ChatGiven),
    webhookURL: t.Optional(WebhookUrl),
    notifyOnStart: t.Optional(flags.notifyOnStart),
    notifyOnStop: t.Optional(flags.notifyOnStop),
    notifyOnFailure: t.Optional(flags.notifyOnFailure),
    notifyOnOverride: t.Optional(flags.notifyOnOverride),
  },
  { examples: [{ notifyOnStop: false }] },
)

async function toLegacyViews(
  { em, open }: Pick<Services, 'em' | 'open'>,
  caller: Caller,
  found: readonly NotificationChannel[],
): Promise<Static<typeof LegacyView>[]> {
  const subscriptions = await subscriptionsOf(em, caller.orgId, found)
  const enabled = new Set(subscriptions.filter((one) => one.enabled).map((one) => `${one.channelId} ${one.eventType}`))
  return found.map((channel) => {
    const { id, type, createdAt, updatedAt } = channel
    const isOn = (name: LegacyFlag) => enabled.has(`${id} ${legacyFlags[name]}`)
    return {
      id,
      channel: type as Static<typeof Chat>,
      webhookURL: webhookShown(caller, channel, open),
      notifyOnStart: isOn('notifyOnStart'),
      notifyOnStop: isOn('notifyOnStop'),
      notifyOnFailure: isOn('notifyOnFailure'),
      notifyOnOverride: isOn('notifyOnOverride'),
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
    }
  })
}

const routeBase = {
  tags: ['Notifications'],
  secret: true,
  deprecated: { since: '2026-01-01', sunset: '2028-01-01T00:00:00Z', link: '/notifications/channels' },
} as const
const params = t.Object({ notificationID: t.String({ description: 'as in GET /notifications' }) })

export const legacyNotifications: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/notifications',
    summary: 'List legacy notifications, oldest first',
    description: 'Use /notifications/channels and /notifications/subscriptions, which do not list these.',
    permission: 'service.view',
    reply: t.Array(LegacyView),
    handle: async ({ caller }, services) =>
      toLegacyViews(services, caller, await listLegacy(services.em, caller.orgId)),
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/notifications',
    summary: 'Notify a chat about starts, stops, failures and overrides of all resources',
    description: 'Use POST /notifications/channels and POST /notifications/subscriptions.',
    permission: 'service.create',
    status: 201,
    body: CreateBody,
    reply: LegacyView,
    refuses: { 422: ['too_many_channels'] },
    handle: (request, services) =>
      services.change(async (tx) => {
        const { body } = request
        const made = await makeLegacy(tx, { ...body, channel: real(body.channel) }, toolsOf(services))
        await recordChannel(tx.em, request, tx.now(), made.id, 'created')
        const [one] = await toLegacyViews({ em: tx.em, open: services.open }, request.caller, [made])
        return reply(one!, {})
      }),
  }),

  route({
    ...routeBase,
    method: 'PUT',
    path: '/notifications/:notificationID',
    summary: 'Change the notifications of a chat; omitted fields are unchanged',
    description:
      'The chat is also a channel of GET /notifications/channels, where you can subscribe it to more events.',
    permission: 'service.update',
    params,
    body: ChangeBody,
    reply: LegacyView,
    handle: (request, services) =>
      services.change(async (tx) => {
        const { channel, ...rest } = request.body
        const given = { ...rest, ...(channel !== undefined && { channel: real(channel) }) }
        const edited = await editLegacy(tx, request.params.notificationID, given, toolsOf(services))
        await recordChannel(tx.em, request, tx.now(), edited.id, 'changed')
        return (await toLegacyViews({ em: tx.em, open: services.open }, request.caller, [edited]))[0]!
      }),
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/notifications/:notificationID',
    summary: 'Stop all notifications to a chat',
    description:
      'Deletes the channel with all its subscriptions, including those created with /notifications/subscriptions.',
    permission: 'service.delete',
    status: 204,
    params,
    handle: (request, { change }) =>
      change(async (tx) => {
        const { id } = await removeLegacy(tx, request.params.notificationID)
        await recordChannel(tx.em, request, tx.now(), id, 'deleted')
      }),
  }),
]
