/** The role that an account's owner lets us assume, and the external id that it requires. */
import { createHmac } from 'node:crypto'

export interface AwsRole {
  roleARN: string
  externalID: string
  /** Kubeconfigs by cluster uid, for clusters that do not accept the role. */
  kubeconfigs?: Readonly<Record<string, string>>
}

/** Groups: partition, account, and path with name. */
export const roleShape = /^arn:(aws|aws-cn|aws-us-gov):iam::(\d{12}):role\/([\w+=,.@/-]{1,512})$/

/** The external id for an organization's roles. It is derived from a secret, so other installations cannot use it. */
export const externalIdOf = (orgId: string, secret: Buffer): string =>
  `tidemark-${createHmac('sha256', secret).update(`aws external id\0${orgId}`).digest('hex').slice(0, 32)}`

/** The role of a member account of an AWS organization, with the external id of the management account's role. */
export function memberRole({ roleARN, externalID }: AwsRole, account: string, roleName: string): AwsRole {
  const [, partition = 'aws'] = roleShape.exec(roleARN) ?? []
  return { roleARN: `arn:${partition}:iam::${account}:role/${roleName}`, externalID }
}
