/** Which identity Azure sees, and whether that identity can access a resource. */
import type { AccessFacts, CloudAccount, ResourceRef } from '#streams/cloud/connector.ts'
import { kinds } from '#streams/cloud/azure/act/index.ts'
import { principalOf } from './credentials.ts'
import { atOf } from '#streams/cloud/azure/act/kind.ts'
import { openAzure } from './open.ts'
import type { AzureOptions } from './session.ts'

/**
 * Accessible means that the application can see it in Azure. For types that cannot be queried, seeing the subscription
 * is enough.
 */
export async function access(options: AzureOptions, account: CloudAccount, ref: ResourceRef): Promise<AccessFacts> {
  const principal = principalOf(account).clientID
  const session = openAzure(account, options)
  const kind = kinds[ref.type]
  if (kind) return { accessible: (await kind.look(atOf(session, ref))).exists, principal }
  await session.ask({ path: session.path(), query: { 'api-version': '2022-12-01' } })
  return { accessible: true, principal }
}
