/** Which identity Google sees, and whether that identity can access a resource. */
import type { AccessFacts, CloudAccount, ResourceRef } from '#streams/cloud/connector.ts'
import { kinds } from '#streams/cloud/gcp/act/index.ts'
import { atOf } from '#streams/cloud/gcp/act/kind.ts'
import { openGcp } from './session.ts'
import type { GcpOptions } from './token.ts'

/**
 * Accessible means that the service account can see it in Google Cloud. For types that cannot be queried, valid
 * credentials are enough.
 */
export async function access(options: GcpOptions, account: CloudAccount, ref: ResourceRef): Promise<AccessFacts> {
  const session = openGcp(account, options)
  const { principal } = session.tokens
  const kind = kinds[ref.type]
  if (kind) return { accessible: (await kind.look(atOf(session, ref))).exists, principal }
  await session.tokens.token()
  return { accessible: true, principal }
}
