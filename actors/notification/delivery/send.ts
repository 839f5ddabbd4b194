/** One try to send an event by a channel, or by the built-in mail of a person. */
import type { Open } from '#engine/seal.ts'
import { signingSealed, webhookSealed, type NotificationChannel } from '#actors/notification/entity.ts'
import type { Tools } from '#actors/tools.ts'
import type { Message } from '#streams/delivery/format/message.ts'
import type { DeliveryOutcome } from '#streams/delivery/outcome.ts'
import { postChat, postMail } from '#streams/delivery/post.ts'
import { personOf, type NotificationEvent } from '#streams/notification/messages.ts'
import type { ChannelType } from '#streams/notification/channel.ts'
import { addressMark, linkToken, type LinkClaim } from '#streams/notification/link.ts'

/** Where it goes. */
export interface Recipient {
  type: ChannelType
  /** Of chats. */
  url?: string
  secret?: Buffer | string
  /** Of mail. */
  email?: string
  /** `mail:<userId>` for the built-in mail of a person. */
  channelId: string
}

/** Why nothing may be sent by a channel; undefined where it may. */
export function closedBy({
  type,
  confirmedAt,
  unsubscribedAt,
}: NotificationChannel): { code: 'recipient_unsubscribed' | 'recipient_unconfirmed'; message: string } | undefined {
  if (unsubscribedAt) return { code: 'recipient_unsubscribed', message: 'The recipient has unsubscribed.' }
  if (type !== 'email' || confirmedAt) return undefined
  return { code: 'recipient_unconfirmed', message: 'The recipient has not confirmed the address.' }
}

/** With its secrets opened. */
export function recipientOf(channel: NotificationChannel, open: Open): Recipient {
  const { orgId, id: channelId, type, email, webhookUrl, signingSecret } = channel
  if (!webhookUrl) return { type, email, channelId }
  return {
    type,
    url: open(webhookSealed, orgId, webhookUrl) as string,
    secret: open(signingSealed, orgId, signingSecret) as string,
    channelId,
  }
}

export type SendTools = Pick<Tools, 'channels' | 'webhooks' | 'publicUrl' | 'linkSecrets' | 'now'>

/** One delivery, whichever try it is. */
export interface Sending {
  deliveryId: string
  /** When the delivery came to be, ISO 8601: links to it say so. */
  createdAt: string
  /** Whether a mail says how to get no more of them; it does unless told otherwise. */
  unsubscribe?: boolean
}

/**
 * Sends the event with a link to what was sent. What the receiver does is the outcome.
 * @throws what is wrong with the event itself
 */
export async function send(
  tools: SendTools,
  to: Recipient,
  event: NotificationEvent,
  { deliveryId, createdAt, unsubscribe = true }: Sending,
): Promise<DeliveryOutcome> {
  const { channelId, type, url = '', secret = '', email = '' } = to
  const orgId = event.orgID
  const message: Message = {
    event,
    deliveryId,
    link: linkTo(tools, 'view', { what: 'event', orgId, deliveryId, createdAt }),
  }
  if (type !== 'email') {
    const { allowPrivate } = tools.webhooks
    return postChat(type, { url, secret, message, now: tools.now }, { allowPrivate, keep: channelId })
  }
  // A person says no to one type of events, the recipient of a channel's mails to all of them.
  const eventType = personOf(channelId) === undefined ? '' : event.eventType
  const stop = linkTo(tools, 'unsubscribe', {
    what: 'unsubscribe',
    orgId,
    channelId,
    eventType,
    to: addressMark(email),
  })
  return postMail(tools.channels.email, email, { ...message, ...(unsubscribe && { unsubscribe: stop }) })
}

const linkTo = ({ publicUrl, linkSecrets }: SendTools, page: 'view' | 'unsubscribe', claim: LinkClaim): string =>
  `${publicUrl()}/notifications/${page}?token=${linkToken(claim, linkSecrets()[0]!)}`
