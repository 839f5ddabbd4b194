/** How we come to be somebody in an account: by the role that its owner lets us assume, under an external id of the organization. */
import { createHmac } from 'node:crypto'
import type { AwsCredentialIdentityProvider } from '@smithy/types'
import type { Fault } from '#engine/fault.ts'
import { decoder, t } from '#engine/schema.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { sdk } from '#streams/cloud/sdk.ts'
import { awsFault } from './fault.ts'
import { globalRegion, type AwsOptions } from './session.ts'

const decode = decoder(t.Object({ roleARN: t.String(), externalID: t.String() }))

/** Partition, account, path and name. */
export const roleShape = /^arn:(aws|aws-cn|aws-us-gov):iam::(\d{12}):role\/([\w+=,.@/-]{1,512})$/

/** What an organization's roles are to demand of us: nobody else's service can be made to say it. 32 hexadecimal digits. */
export const externalIdOf = (orgId: string, secret: Buffer): string =>
  `tidemark-${createHmac('sha256', secret).update(`aws external id\0${orgId}`).digest('hex').slice(0, 32)}`

export interface AwsRole {
  roleARN: string
  externalID: string
}

/** @throws a `user_action` fault for credentials that are none */
export function roleOf({ credentials }: CloudAccount): AwsRole {
  try {
    return decode(credentials)
  } catch (error) {
    const fixHint = 'Give the account { roleARN, externalID }.'
    throw cloudFault('user_action', 'credentials_refused', 'The account has no role.', { fixHint }, error)
  }
}

/** Seconds a role is assumed for; it is assumed anew ten minutes before the end. */
const heldSeconds = 3600

/** Credentials of the account's role, fetched with the first call and renewed in time. */
export function assumed(account: CloudAccount, { endpoint, base }: AwsOptions): AwsCredentialIdentityProvider {
  const { roleARN, externalID } = roleOf(account)
  let held: Promise<Held> | undefined
  const renew = async (): Promise<Held> => {
    const { fromTemporaryCredentials, fromNodeProviderChain } = await sdk(
      '@aws-sdk/credential-providers',
      () => import('@aws-sdk/credential-providers'),
    )
    const ask = fromTemporaryCredentials({
      masterCredentials: base ?? fromNodeProviderChain(),
      params: { RoleArn: roleARN, RoleSessionName: 'tidemark', ExternalId: externalID, DurationSeconds: heldSeconds },
      clientConfig: { region: globalRegion, maxAttempts: 1, ...(endpoint !== undefined && { endpoint }) },
    })
    return { credentials: await ask(), at: Date.now() }
  }
  return async () => {
    if (held && Date.now() - (await held).at > (heldSeconds - 600) * 1000) held = undefined
    held ??= renew().catch((error: unknown) => {
      held = undefined
      throw refusal(error, roleARN)
    })
    return (await held).credentials
  }
}

interface Held {
  credentials: Awaited<ReturnType<AwsCredentialIdentityProvider>>
  /** Real time, for that is what the role is held by. */
  at: number
}

/** Why the role cannot be assumed, with what to do about it. */
function refusal(error: unknown, roleARN: string): Fault {
  const fault = awsFault(error, { service: 'sts', operation: 'AssumeRole', region: '' })
  if (fault.code === 'permission_missing')
    return cloudFault(
      'user_action',
      'credentials_refused',
      `AWS does not let us assume ${roleARN}.`,
      {
        ...fault.detail,
        fixHint: 'Its trust policy must name our account and the external id: tidemark account policy aws prints it.',
      },
      error,
    )
  const { name, message } = error as { name?: string; message?: string }
  if (name === 'CredentialsProviderError')
    return cloudFault(
      'user_action',
      'credentials_refused',
      'This installation has no AWS credentials of its own to assume roles with.',
      {
        fixHint:
          'Give its processes AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a role of the machine they run on.',
        said: message ?? '',
      },
      error,
    )
  return fault
}
