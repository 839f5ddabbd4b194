/** One try to send an event by a channel, or by a person's built-in mail. */
import type { Open } from '#engine/seal.ts'
import { signingSealed, webhookSealed, type NotificationChannel } from '#actors/notification/entity.ts'
import type { Tools } from '#actors/tools.ts'
import type { Message } from '#streams/delivery/format/message.ts'
import type { DeliveryOutcome } from '#streams/delivery/outcome.ts'
import { postChat, postMail } from '#streams/delivery/post.ts'
import { personOf, type NotificationEvent } from '#streams/notification/messages.ts'
import type { ChannelType } from '#streams/notification/channel.ts'
import { addressMark, linkToken, type LinkClaim } from '#streams/notification/link.ts'

/** The receiver of a message. */
export interface Recipient {
  type: ChannelType
  /** Only for chats and webhooks. */
  url?: string
  secret?: Buffer | string
  /** Only for mail. */
  email?: string
  /** `mail:<userId>` for the built-in mail of a person. */
  channelId: string
}

/** Why nothing may be sent by a channel; undefined if it may. */
export function closedBy({
  type,
  confirmedAt,
  unsubscribedAt,
}: NotificationChannel): { code: 'recipient_unsubscribed' | 'recipient_unconfirmed'; message: string } | undefined {
  if (unsubscribedAt) return { code: 'recipient_unsubscribed', message: 'The recipient has unsubscribed.' }
  if (type !== 'email' || confirmedAt) return undefined
  return { code: 'recipient_unconfirmed', message: 'The recipient has not confirmed the address.' }
}

/** With its secrets decrypted. */
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

/** One delivery, the same for all its tries. */
export interface Sending {
  deliveryId: string
  /** When the delivery was created, ISO 8601; part of links to it. */
  createdAt: string
  /** Whether a mail explains how to unsubscribe; default: true. */
  unsubscribe?: boolean
}

/**
 * Sends the event with a link to what was sent. The receiver's answer is the outcome.
 * @throws errors of the event itself
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
  // A person unsubscribes from one event type; the recipient of a channel's mails from all.
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
