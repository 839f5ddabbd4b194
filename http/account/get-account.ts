import type { CloudAccount } from '#actors/account/entity.ts'
import { findAccount } from '#actors/account/queries.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Services } from '#http/edge/services.ts'

/** @throws Fault `missing` */
export async function getAccount(em: Services['em'], orgId: string, id: string): Promise<CloudAccount> {
  const account = await findAccount(em, orgId, id)
  if (!account) throw Fault.missing('cloud account', id)
  return account
}
