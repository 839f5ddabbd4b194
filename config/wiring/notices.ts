/** What people are told with, beside the channels: the same for work of actors and for routes. */
import type { Tools } from '#actors/tools.ts'
import { deriveKey, type SealKeys } from '#config/secrets/seal.ts'
import type { Settings } from '#config/settings/settings.ts'

export type Notices = Pick<Tools, 'webhooks' | 'publicUrl' | 'linkSecrets'>

/** `here` is asked each time: where callers reach the edge is known once it listens. */
export const noticesOf = (
  settings: Pick<Settings, 'allowInsecureWebhooks' | 'allowPrivateAddresses'>,
  here: { publicUrl: string },
  keys: SealKeys,
): Notices => ({
  webhooks: { allowPrivate: settings.allowInsecureWebhooks || settings.allowPrivateAddresses },
  publicUrl: () => here.publicUrl.replace(/\/+$/, ''),
  linkSecrets: () => keys().map((key) => deriveKey(key, 'notification-link')),
})
