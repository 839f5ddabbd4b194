/** The accounts of the demo organization: the payers of the simulated cloud, and all their members but one. */
import { CloudAccount } from '#actors/account/entity.ts'
import type { Running } from '#config/product/product.ts'
import { accountId } from '#streams/account/id.ts'
import type { Provider } from '#streams/names.ts'

/** The id of a connected account (earlier versions used other ids), or the id that the account will get. */
export async function demoAccountId(
  { connections }: Running,
  orgId: string,
  { provider, externalId }: { provider: Provider; externalId: string },
): Promise<string> {
  const of = { orgId, provider, externalId, status: { $ne: 'deleted' as const } }
  const known = await connections.orm.em.fork().findOne(CloudAccount, of)
  return known?.id ?? accountId(orgId, provider, externalId)
}
