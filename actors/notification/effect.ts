/** The call that the delivery actor asks for. */
import { t, type Static } from '#engine/schema.ts'
import type { Effect } from '#engine/turn.ts'
import { NotificationEvent } from '#streams/notification.ts'

const DeliverInput = t.Object({
  channelId: t.String(),
  deliveryId: t.String(),
  /** 1 for the first. */
  tries: t.Integer(),
  /** ISO 8601, of the delivery. */
  createdAt: t.String(),
  event: NotificationEvent,
})
export type DeliverInput = Static<typeof DeliverInput>

/** Tells of an event by a channel; carried out by `deliver.ts`. */
export const deliver = {
  name: 'deliver',
  schema: DeliverInput,
  queue: ({ channelId }: DeliverInput) => channelId,
} satisfies Effect<typeof DeliverInput>
