/** How we come to be somebody in an account: by the role that its owner lets us assume, under an external id of the organization. */
import type { AwsCredentialIdentityProvider } from '@smithy/types'
import type { Fault } from '#engine/fault.ts'
import { decoder, t } from '#engine/schema.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { sdk } from '#streams/cloud/sdk.ts'
import { awsFault } from './fault.ts'
import type { AwsRole } from './role.ts'
import { globalRegion, type AwsOptions } from './session.ts'

const decode = decoder(
  t.Object({
    roleARN: t.String(),
    externalID: t.String(),
    kubeconfigs: t.Optional(t.Record(t.String(), t.String())),
  }),
)

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
