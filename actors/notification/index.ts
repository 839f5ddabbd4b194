import type { Capability } from '#actors/capability.ts'
import { deliverMailWork, deliverWork } from '#actors/notification/delivery/deliver.ts'
import { deliveryActor } from '#actors/notification/delivery/delivery.ts'
import { ChannelHealth, Delivery, Digest, NoticeLog } from '#actors/notification/delivery/entity.ts'
import { digestActor } from '#actors/notification/delivery/digest.ts'
import {
  EmailPreference,
  NotificationChannel,
  NotificationSubscription,
  ReadMark,
  signingSealed,
  webhookSealed,
} from '#actors/notification/entity.ts'
import { channelHealthActor } from '#actors/notification/channel/health.ts'
import { mailSealed, mailWork } from '#actors/notification/mail.ts'
import { noticeActor } from '#actors/notification/notice/notice.ts'

/** Notifications: channels, subscriptions and deliveries. */
export const notification: Capability = {
  word: 'notification',
  entities: [
    NotificationChannel,
    NotificationSubscription,
    EmailPreference,
    ReadMark,
    NoticeLog,
    Delivery,
    ChannelHealth,
    Digest,
  ],
  actors: [noticeActor, deliveryActor, channelHealthActor, digestActor],
  effects: [mailWork, deliverWork, deliverMailWork],
  sealed: [mailSealed, webhookSealed, signingSealed],
  migrates: true,
}
