/** Where people are told: three kinds of chats and mail, and how much at once. */
import { t, type Static } from '#engine/schema.ts'
import { text } from '#streams/text.ts'

export const channelTypes = ['slack', 'teams', 'google_chat', 'email'] as const
export type ChannelType = (typeof channelTypes)[number]

/** HH:MM on the wall clock of a zone. */
const clockTime = t.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', maxLength: 5 })

/** What a channel may be asked for beside its address; all of it off by default. */
export const ChannelOptions = t.Object({
  /** What is not urgent is collected and told once an hour, or once a day at 9:00 of `timezone`. */
  digest: t.Optional(t.Enum(['hourly', 'daily'])),
  /** IANA zone of the digest; UTC unless given. */
  timezone: t.Optional(text({ minLength: 1, maxLength: 64 })),
  /** From `from` to `to`, over midnight where that is earlier, what is not urgent waits. */
  quietHours: t.Optional(t.Object({ timezone: text({ minLength: 1, maxLength: 64 }), from: clockTime, to: clockTime })),
  /** Anomalies of one day with the same cause are told in one message. */
  fold: t.Optional(t.Boolean()),
})
export type ChannelOptions = Static<typeof ChannelOptions>

/** What somebody may subscribe to events of; the interface's names. */
export const subscriptionScopes = ['org', 'cloud_account', 'resource_group', 'resource', 'team'] as const
export type SubscriptionScope = (typeof subscriptionScopes)[number]

export const deliveryStatuses = ['pending', 'held', 'delivered', 'failed', 'folded'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Why there is a delivery: an event, several in one (`digest`), a press of a button (`test`), or somebody who shares something. */
export const deliveryKinds = ['event', 'digest', 'test', 'share'] as const
export type DeliveryKind = (typeof deliveryKinds)[number]
