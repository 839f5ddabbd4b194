/** Where people are told: three kinds of chats and mail, and how much at once. */
import { t, type Static } from '#engine/schema.ts'
import { text } from '#streams/text.ts'

export const channelTypes = ['slack', 'teams', 'google_chat', 'email'] as const
export type ChannelType = (typeof channelTypes)[number]

const zone = (description: string) => text({ minLength: 1, maxLength: 64, description })
const clockTime = (description: string) =>
  t.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', maxLength: 5, description })

/** What a channel may be asked for beside its address; all of it off by default. */
export const ChannelOptions = t.Object({
  digest: t.Optional(
    t.Enum(['hourly', 'daily'], {
      description: 'what is not urgent is collected and told once an hour, or once a day at 9:00 of timezone',
    }),
  ),
  timezone: t.Optional(zone('IANA time zone of the digest, such as Europe/Berlin; UTC unless given')),
  quietHours: t.Optional(
    t.Object(
      {
        timezone: zone('IANA time zone, such as Europe/Berlin'),
        from: clockTime('HH:MM on the clock of the zone'),
        to: clockTime('HH:MM; the next day where it is earlier than from'),
      },
      { description: 'between these times what is not urgent waits' },
    ),
  ),
  fold: t.Optional(t.Boolean({ description: 'anomalies of one day with the same cause are told in one message' })),
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
