import type { Capability } from '#actors/capability.ts'
import { ChannelHealth, Delivery, Digest, NoticeLog } from '#actors/notification/delivery-entity.ts'
import {
  EmailPreference,
  NotificationChannel,
  NotificationSubscription,
  signingSealed,
  webhookSealed,
} from '#actors/notification/entity.ts'
import { mailSealed, mailWork } from '#actors/notification/mail.ts'

/** What people are told, and where. */
export const notification: Capability = {
  word: 'notification',
  entities: [
    NotificationChannel,
    NotificationSubscription,
    EmailPreference,
    NoticeLog,
    Delivery,
    ChannelHealth,
    Digest,
  ],
  effects: [mailWork],
  sealed: [mailSealed, webhookSealed, signingSealed],
  migrates: true,
}
