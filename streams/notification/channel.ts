/** Channels for notifying people: chats, services that wake people, receivers of their own, and mail. */
import { t, type Static } from '#engine/value/schema.ts'
import { text } from '#streams/text.ts'

/** Those that are posted to. */
export const chatTypes = ['slack', 'teams', 'google_chat', 'pagerduty', 'opsgenie', 'generic_webhook'] as const
export type ChatType = (typeof chatTypes)[number]

/** Types whose address ends with `#` and a key, which is sent as these services want it and is no part of the URL. */
const keyed: readonly string[] = ['pagerduty', 'opsgenie'] satisfies ChatType[]

/** The URL to post to, and the key after its `#`; undefined if the type has none. */
export function splitAddress(type: string, address: string): { url: string; key: string | undefined } {
  const at = address.indexOf('#')
  if (!keyed.includes(type)) return { url: address, key: undefined }
  return at < 0 ? { url: address, key: '' } : { url: address.slice(0, at), key: address.slice(at + 1) }
}

/** Whether the address of this type lacks its key. */
export const lacksKey = (type: string, address: string): boolean =>
  splitAddress(type, address).key !== undefined && !/^[\x21-\x7e]{8,128}$/.test(splitAddress(type, address).key!)

export const channelTypes = [...chatTypes, 'email'] as const
export type ChannelType = (typeof channelTypes)[number]

const zone = (description: string) => text({ minLength: 1, maxLength: 64, description })
const clockTime = (description: string) =>
  t.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', maxLength: 5, description })

/** Options of a channel besides its address; all are off by default. */
export const ChannelOptions = t.Object({
  digest: t.Optional(
    t.Enum(['hourly', 'daily'], {
      description: 'non-urgent notifications are collected and sent once an hour, or once a day at 9:00 in timezone',
    }),
  ),
  timezone: t.Optional(zone('IANA time zone of the digest, for example Europe/Berlin; default UTC')),
  quietHours: t.Optional(
    t.Object(
      {
        timezone: zone('IANA time zone, for example Europe/Berlin'),
        from: clockTime('HH:MM in the time zone'),
        to: clockTime('HH:MM; on the next day if it is earlier than from'),
      },
      { description: 'non-urgent notifications wait between these times' },
    ),
  ),
  fold: t.Optional(t.Boolean({ description: 'anomalies of one day with the same cause are sent in one message' })),
})
export type ChannelOptions = Static<typeof ChannelOptions>

/** Scopes of subscriptions, under the interface's names. */
export const subscriptionScopes = ['org', 'cloud_account', 'resource_group', 'resource', 'team'] as const
export type SubscriptionScope = (typeof subscriptionScopes)[number]

export const deliveryStatuses = ['pending', 'held', 'delivered', 'failed', 'folded'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/**
 * Reason for a delivery: an event, several events together (`digest`), a test from the interface (`test`), or something
 * that a person shares.
 */
export const deliveryKinds = ['event', 'digest', 'test', 'share'] as const
export type DeliveryKind = (typeof deliveryKinds)[number]
