/** Where people are told: chats and mail. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { editChannel, makeChannel, removeChannel, renewSecret } from '#actors/notification/change.ts'
import { signingSealed, type NotificationChannel } from '#actors/notification/entity.ts'
import { foundChannel, listChannels, subscriptionsOf } from '#actors/notification/queries.ts'
import { t } from '#engine/schema.ts'
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
import { testChannel, Tested } from '#http/notification/test-event.ts'
import { checkChannel } from '#http/notification/reach.ts'
import { personOf, type Caller } from '#http/identity/caller.ts'
import { reply } from '#http/store/reply.ts'

const recipientIn = (config: { email?: string; address?: string } = {}): string | undefined =>
  config.email ?? config.address

/** Addresses that chats are posted to are secrets: whoever has one may post there. */
const fixed = { tags: ['Notifications'], secret: true } as const
const params = t.Object({ channelID: t.String({ description: 'as GET /notifications/channels names it' }) })
const SigningSecret = t.Object({
  signingSecret: t.String({
    description:
      'the text itself is the key: X-Tidemark-Signature is v1=<hex HMAC-SHA256 of "<X-Tidemark-Timestamp>.<body>">',
  }),
})

/** @throws Fault as `checkChannel` */
async function checkWhole(em: EntityManager, caller: Caller, channel: NotificationChannel): Promise<void> {
  if (!caller.reportScope.all) checkChannel(caller, channel, await subscriptionsOf(em, channel.orgId, [channel]))
}

export const channels: readonly Route[] = [
  route({
    ...fixed,
    method: 'GET',
    path: '/notifications/channels',
    summary: 'The channels by which people are told, by name',
    description:
      'Addresses of webhooks are masked for callers without service.update. lastFailure says why the last message could not be delivered.',
    permission: 'service.view',
    reply: t.Array(Channel),
    handle: async ({ caller }, { em, open }) => shownChannels(em, caller, await listChannels(em, caller.orgId), open),
  }),

  route({
    ...fixed,
    method: 'POST',
    path: '/notifications/channels',
    summary: 'Make a channel: a chat, or an address of mail; 100 at most',
    description:
      'It tells of what it has subscriptions to. Its options are off by default: digest collects what is not urgent, in ' +
      'quietHours it waits, and fold tells anomalies of one day with the same cause together. What is posted to a chat is signed ' +
      'with a secret of the channel. A config that is not one of the type is refused, naming the member. An address of mail that is neither ' +
      'that of a member nor in a verified domain of the organization gets one mail that asks: nothing is sent before its recipient has ' +
      'confirmed (confirmation).',
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
    ...fixed,
    method: 'PUT',
    path: '/notifications/channels/:channelID',
    summary: 'Change a channel; its type stays',
    description:
      'A config takes the place of the one before, its options with it; webhookURL, email and address may be left out and stay. ' +
      'A channel whose recipient had said to get no more mails, or has not confirmed, asks the recipient again once its address is given anew; ' +
      'so does another address.',
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
        // Where it goes now, what others subscribed it to goes too.
        if (given.config) await checkWhole(tx.em, caller, channel)
        await recordChannel(tx.em, request, tx.now(), channel.id, 'changed')
        const [shown] = await shownChannels(tx.em, request.caller, [channel], services.open)
        return shown!
      })
    },
  }),

  route({
    ...fixed,
    method: 'DELETE',
    path: '/notifications/channels/:channelID',
    summary: 'Delete a channel and all its subscriptions; what waits for it is given up',
    description: 'What was delivered stays in GET /notifications/deliveries.',
    permission: 'service.delete',
    status: 204,
    params,
    refuses: { 403: ['report_scope'] },
    handle: (request, { change }) =>
      change(async (tx) => {
        const { caller, params } = request
        await checkWhole(tx.em, caller, await foundChannel(tx.em, caller.orgId, params.channelID))
        const { id } = await removeChannel(tx, request.params.channelID)
        await recordChannel(tx.em, request, tx.now(), id, 'deleted')
      }),
  }),

  route({
    ...fixed,
    method: 'POST',
    path: '/notifications/channels/:channelID/test',
    summary: 'Send a test by a channel now, and say what came of it',
    description:
      'One try, 10 seconds at most, marked as a test. It is written down among the deliveries. A repeat under the same ' +
      'Idempotency-Key gets the same answer, and sends nothing. 422 recipient_unsubscribed where the recipient of its mails said to ' +
      'get no more, recipient_unconfirmed where they have not agreed yet.',
    permission: 'service.update',
    params,
    reply: Tested,
    example: { delivered: true, status: 200, message: '', deliveryID: '9c9e6679-7425-80de-944b-e07fc1f90ae7' },
    refuses: { 422: ['recipient_unsubscribed', 'recipient_unconfirmed', 'report_too_large'] },
    handle: async ({ caller, params: { channelID } }, services) =>
      testChannel(await foundChannel(services.em, caller.orgId, channelID), services),
  }),

  route({
    ...fixed,
    method: 'GET',
    path: '/notifications/channels/:channelID/signing-secret',
    summary: 'What the posts of a channel are signed with',
    description: 'Mails are not signed with it.',
    permission: 'service.update',
    params,
    reply: SigningSecret,
    example: { signingSecret: 'SIGNING_SECRET' },
    refuses: { 403: ['report_scope'] },
    handle: async ({ caller, params: { channelID } }, { em, open }) => {
      const channel = await foundChannel(em, caller.orgId, channelID)
      await checkWhole(em, caller, channel)
      const { orgId, signingSecret } = channel
      return { signingSecret: open(signingSealed, orgId, signingSecret) as string }
    },
  }),

  route({
    ...fixed,
    method: 'POST',
    path: '/notifications/channels/:channelID/signing-secret',
    summary: 'Sign the posts of a channel with a new secret from now on',
    description: 'The secret before signs nothing any more. GET of the same path shows the new one again.',
    permission: 'service.update',
    params,
    reply: SigningSecret,
    example: { signingSecret: 'SIGNING_SECRET' },
    refuses: { 403: ['report_scope'] },
    handle: (request, { change, seal }) =>
      change(async (tx) => {
        const { channelID } = request.params
        await checkWhole(tx.em, request.caller, await foundChannel(tx.em, request.caller.orgId, channelID))
        const signingSecret = await renewSecret(tx, channelID, { seal })
        await recordChannel(tx.em, request, tx.now(), channelID, 'secret_renewed')
        return reply({ signingSecret }, {})
      }),
  }),
]
