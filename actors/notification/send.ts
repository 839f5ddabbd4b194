/** Sends one event to one channel, once. */
import { signingSealed, webhookSealed, type NotificationChannel } from '#actors/notification/entity.ts'
import type { Tools } from '#actors/tools.ts'
import { Fault } from '#engine/fault.ts'
import type { Open } from '#engine/seal.ts'
import { fetchOutside } from '#streams/delivery/outbound.ts'
import type { Outcome } from '#streams/delivery/outcome.ts'
import type { NotificationEvent } from '#streams/notification.ts'
import type { ChannelType } from '#streams/notification/channel.ts'

export interface Recipient {
  type: ChannelType
  url?: string
  secret?: string
  email?: string
  channelId: string
}

export const recipientOf = (channel: NotificationChannel, open: Open): Recipient => ({
  type: channel.type,
  channelId: channel.id,
  ...(channel.webhookUrl && { url: open(webhookSealed, channel.orgId, channel.webhookUrl) as string }),
  secret: open(signingSealed, channel.orgId, channel.signingSecret) as string,
  ...(channel.email && { email: channel.email }),
})

export type SendTools = Pick<Tools, 'channels' | 'now'> & {
  webhooks: { allowPrivate: boolean }
  publicUrl: () => string
  linkSecrets: () => readonly Buffer[]
}

export async function send(
  { channels, webhooks }: SendTools,
  to: Recipient,
  event: NotificationEvent,
  { deliveryId }: { deliveryId: string; createdAt: string; unsubscribe?: boolean },
): Promise<Outcome> {
  if (to.email !== undefined) {
    await channels.email.send({ to: to.email, subject: event.title, text: event.summary }, deliveryId)
    return { outcome: 'delivered', responseStatus: 0, message: '' }
  }
  const headers = { 'Content-Type': 'application/json', 'X-Tidemark-Delivery': deliveryId }
  const request = { method: 'POST', headers, body: JSON.stringify({ text: event.title }), timeoutMs: 10_000 }
  try {
    const { status } = await fetchOutside(to.url ?? '', { ...request, bytesMax: 65_536, ...webhooks })
    const isTaken = status >= 200 && status < 300
    const message = isTaken ? '' : `It answered ${status}.`
    return { outcome: isTaken ? 'delivered' : 'final', responseStatus: status, message }
  } catch (error) {
    return { outcome: 'retry', responseStatus: 0, message: Fault.from(error).message }
  }
}
