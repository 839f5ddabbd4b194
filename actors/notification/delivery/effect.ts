/** The calls that the delivery actor asks for. */
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

/** Tells of an event by a chat; carried out by `deliver.ts`, as the other. */
export const deliver = { ...deliverBase, name: 'deliver' } satisfies Effect<typeof DeliverInput>

/** The same by mail. All mails go to one server: when that hangs, no chat waits for them. */
export const deliverMail = { ...deliverBase, name: 'deliver-mail' } satisfies Effect<typeof DeliverInput>
