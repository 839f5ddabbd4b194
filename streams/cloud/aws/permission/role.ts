/** The role that the owner of an account lets us assume, and the external id it demands of us. */
import { createHmac } from 'node:crypto'

export interface AwsRole {
  roleARN: string
  externalID: string
  /** By the uid of a cluster that does not let the role in. */
  kubeconfigs?: Readonly<Record<string, string>>
}

/** Partition, account, path and name. */
export const roleShape = /^arn:(aws|aws-cn|aws-us-gov):iam::(\d{12}):role\/([\w+=,.@/-]{1,512})$/

/** What an organization's roles are to demand of us: nobody else's service can be made to say it. */
export const externalIdOf = (orgId: string, secret: Buffer): string =>
  `tidemark-${createHmac('sha256', secret).update(`aws external id\0${orgId}`).digest('hex').slice(0, 32)}`

/** The role of a member of an organization, under the external id that the role of its management account demands. */
export function memberRole({ roleARN, externalID }: AwsRole, account: string, roleName: string): AwsRole {
  const [, partition = 'aws'] = roleShape.exec(roleARN) ?? []
  return { roleARN: `arn:${partition}:iam::${account}:role/${roleName}`, externalID }
}
