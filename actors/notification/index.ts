import type { Capability } from '#actors/capability.ts'
import { mailWork } from '#actors/notification/mail.ts'

/** What people are told. */
export const notification: Capability = { word: 'notification', effects: [mailWork] }
