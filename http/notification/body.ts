/** Channels in requests and responses. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ChannelTools } from '#actors/notification/channel/change.ts'
import type { ChannelHealth } from '#actors/notification/delivery/entity.ts'
import { webhookSealed, type NotificationChannel } from '#actors/notification/entity.ts'
import { healthOf } from '#actors/notification/queries.ts'
import type { Open } from '#engine/seal.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Email, Name, Timestamp } from '#http/edge/parameter/field.ts'
import type { Request } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { chatStandIns, realName } from '#streams/names.ts'
import { ChannelOptions, channelTypes, chatTypes } from '#streams/notification/channel.ts'
import { text } from '#streams/text.ts'

export const WebhookUrl = text({
  minLength: 1,
  maxLength: 2048,
  description:
    'webhook URL of the chat or receiver: https, and not in a private network; for pagerduty and opsgenie followed by # and the key of the integration',
})

const Config = t.Object(
  {
    webhookURL: t.Optional(WebhookUrl),
    email: t.Optional(Email),
    address: t.Optional(Email),
    ...ChannelOptions.properties,
  },
  { description: 'for a chat: webhookURL; for email: email, or its alias address; the other members apply to both' },
)

/** Only for legacy notifications. */
export const Chat = t.Enum(chatTypes)
export const ChatGiven = t.Enum([...chatTypes, ...chatStandIns], { description: chatTypes.join(', ') })

const TypeGiven = t.Enum([...channelTypes, ...chatStandIns], { description: channelTypes.join(', ') })

/** `given` with the real name of the chat, in place of a simulated one. */
export const real = <T extends string>(given: T): Exclude<T, (typeof chatStandIns)[number]> => realName(given) as never

export const CreateBody = t.Object(
  { type: TypeGiven, name: Name, config: Config },
  {
    examples: [
      { type: 'email', name: 'FinOps', config: { email: 'finops@example.com' } },
      {
        type: 'slack',
        name: '#costs',
        config: {
          webhookURL: 'https://hooks.slack.com/services/T000/B000/XXXX',
          digest: 'daily',
          timezone: 'Europe/Berlin',
          quietHours: { timezone: 'Europe/Berlin', from: '20:00', to: '08:00' },
          fold: true,
        },
      },
    ],
  },
)

export const ChangeBody = t.Object(
  {
    name: t.Optional(Name),
    config: t.Optional(Config),
    type: t.Optional(
      t.Enum([...channelTypes, ...chatStandIns], {
        description: 'the existing type; the type of a channel cannot be changed',
      }),
    ),
  },
  { examples: [{ name: 'FinOps team' }] },
)

export const Channel = t.Object(
  {
    id: t.String(),
    type: t.Enum(channelTypes),
    name: t.String(),
    config: t.Object({
      webhookURL: t.Optional(
        t.String({ description: 'for a chat; masked as https://host/... for callers without service.update' }),
      ),
      email: t.Optional(t.String({ description: 'for email' })),
      ...ChannelOptions.properties,
    }),
    confirmation: t.Optional(
      t.Enum(['pending', 'confirmed'], {
        description:
          'for email. pending: the recipient is neither a member nor in a verified domain of the organization, and has not followed the link in the confirmation email; until then nothing is sent',
      }),
    ),
    lastFailure: t.Optional(
      t.Object(
        {
          at: Timestamp,
          deliveryID: t.String(),
          eventType: t.String(),
          responseStatus: t.Optional(
            t.Integer({ description: 'HTTP status of the receiver; absent if it did not respond' }),
          ),
          message: t.String(),
          brokenSince: t.Optional(
            t.String({
              format: 'date-time',
              description: 'since this time, one delivery is attempted every ten minutes and the others wait',
            }),
          ),
        },
        { description: 'the last failed delivery; absent if there is none' },
      ),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'NotificationChannel',
    examples: [
      {
        id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
        type: 'email',
        name: 'FinOps team',
        config: { email: 'finops@example.com', digest: 'daily', timezone: 'Europe/Berlin' },
        confirmation: 'confirmed',
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

/**
 * People who may change a channel see its webhook URL; others see the host. If the encryption key is missing, nobody
 * sees more, and the URL can be entered again.
 */
export function webhookShown(
  { permissions }: Pick<Caller, 'permissions'>,
  { orgId, webhookUrl, webhookShown: masked }: NotificationChannel,
  open: Open,
): string {
  if (!permissions.has('service.update')) return masked!
  try {
    return open(webhookSealed, orgId, webhookUrl!) as string
  } catch {
    return masked!
  }
}

const failureOf = ({ lastAt, lastDeliveryId, lastEventType, lastStatus, lastMessage, brokenSince }: ChannelHealth) => ({
  at: lastAt!.toISOString(),
  deliveryID: lastDeliveryId,
  eventType: lastEventType,
  ...(lastStatus > 0 && { responseStatus: lastStatus }),
  message: lastMessage,
  ...(brokenSince && { brokenSince: brokenSince.toISOString() }),
})

/** Channels with their health. */
export async function shownChannels(
  em: EntityManager,
  caller: Pick<Caller, 'orgId' | 'permissions'>,
  channels: readonly NotificationChannel[],
  open: Open,
): Promise<Static<typeof Channel>[]> {
  const health = await healthOf(em, caller.orgId, channels)
  return channels.map((channel) => {
    const { id, type, name, email, options, confirmedAt, createdAt, updatedAt } = channel
    const failed = health.get(id)
    const address = type === 'email' ? { email: email! } : { webhookURL: webhookShown(caller, channel, open) }
    return {
      id,
      type,
      name,
      config: { ...address, ...options },
      ...(type === 'email' && { confirmation: confirmedAt ? ('confirmed' as const) : ('pending' as const) }),
      ...(failed && { lastFailure: failureOf(failed) }),
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
    }
  })
}

/** Without other information, a recipient of mail must confirm. */
export const toolsOf = (
  { seal, webhooks }: Pick<Services, 'seal' | 'webhooks'>,
  isOwnAddress = false,
): ChannelTools => ({
  seal,
  allowPrivate: webhooks.allowPrivate,
  isOwnAddress,
})

export type ChannelChange = 'created' | 'changed' | 'deleted' | 'secret_renewed' | 'unsubscribed' | 'confirmed'

/** Records a change of a channel, in its transaction. */
export async function recordChannel(
  em: EntityManager,
  { caller: { orgId, userId, principal }, client }: Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>,
  at: Date,
  channelID: string,
  change: ChannelChange,
): Promise<void> {
  const detail = { channelID, change }
  await recordEvent(em, { type: 'channel_changed', orgId, userId, principal, detail }, client, at)
}
