/** Sends a test message to a channel: during the request, logged like any delivery. */
import { notificationDeliveries } from '#analytics/notification/questions.ts'
import { closedBy, recipientOf, send } from '#actors/notification/delivery/send.ts'
import type { NotificationChannel } from '#actors/notification/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import type { Services } from '#http/edge/services.ts'
import { everyDelivery } from '#http/notification/delivery.ts'
import { testType } from '#http/notification/event-type.ts'
import { reply } from '#http/store/reply.ts'
import type { Reply } from '#http/store/reply.ts'
import { deliveryRecorded, type NotificationEvent } from '#streams/notification/messages.ts'

export const TestReply = t.Object({
  delivered: t.Boolean(),
  status: t.Integer({ description: 'HTTP status of the receiver; 0 if it did not respond, and for email' }),
  message: t.String({ description: 'why it failed; empty if it was delivered' }),
  deliveryID: t.String({ description: 'as in GET /notifications/deliveries' }),
})

const testEvent = ({ orgId, name }: NotificationChannel, id: string, at: Date): NotificationEvent => ({
  id,
  eventType: testType,
  name: 'Test',
  category: 'resource',
  orgID: orgId,
  occurredAt: at.toISOString(),
  title: `Test of the channel ${name}`,
  summary: 'Someone sent a test message: notifications arrive here. Nothing else has happened.',
  scope: { type: 'org', id: '' },
  data: { test: true },
})

/** Maximum per channel and hour, because mails may go to any address. */
const testsMax = 30

/** @throws Fault `refused` `rate_limited` */
async function checkTests({ id }: NotificationChannel, { analytics, now }: Services): Promise<void> {
  const since = { channels: [id], event_types: [testType], from_ms: now().getTime() - 3_600_000 }
  const [tested] = await analytics(notificationDeliveries, { ...everyDelivery, ...since })
  if ((tested?.total ?? 0) < testsMax) return
  throw new Fault('refused', 'rate_limited', `At most ${testsMax} tests per hour and channel.`, {
    retryAfter: 600,
  })
}

/**
 * Sends now, once; the outcome is logged and returned.
 * @throws Fault `refused` `recipient_unsubscribed`, `recipient_unconfirmed`, `rate_limited`
 */
export async function testChannel(
  channel: NotificationChannel,
  services: Services,
): Promise<Reply<Static<typeof TestReply>>> {
  const closed = closedBy(channel)
  if (closed) throw Fault.refused(closed.code, `${closed.message} Enter the address again to send a new confirmation.`)
  await checkTests(channel, services)
  const at = services.now()
  const [deliveryId, eventId] = [services.newId(), services.newId()]
  const event = testEvent(channel, eventId, at)
  const to = recipientOf(channel, services.open)
  const { outcome, responseStatus, message } = await send(services, to, event, {
    deliveryId,
    createdAt: at.toISOString(),
  })
  const delivered = outcome === 'delivered'
  return services.change(async ({ tell }) => {
    const told = { channelId: channel.id, deliveryId, event, kind: 'test' as const, delivered, responseStatus, message }
    await tell(deliveryRecorded, told)
    return reply({ delivered, status: responseStatus, message, deliveryID: deliveryId }, {})
  })
}
