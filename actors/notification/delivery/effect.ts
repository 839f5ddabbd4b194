/** The external calls of the delivery actor. */
import { t, type Static } from '#engine/value/schema.ts'
import type { Effect } from '#engine/actor/turn.ts'
import { NotificationEvent } from '#streams/notification/messages.ts'

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

const deliverBase = { schema: DeliverInput, queue: ({ channelId }: DeliverInput) => channelId }

/** Sends an event to a chat or webhook; both calls are implemented in `deliver.ts`. */
export const deliver = { ...deliverBase, name: 'deliver' } satisfies Effect<typeof DeliverInput>

/** Sends an event by mail. A separate call, because all mails go to one server: if that hangs, chats do not wait. */
export const deliverMail = { ...deliverBase, name: 'deliver-mail' } satisfies Effect<typeof DeliverInput>
