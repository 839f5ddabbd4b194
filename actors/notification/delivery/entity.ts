import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { NotificationEvent } from '#streams/notification/messages.ts'
import type { DeliveryKind } from '#streams/notification/channel.ts'

const notice = defineEntity({
  name: 'NoticeLog',
  tableName: 'notice_log',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** The account the events are of; `-` for those of no account. */
    cloudAccountId: p.text().primary(),
    /** Always `all`. */
    key: p.text().primary(),
    /** Events taken. */
    events: p.integer(),
    lastAt: p.datetime(3).nullable(),
  },
})

/** How many events of an account, or of the organization, people could be told of. Written only by the notice actor. */
export class NoticeLog extends notice.class {}
notice.setClass(NoticeLog)

/** Why a delivery waits; empty while it is tried. A probe is tried although its channel is broken. */
export type Hold = '' | 'quiet' | 'digest' | 'circuit' | 'probe'

const delivery = defineEntity({
  name: 'Delivery',
  tableName: 'delivery',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** `mail:<userId>` for the built-in mail of a person. */
    channelId: p.text().primary(),
    /** A UUID made of organization, event and channel: an event is told once by a channel. */
    id: p.text().primary(),
    event: p.json<NotificationEvent>(),
    kind: p.text().$type<DeliveryKind>(),
    /** Empty: a try is asked for, or comes at `nextTryAt`. */
    hold: p.text().$type<Hold>(),
    /** Tries asked for. */
    tries: p.integer(),
    /** Of the last try: the receiver's status, 0 without one, and what was wrong. */
    responseStatus: p.integer(),
    message: p.text(),
    nextTryAt: p.datetime(3).nullable(),
    /** As who asked for it says: part of its key in the log, so the same however often its first turn is run. */
    createdAt: p.datetime(3),
  },
  indexes: [{ properties: ['orgId', 'channelId', 'hold', 'id'] }],
})

/** One event on its way to one channel, until it is told or given up. Written only by the delivery actor. */
export class Delivery extends delivery.class {}
delivery.setClass(Delivery)

const health = defineEntity({
  name: 'ChannelHealth',
  tableName: 'channel_health',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    channelId: p.text().primary(),
    /** Deliveries that failed one after the other, at the times of `failedAt`. */
    failures: p.integer(),
    /** ISO 8601, the newest five. */
    failedAt: p.json<string[]>(),
    /** Since when nothing is tried but one delivery every ten minutes; null while the channel works. */
    brokenSince: p.datetime(3).nullable(),
    nextProbeAt: p.datetime(3).nullable(),
    /** The newest failure. */
    lastAt: p.datetime(3).nullable(),
    lastDeliveryId: p.text(),
    lastEventType: p.text(),
    lastStatus: p.integer(),
    lastMessage: p.text(),
  },
})

/** What is wrong with a channel; without a row nothing is known to be. Written only by the channel-health actor. */
export class ChannelHealth extends health.class {}
health.setClass(ChannelHealth)

/** What is collected of one delivery. */
interface DigestItem {
  deliveryId: string
  event: NotificationEvent
}

const digest = defineEntity({
  name: 'Digest',
  tableName: 'digest',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    channelId: p.text().primary(),
    /** `digest`, or `fold|<date>|<hash of the cause>`. */
    key: p.text().primary(),
    items: p.json<DigestItem[]>(),
    /** Beyond the items, which are 200 at most. */
    more: p.integer(),
    /** Of a fold: how bad what was told is, 0 before it is told, and by which delivery. */
    toldLevel: p.integer(),
    toldId: p.text(),
    due: p.datetime(3).nullable(),
  },
})

/** Events that a channel tells of together. Written only by the digest actor. */
export class Digest extends digest.class {}
digest.setClass(Digest)
