import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { SealedColumn } from '#engine/seal.ts'
import type { ChannelOptions, ChannelType, SubscriptionScope } from '#streams/notification/channel.ts'

const channel = defineEntity({
  name: 'NotificationChannel',
  tableName: 'notification_channel',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID. */
    id: p.text().primary(),
    type: p.text().$type<ChannelType>(),
    /** 1 to 100 characters; need not be unique. Empty for legacy notifications. */
    name: p.text(),
    /** The recipient of a mail channel; empty for chats and webhooks. */
    email: p.text().default(''),
    /** The webhook URL, sealed: anyone who knows it can post there. Null for mail. */
    webhookUrl: p.text().nullable(),
    /** Its scheme and host, shown to people who may not change it. Empty for mail. */
    webhookShown: p.text().default(''),
    /** The key that signs posts, sealed. */
    signingSecret: p.text(),
    options: p.json<ChannelOptions>(),
    /** Created by the deprecated routes, and visible only there (decision G-96). */
    isLegacy: p.boolean().default(false),
    /**
     * When the recipient of its mails confirmed, or was known to belong to the organization; null before, and for chats
     * and webhooks.
     */
    confirmedAt: p.datetime(3).nullable(),
    /** Part of the confirmation link, which works once; empty if no confirmation is pending. */
    confirmNonce: p.text().default(''),
    /** When the recipient of its mails unsubscribed; otherwise null. */
    unsubscribedAt: p.datetime(3).nullable(),
    /** The id of the person who created it; empty for old channels and for those created with a machine token. */
    createdBy: p.text().default(''),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
})

/**
 * A chat, webhook or mail address that receives notifications. Written only by actors/notification/channel/change.ts.
 */
export class NotificationChannel extends channel.class {}
channel.setClass(NotificationChannel)

/** Webhook URLs. */
export const webhookSealed: SealedColumn = {
  table: 'notification_channel',
  column: 'webhook_url',
  isOfOrg: true,
  purpose: 'post to a chat channel',
}

/** Signing keys of posts. */
export const signingSealed: SealedColumn = {
  table: 'notification_channel',
  column: 'signing_secret',
  isOfOrg: true,
  purpose: 'sign notifications',
}

const subscription = defineEntity({
  name: 'NotificationSubscription',
  tableName: 'notification_subscription',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID. */
    id: p.text().primary(),
    channelId: p.text(),
    eventType: p.text(),
    scopeType: p.text().$type<SubscriptionScope>(),
    /** Empty for the organization, a uid for a resource, otherwise an id. */
    scopeId: p.text(),
    enabled: p.boolean(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [
    { name: 'notification_subscription_once', properties: ['orgId', 'channelId', 'eventType', 'scopeType', 'scopeId'] },
  ],
  indexes: [{ properties: ['orgId', 'eventType'] }],
})

/** Which events a channel sends. Written only by actors/notification/channel/change.ts and subscription-change.ts. */
export class NotificationSubscription extends subscription.class {}
subscription.setClass(NotificationSubscription)

const preference = defineEntity({
  name: 'EmailPreference',
  tableName: 'email_preference',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    userId: p.text().primary(),
    /** An event type. */
    eventKey: p.text().primary(),
    enabled: p.boolean(),
    updatedAt: p.datetime(3),
  },
})

/**
 * Whether a person wants the built-in mail of an event type; without a row, they do. Written only by
 * actors/notification/channel/change.ts.
 */
export class EmailPreference extends preference.class {}
preference.setClass(EmailPreference)

const readMark = defineEntity({
  name: 'ReadMark',
  tableName: 'notification_read',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    userId: p.text().primary(),
    /** When the newest delivery that they have seen was created. */
    readUntil: p.datetime(3),
  },
})

/**
 * Until when a person has read what they were notified of; without a row, nothing. Written only by
 * actors/notification/channel/change.ts.
 */
export class ReadMark extends readMark.class {}
readMark.setClass(ReadMark)
