/** Formats messages for a receiver of the organization's own: the event itself, as programs get it on NATS. */
import type { Message } from '#streams/delivery/format/message.ts'
import type { NotificationEvent } from '#streams/notification/messages.ts'

/** `link` is the page to read it on. */
export const webhookBody = ({ event, link }: Message): NotificationEvent => ({
  ...event,
  ...(link !== undefined && { link }),
})
