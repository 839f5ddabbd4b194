/** Sharing a recommendation: sent during the request, once by each channel, and logged like any delivery. */
import { NotificationChannel } from '#actors/notification/entity.ts'
import { closedBy, recipientOf, send } from '#actors/notification/delivery/send.ts'
import { notificationDeliveries } from '#analytics/notification/questions.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { everyDelivery } from '#http/notification/delivery.ts'
import { shareType } from '#http/notification/event-type.ts'
import { one, show, type Recommendation } from '#http/recommendation/body.ts'
import { recommendationSeen } from '#http/recommendation/detail.ts'
import { reply } from '#http/store/reply.ts'
import type { DeliveryOutcome } from '#streams/delivery/outcome.ts'
import { centsText } from '#streams/figure.ts'
import { deliveryRecorded, type NotificationEvent } from '#streams/notification/messages.ts'
import { text } from '#streams/text.ts'

const channelsMax = 20
/** Maximum per channel and hour, because mails may go to any address. */
const sharesMax = 30

const Body = t.Object(
  {
    channelIDs: t.Array(text({ minLength: 1, maxLength: 256 }), {
      minItems: 1,
      maxItems: channelsMax,
      description: 'as in GET /notifications/channels; duplicates count once',
    }),
    message: t.Optional(text({ maxLength: 2000, description: 'your message' })),
  },
  { examples: [{ channelIDs: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'], message: 'Shall we do this?' }] },
)

/** The event that the channels send. */
function eventOf(
  shared: Recommendation,
  message: string | undefined,
  { orgID, id, at, publicUrl }: { orgID: string; id: string; at: Date; publicUrl: string },
): NotificationEvent {
  const money = `It saves ${centsText(shared.savingsUsd)} of ${centsText(shared.currentCostUsd)} US dollars in 30 days.`
  const { id: recommendationId, ruleId, severity, category, savingsUsd, currentCostUsd, consoleUrl } = shared
  const { resourceUid, resourceName, resourceType, provider, cloudAccountId: cloudAccountID } = shared
  return {
    id,
    eventType: shareType,
    name: 'Recommendation',
    category: 'resource',
    orgID,
    occurredAt: at.toISOString(),
    title: shared.title,
    summary: [message, savingsUsd > 0 ? money : '', shared.description].filter(Boolean).join('\n'),
    scope: { type: 'resource', id: resourceUid },
    link: `${publicUrl}/recommendations/${encodeURIComponent(recommendationId)}/detail`,
    data: {
      recommendationId,
      ruleId,
      recommendationSeverity: severity,
      recommendationCategory: category,
      savingsUsd,
      currentCostUsd,
      consoleUrl,
      resourceUid,
      resourceName,
      resourceType,
      provider,
      cloudAccountID,
    },
  }
}

/** @throws Fault `refused` `rate_limited` if one of them has sent too many */
async function checkShares(channels: readonly NotificationChannel[], { analytics, now }: Services): Promise<void> {
  if (channels.length === 0) return
  const since = { event_types: [shareType], from_ms: now().getTime() - 3_600_000 }
  const ids = channels.map(({ id }) => id)
  const rows = await analytics(notificationDeliveries, {
    ...everyDelivery,
    ...since,
    channels: ids,
    limit: sharesMax * channelsMax,
  })
  if (ids.every((id) => rows.filter((row) => row.channel_id === id).length < sharesMax)) return
  const said = `At most ${sharesMax} recommendations can be shared to a channel per hour.`
  throw new Fault('refused', 'rate_limited', said, { retryAfter: 600 })
}

const toFailure = (message: string): DeliveryOutcome => ({ outcome: 'final', responseStatus: 0, message })

async function sendShare(
  channel: NotificationChannel,
  event: NotificationEvent,
  deliveryId: string,
  services: Services,
): Promise<DeliveryOutcome> {
  const closed = closedBy(channel)
  if (closed) return toFailure(closed.message)
  try {
    const to = recipientOf(channel, services.open)
    return await send(services, to, event, { deliveryId, createdAt: event.occurredAt })
  } catch (error) {
    return toFailure(error instanceof Fault ? error.message : 'The message could not be sent.')
  }
}

async function share(
  { caller, params: { recID }, body }: Request<Static<typeof one>, unknown, Static<typeof Body>>,
  services: Services,
) {
  const { orgId: orgID } = caller
  const shared = show(await recommendationSeen(caller, recID, services))
  const ids = [...new Set(body.channelIDs)]
  const channels = await services.em.find(NotificationChannel, { orgId: orgID, id: { $in: ids }, isLegacy: false })
  await checkShares(channels, services)
  const { newId, now, publicUrl } = services
  const event = eventOf(shared, body.message, { orgID, id: newId(), at: now(), publicUrl: publicUrl() })
  const told = await Promise.all(
    channels
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((channel) => ({ channel, deliveryId: newId() }))
      .map(async ({ channel, deliveryId }) => {
        const { outcome, responseStatus, message } = await sendShare(channel, event, deliveryId, services)
        return { channelId: channel.id, deliveryId, delivered: outcome === 'delivered', responseStatus, message }
      }),
  )
  return services.change(async ({ tell }) => {
    for (const each of told) await tell(deliveryRecorded, { ...each, event, kind: 'share' })
    const count = told.filter(({ delivered }) => delivered).length
    return reply({ sent: count, failed: ids.length - count }, {})
  })
}

export const shares: readonly Route[] = [
  route({
    method: 'POST',
    path: '/notifications/share/recommendation/:recID',
    summary: 'Share a recommendation to channels',
    description:
      'Sends it once, now: its text, its savings and its link, below your message. Channels that do not exist, or do not ' +
      `accept it within 10 seconds, count as failed. At most ${sharesMax} times per hour and channel; above that, returns ` +
      '429.',
    permission: 'service.update',
    tags: ['Notifications'],
    params: one,
    body: Body,
    reply: t.Object({ sent: t.Integer(), failed: t.Integer() }),
    example: { sent: 1, failed: 0 },
    refuses: { 404: ['not_found'], 422: ['report_too_large'] },
    handle: share,
  }),
]
