/** Tools for notifying people besides the channels, for actors' effects and for routes. */
import type { Tools } from '#actors/tools.ts'
import { deriveKey, type SealKeys } from '#config/secrets/seal.ts'
import type { Settings } from '#config/settings/settings.ts'

export type Notices = Pick<Tools, 'webhooks' | 'publicUrl' | 'linkSecrets'>

/** `here` is read at each use, because the edge's address is only known once it listens. */
export const noticesOf = (
  settings: Pick<Settings, 'allowInsecureWebhooks' | 'allowPrivateAddresses'>,
  here: { publicUrl: string },
  keys: SealKeys,
): Notices => ({
  webhooks: { allowPrivate: settings.allowInsecureWebhooks || settings.allowPrivateAddresses },
  publicUrl: () => here.publicUrl.replace(/\/+$/, ''),
  linkSecrets: () => keys().map((key) => deriveKey(key, 'notification-link')),
})
