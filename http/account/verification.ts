import { seenByCloud } from '#actors/account/connection/cloud.ts'
import { verificationOf } from '#actors/account/connection/verification.ts'
import type { CloudAccount as Row } from '#actors/account/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Services } from '#http/edge/services.ts'
import { accountVerified } from '#streams/account/messages.ts'
import type { Verification } from '#streams/cloud/connector.ts'
import { isProvider } from '#streams/names.ts'

/**
 * Asks the cloud what the credentials permit, and reports it to the account's actor. If the cloud cannot be reached,
 * the verdict is `unknown` with the reason; if it refuses the credentials, it is `none`.
 * @throws Fault `refused` while the cloud of the account is unknown
 */
export async function verify(account: Row, services: Services): Promise<Verification> {
  const { provider } = account
  if (!isProvider(provider)) throw Fault.refused('capability_missing', 'The cloud of this account is not known yet.')
  const seen = seenByCloud(account, provider, services)
  const isFed = services.cloudOf(seen).driver === 'none'
  const found = await verificationOf(seen, services)
  const { verdict, missingPermissions, message } = found
  await services.ask(accountVerified, {
    id: account.id,
    verdict,
    missingPermissions,
    message: message ?? null,
    ...(isFed && { isFed }),
  })
  return found
}
