/** Channels of notifications: chats, webhooks and mail. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { editChannel, makeChannel, removeChannel, renewSecret } from '#actors/notification/channel/change.ts'
import { signingSealed, type NotificationChannel } from '#actors/notification/entity.ts'
import { foundChannel, listChannels, subscriptionsOf } from '#actors/notification/queries.ts'
import { t } from '#engine/value/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import {
  ChangeBody,
  Channel,
  CreateBody,
  real,
  recordChannel,
  shownChannels,
  toolsOf,
} from '#http/notification/body.ts'
import { askRecipient, checkRecipient } from '#http/notification/confirm.ts'
import { testChannel, TestReply } from '#http/notification/test-event.ts'
import { checkChannel } from '#http/notification/scope-check.ts'
import { personOf, type Caller } from '#http/identity/organization/caller.ts'
import { reply } from '#http/store/reply.ts'

const recipientIn = (config: { email?: string; address?: string } = {}): string | undefined =>
  config.email ?? config.address

/** Webhook URLs are secrets: anyone who has one can post there. */
const routeBase = { tags: ['Notifications'], secret: true } as const
const params = t.Object({ channelID: t.String({ description: 'as in GET /notifications/channels' }) })
const SigningSecret = t.Object({
  signingSecret: t.String({
    description:
      'the text itself is the key: X-Tidemark-Signature is v1=<hex HMAC-SHA256 of "<X-Tidemark-Timestamp>.<body>">',
  }),
})

/** @throws Fault as `checkChannel` */
async function checkChannelAccess(em: EntityManager, caller: Caller, channel: NotificationChannel): Promise<void> {
  if (!caller.reportScope.all) checkChannel(caller, channel, await subscriptionsOf(em, channel.orgId, [channel]))
}

export const channels: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/notifications/channels',
    summary: 'List notification channels, sorted by name',
    description:
      'Webhook URLs are masked for callers without service.update. lastFailure has the reason why the last message could not be delivered.',
    permission: 'service.view',
    reply: t.Array(Channel),
    handle: async ({ caller }, { em, open }) => shownChannels(em, caller, await listChannels(em, caller.orgId), open),
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/notifications/channels',
    summary: 'Create a notification channel: a chat or an email address; at most 100',
    description:
      'A channel sends the events it has subscriptions for. Its options are off by default: digest collects messages that ' +
      'are not urgent, quietHours delays them, and fold combines anomalies of the same day with the same cause. Posts to a ' +
      'chat are signed with the secret of the channel. A config that does not match the type is rejected with the name of ' +
      'the member. An email address that neither belongs to a member nor is in a verified domain of the organization ' +
      'receives one confirmation email: nothing else is sent until its recipient has confirmed (confirmation).',
    permission: 'service.create',
    status: 201,
    body: CreateBody,
    reply: Channel,
    refuses: { 422: ['too_many_channels'], 429: ['too_many_mails'] },
    handle: async (request, services) => {
      const { body, caller } = request
      const isOwn = await checkRecipient(caller.orgId, recipientIn(body.config), null, services)
      return services.change(async (tx) => {
        const made = await makeChannel(
          tx,
          { ...body, type: real(body.type), createdBy: personOf(caller) },
          toolsOf(services, isOwn),
        )
        await askRecipient(tx.em, made, services)
        await recordChannel(tx.em, request, tx.now(), made.id, 'created')
        const [shown] = await shownChannels(tx.em, request.caller, [made], services.open)
        return reply(shown!, {})
      })
    },
  }),

  route({
    ...routeBase,
    method: 'PUT',
    path: '/notifications/channels/:channelID',
    summary: 'Update a channel; its type cannot be changed',
    description:
      'A config replaces the existing one, including its options; webhookURL, email and address may be omitted and are then ' +
      'unchanged. If the recipient has unsubscribed or has not confirmed yet, sending the address again sends a new ' +
      'confirmation email; so does a different address.',
    permission: 'service.update',
    params,
    body: ChangeBody,
    reply: Channel,
    refuses: { 403: ['report_scope'], 429: ['too_many_mails'] },
    handle: async (request, services) => {
      const { caller, params, body } = request
      const before = await foundChannel(services.em, caller.orgId, params.channelID)
      const isOwn = await checkRecipient(caller.orgId, recipientIn(body.config), before, services)
      return services.change(async (tx) => {
        const { type, ...rest } = body
        const given = { ...rest, ...(type !== undefined && { type: real(type) }) }
        const channel = await editChannel(tx, params.channelID, given, toolsOf(services, isOwn))
        if (recipientIn(body.config) !== undefined) await askRecipient(tx.em, channel, services)
        // What others subscribed it to would go to the new receiver, too.
        if (given.config) await checkChannelAccess(tx.em, caller, channel)
        await recordChannel(tx.em, request, tx.now(), channel.id, 'changed')
        const [shown] = await shownChannels(tx.em, request.caller, [channel], services.open)
        return shown!
      })
    },
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/notifications/channels/:channelID',
    summary: 'Delete a channel with all its subscriptions; pending messages are dropped',
    description: 'Past deliveries remain in GET /notifications/deliveries.',
    permission: 'service.delete',
    status: 204,
    params,
    refuses: { 403: ['report_scope'] },
    handle: (request, { change }) =>
      change(async (tx) => {
        const { caller, params } = request
        await checkChannelAccess(tx.em, caller, await foundChannel(tx.em, caller.orgId, params.channelID))
        const { id } = await removeChannel(tx, request.params.channelID)
        await recordChannel(tx.em, request, tx.now(), id, 'deleted')
      }),
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/notifications/channels/:channelID/test',
    summary: 'Send a test message through a channel now and return the result',
    description:
      'One attempt of at most 10 seconds, marked as a test and recorded as a delivery. Repeating it with the same ' +
      'Idempotency-Key returns the same response and sends nothing. Returns 422 recipient_unsubscribed if the email ' +
      'recipient has unsubscribed, and 422 recipient_unconfirmed if they have not confirmed yet.',
    permission: 'service.update',
    params,
    reply: TestReply,
    example: { delivered: true, status: 200, message: '', deliveryID: '9c9e6679-7425-80de-944b-e07fc1f90ae7' },
    refuses: { 422: ['recipient_unsubscribed', 'recipient_unconfirmed', 'report_too_large'] },
    handle: async ({ caller, params: { channelID } }, services) =>
      testChannel(await foundChannel(services.em, caller.orgId, channelID), services),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/notifications/channels/:channelID/signing-secret',
    summary: 'Get the signing secret of a channel',
    description: 'Emails are not signed with it.',
    permission: 'service.update',
    params,
    reply: SigningSecret,
    example: { signingSecret: 'SIGNING_SECRET' },
    refuses: { 403: ['report_scope'] },
    handle: async ({ caller, params: { channelID } }, { em, open }) => {
      const channel = await foundChannel(em, caller.orgId, channelID)
      await checkChannelAccess(em, caller, channel)
      const { orgId, signingSecret } = channel
      return { signingSecret: open(signingSealed, orgId, signingSecret) as string }
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/notifications/channels/:channelID/signing-secret',
    summary: 'Rotate the signing secret of a channel',
    description: 'The previous secret becomes invalid immediately. GET of the same path returns the new one.',
    permission: 'service.update',
    params,
    reply: SigningSecret,
    example: { signingSecret: 'SIGNING_SECRET' },
    refuses: { 403: ['report_scope'] },
    handle: (request, { change, seal }) =>
      change(async (tx) => {
        const { channelID } = request.params
        await checkChannelAccess(tx.em, request.caller, await foundChannel(tx.em, request.caller.orgId, channelID))
        const signingSecret = await renewSecret(tx, channelID, { seal })
        await recordChannel(tx.em, request, tx.now(), channelID, 'secret_renewed')
        return reply({ signingSecret }, {})
      }),
  }),
]
