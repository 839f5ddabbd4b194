/** The delivery log, which shows what was sent. */
import { notificationDeliveryTable } from '#analytics/notification/tables.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { DeliveryStatus } from '#streams/notification/channel.ts'
import type { Delivery } from './entity.ts'

export interface DeliveryState {
  status: DeliveryStatus
  foldedInto?: string
}

/** The newest row of a delivery counts. */
export function appendDelivery(delivery: Delivery, { status, foldedInto = '' }: DeliveryState, turn: Turn): void {
  const { event, kind, hold, tries, responseStatus, message, nextTryAt, createdAt } = delivery
  const isOver = status !== 'pending' && status !== 'held'
  const row = {
    org_id: turn.address.orgId,
    created_at: createdAt.toISOString(),
    id: delivery.id,
    channel_id: delivery.channelId,
    kind,
    event_id: event.id,
    event_type: event.eventType,
    category: event.category,
    severity: event.severity ?? '',
    title: event.title,
    scope_type: event.scope.type,
    scope_id: event.scope.id,
    status,
    hold: status === 'held' ? hold : '',
    tries,
    response_status: responseStatus,
    message,
    next_try_at: isOver ? null : (nextTryAt?.toISOString() ?? null),
    ended_at: isOver ? turn.now.toISOString() : null,
    folded_into: foldedInto,
    event: JSON.stringify(event),
  }
  turn.append(notificationDeliveryTable, row, turn.now)
}
