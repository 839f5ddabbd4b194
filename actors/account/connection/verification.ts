import type { Tools } from '#actors/tools.ts'
import { Fault } from '#engine/value/fault.ts'
import { isCredentialsRefused, type CloudAccount, type Verification } from '#streams/cloud/connector.ts'
import { mendable } from './refusal.ts'

/**
 * Asks the cloud what the credentials permit. If the cloud cannot be reached, the verdict is `unknown` with the reason;
 * if it refuses the credentials, the verdict is `none`.
 */
export async function verificationOf(
  account: CloudAccount,
  { cloudOf }: Pick<Tools, 'cloudOf'>,
): Promise<Verification> {
  try {
    return await cloudOf(account).verify(account)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (isCredentialsRefused(error)) return { verdict: 'none', missingPermissions: [], message: mendable(error) }
    return { verdict: 'unknown', missingPermissions: [], message: error.message }
  }
}
