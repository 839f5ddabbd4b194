import type { Tools } from '#actors/tools.ts'
import { Fault } from '#engine/value/fault.ts'
import { isCredentialsRefused, type CloudAccount, type Verification } from '#streams/cloud/connector.ts'
import { mendable } from './refusal.ts'

/**
 * What the cloud says that the credentials are good for. A cloud out of reach leaves the verdict unknown and says why; one that
 * refuses the credentials is the verdict none.
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
