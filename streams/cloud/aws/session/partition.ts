/** The partitions of AWS: each has regions, accounts and addresses of its own. The role of an account names its own. */
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { roleShape } from '#streams/cloud/aws/permission/role.ts'

/** Region for global services: sign-in, access policies, costs. */
export const globalRegion = 'us-east-1'

/** What answers in each partition for services that are global. */
const globalRegions: Readonly<Record<string, string>> = {
  aws: globalRegion,
  'aws-us-gov': 'us-gov-west-1',
  'aws-cn': 'cn-north-1',
}

const partitionIn = (roleARN: string): string => roleShape.exec(roleARN)?.[1] ?? 'aws'

export const partitionOf = ({ credentials }: Pick<CloudAccount, 'credentials'>): string => {
  const { roleARN } = (credentials ?? {}) as { roleARN?: unknown }
  return typeof roleARN === 'string' ? partitionIn(roleARN) : 'aws'
}

/** The region that is asked for `region` in a partition: only the one for global services has another name there. */
export const regionIn = (partition: string, region: string): string =>
  region === globalRegion ? (globalRegions[partition] ?? region) : region

export const globalRegionOf = (roleARN: string): string => regionIn(partitionIn(roleARN), globalRegion)
