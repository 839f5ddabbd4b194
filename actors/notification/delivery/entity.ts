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
    /** The account of the events; `-` for events without an account. */
    cloudAccountId: p.text().primary(),
    /** Always `all`. */
    key: p.text().primary(),
    /** Number of events. */
    events: p.integer(),
    lastAt: p.datetime(3).nullable(),
  },
})

/** How many events of an account, or of the organization, could be notified. Written only by the notice actor. */
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
    /** A UUID derived from organization, event and channel: a channel sends an event once. */
    id: p.text().primary(),
    event: p.json<NotificationEvent>(),
    kind: p.text().$type<DeliveryKind>(),
    /** Empty: a try is requested, or due at `nextTryAt`. */
    hold: p.text().$type<Hold>(),
    /** Tries requested. */
    tries: p.integer(),
    /** Of the last try: the receiver's status, 0 if there was none. Below: the error. */
    responseStatus: p.integer(),
    message: p.text(),
    nextTryAt: p.datetime(3).nullable(),
    /**
     * The time of the requesting message: part of its key in the log, so it is the same however often the first turn
     * runs.
     */
    createdAt: p.datetime(3),
  },
  indexes: [{ properties: ['orgId', 'channelId', 'hold', 'id'] }],
})

/** The delivery of one event to one channel, until it succeeds or is given up. Written only by the delivery actor. */
export class Delivery extends delivery.class {}
delivery.setClass(Delivery)

const health = defineEntity({
  name: 'ChannelHealth',
  tableName: 'channel_health',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    channelId: p.text().primary(),
    /** Failed deliveries in a row. */
    failures: p.integer(),
    /** Times of the newest five failures, ISO 8601. */
    failedAt: p.json<string[]>(),
    /** Since when only one delivery every ten minutes is tried; null while the channel works. */
    brokenSince: p.datetime(3).nullable(),
    nextProbeAt: p.datetime(3).nullable(),
    /** Time of the newest failure. */
    lastAt: p.datetime(3).nullable(),
    lastDeliveryId: p.text(),
    lastEventType: p.text(),
    lastStatus: p.integer(),
    lastMessage: p.text(),
  },
})

/** Failures of a channel; without a row none are known. Written only by the channel-health actor. */
export class ChannelHealth extends health.class {}
health.setClass(ChannelHealth)

/** An event that waits in a digest. */
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
    /** Number of events beyond the items, of which there are at most 200. */
    more: p.integer(),
    /** Only for causes: the severity level that was sent, 0 before. Below: the delivery that sent it. */
    toldLevel: p.integer(),
    toldId: p.text(),
    due: p.datetime(3).nullable(),
  },
})

/** Events that a channel sends together. Written only by the digest actor. */
export class Digest extends digest.class {}
digest.setClass(Digest)
