/** The current state of one Azure resource. */
import { cloudFault, type CloudAccount, type Look, type ResourceRef } from '#streams/cloud/connector.ts'
import { kinds } from './act/index.ts'
import { unsupportedFault, type At } from './act/kind.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import { isIdOf } from '#streams/cloud/azure/session/path.ts'
import { insideTypes } from '#streams/cloud/azure/session/workspace.ts'
import type { AzureOptions, AzureSession } from '#streams/cloud/azure/session/session.ts'

/** @throws `unsupported_action` for types that cannot be queried */
export async function look(options: AzureOptions, account: CloudAccount, ref: ResourceRef): Promise<Look> {
  const kind = kinds[ref.type]
  if (!kind) throw unsupportedFault(ref, 'look')
  const { item: _item, isGoing: _isGoing, ...seen } = await kind.look(atOf(openAzure(account, options), ref))
  return seen
}

/** @throws `not_found` for an id of another subscription: this account's credentials are not used there */
export function atOf(session: AzureSession, ref: ResourceRef): At {
  const { account } = session
  // Objects in a Databricks workspace have ids of the workspace.
  const isInside = (insideTypes as readonly string[]).includes(ref.type) && /^[\w-]{1,128}$/.test(ref.resourceUid)
  if (isInside || isIdOf(account.externalId, ref.resourceUid)) return { session, ref, id: ref.resourceUid }
  throw cloudFault(
    'user_action',
    'not_found',
    `${ref.resourceUid} is not a resource in the subscription ${account.externalId}.`,
  )
}
