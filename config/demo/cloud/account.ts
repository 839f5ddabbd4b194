/** The accounts of the demo organization: the payers of the simulated cloud, and their members but one. */
import { CloudAccount } from '#actors/account/entity.ts'
import type { Running } from '#config/product/product.ts'
import { accountId } from '#streams/account/id.ts'
import type { Provider } from '#streams/names.ts'

/** The id it was connected under, which was another in earlier versions; where it is not connected, the one that it will have. */
export async function demoAccountId(
  { connections }: Running,
  orgId: string,
  { provider, externalId }: { provider: Provider; externalId: string },
): Promise<string> {
  const of = { orgId, provider, externalId, status: { $ne: 'deleted' as const } }
  const known = await connections.orm.em.fork().findOne(CloudAccount, of)
  return known?.id ?? accountId(orgId, provider, externalId)
}
