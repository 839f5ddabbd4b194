/** Which identity AWS sees, and whether that identity can access a resource. */
import type { AccessFacts, CloudAccount, ResourceRef } from '#streams/cloud/connector.ts'
import { clusterOf } from '#streams/cloud/aws/act/service/eks.ts'
import { kinds } from '#streams/cloud/aws/act/index.ts'
import { openAws } from './open.ts'
import { roleOf } from './credentials.ts'
import { atOf } from '#streams/cloud/aws/act/kind.ts'
import { globalRegion, type AwsOptions } from './session.ts'

/** Accessible means that the role can see it in AWS. For types that cannot be queried, assuming the role is enough. */
export async function access(options: AwsOptions, account: CloudAccount, ref: ResourceRef): Promise<AccessFacts> {
  const principal = roleOf(account).roleARN
  const session = openAws(account, options)
  try {
    if (ref.type === 'aws-eks') {
      const cluster = await clusterOf(atOf(session, ref))
      const network = cluster?.resourcesVpcConfig
      const publicAccess = network?.endpointPublicAccess === true
      const allowlist = network?.publicAccessCidrs ?? []
      return { accessible: cluster !== undefined, principal, network: { publicAccess, allowlist } }
    }
    const kind = kinds[ref.type]
    if (kind) return { accessible: (await kind.look(atOf(session, ref))).exists, principal }
    await session.ask('sts', globalRegion, (m) => new m.GetCallerIdentityCommand({}))
    return { accessible: true, principal }
  } finally {
    session.close()
  }
}
