import type { Capability } from '#actors/capability.ts'
import { mailSealed, mailWork } from '#actors/notification/mail.ts'

/** What people are told. */
export const notification: Capability = { word: 'notification', effects: [mailWork], sealed: [mailSealed] }
