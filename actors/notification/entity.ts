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
    /** 1 to 100 characters; several channels may have the same. Empty for legacy notifications. */
    name: p.text(),
    /** The recipient of a mail channel; empty for chats. */
    email: p.text().default(''),
    /** Where a chat is posted to, sealed: whoever knows it may post there. Null for mail. */
    webhookUrl: p.text().nullable(),
    /** The same as people see it who may not change it: scheme and host. Empty for mail. */
    webhookShown: p.text().default(''),
    /** What posts are signed with, sealed. */
    signingSecret: p.text(),
    options: p.json<ChannelOptions>(),
    /** Made by the deprecated routes, and shown by these alone (decision G-96). */
    isLegacy: p.boolean().default(false),
    /** When the recipient of its mails agreed to get them, or was known to be of the organization; null before, and of chats. */
    confirmedAt: p.datetime(3).nullable(),
    /** Stands in the link by which the recipient agrees, which works once; empty while none is asked. */
    confirmNonce: p.text().default(''),
    /** When the recipient of its mails said to get no more; null unless they did. */
    unsubscribedAt: p.datetime(3).nullable(),
    /** The id of the person who created it; empty of channels from before, and of those that a machine's token created. */
    createdBy: p.text().default(''),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
})

/** A chat or an address that people are told by. Written only by actors/notification/channel/change.ts. */
export class NotificationChannel extends channel.class {}
channel.setClass(NotificationChannel)

/** Addresses that chats are posted to. */
export const webhookSealed: SealedColumn = {
  table: 'notification_channel',
  column: 'webhook_url',
  isOfOrg: true,
  purpose: 'post to a chat channel',
}

/** Keys that posts are signed with. */
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
    /** Empty for the organization, a resource's uid, else the id of what is meant. */
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

/** What a channel tells of. Written only by actors/notification/channel/change.ts and subscription-change.ts beside it. */
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

/** Whether a person wants the built-in mail of an event type; they do unless they said no. Written only by actors/notification/channel/change.ts. */
export class EmailPreference extends preference.class {}
preference.setClass(EmailPreference)
