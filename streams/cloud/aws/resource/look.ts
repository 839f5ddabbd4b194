/** The current state of one AWS resource. */
import type { CloudAccount, Look, ResourceRef } from '#streams/cloud/connector.ts'
import { kinds } from '#streams/cloud/aws/act/index.ts'
import { unsupportedFault, type At } from '#streams/cloud/aws/act/kind.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import { nameOf, regionOf } from './uid.ts'
import type { AwsOptions, AwsSession } from '#streams/cloud/aws/session/session.ts'

/** @throws `unsupported_action` for types that cannot be queried */
export async function look(options: AwsOptions, account: CloudAccount, ref: ResourceRef): Promise<Look> {
  const kind = kinds[ref.type]
  if (!kind) throw unsupportedFault(ref, 'look')
  const session = openAws(account, options)
  try {
    const { coming: _coming, isGoing: _isGoing, ...seen } = await kind.look(atOf(session, ref))
    return seen
  } finally {
    session.close()
  }
}

export const atOf = (session: AwsSession, ref: ResourceRef): At => ({
  session,
  ref,
  region: regionOf(session.account, ref),
  name: nameOf(ref.resourceUid),
})
