/** Credentials for an account: we assume the role that its owner has set up, with the organization's external id. */
import type { AwsCredentialIdentityProvider } from '@smithy/types'
import type { Fault } from '#engine/value/fault.ts'
import { decoder, t } from '#engine/value/schema.ts'
import type { Caller } from '#streams/cloud/call/call.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { sdk } from '#streams/cloud/call/sdk.ts'
import { awsFault } from './fault.ts'
import type { AwsRole } from '#streams/cloud/aws/permission/role.ts'
import { globalRegionOf } from './partition.ts'
import type { AwsOptions } from './session.ts'

const decode = decoder(
  t.Object({
    roleARN: t.String(),
    externalID: t.String(),
    kubeconfigs: t.Optional(t.Record(t.String(), t.String())),
  }),
)

/** @throws a `user_action` fault for invalid credentials */
export function roleOf({ credentials }: CloudAccount): AwsRole {
  try {
    return decode(credentials)
  } catch (error) {
    const fixHint = 'Set the credentials { roleARN, externalID } of the account.'
    throw cloudFault('user_action', 'credentials_refused', 'The account has no role.', { fixHint }, error)
  }
}

/** Seconds for which a role is assumed; it is assumed again ten minutes before the end. */
const heldSeconds = 3600

/**
 * Seconds for which sessions of an account share credentials. A change of the role's trust policy may go unnoticed for
 * that long.
 */
const sharedSeconds = 900

interface CachedCredentials {
  credentials: Promise<Awaited<ReturnType<AwsCredentialIdentityProvider>>>
  /** Real time, because AWS uses it for expiry. */
  at: number
}

/** Per installation, by account and role, so that an account's credentials are never used for another. */
const credentialCaches = new WeakMap<Caller, Map<string, CachedCredentials>>()

export interface RoleCredentials {
  /** Fetched at the first call and renewed in time. */
  credentials: AwsCredentialIdentityProvider
  /** Removes credentials that AWS has refused from the cache. */
  forget: () => void
}

/** Credentials of the account's role. `anew` ignores the cache, for checking whether the role can be assumed. */
export function assumeRole(account: CloudAccount, options: AwsOptions, anew = false): RoleCredentials {
  const role = roleOf(account)
  const { caller, endpoint = '' } = options
  const known = credentialCaches.get(caller) ?? new Map<string, CachedCredentials>()
  credentialCaches.set(caller, known)
  const key = JSON.stringify([account.orgId, account.id, role.roleARN, role.externalID, endpoint])
  if (anew) known.delete(key)
  const take = (): CachedCredentials => {
    const standing = known.get(key)
    if (standing && isWithin(standing, sharedSeconds)) return standing
    for (const [other, { at }] of known) if (!isWithin({ at }, sharedSeconds)) known.delete(other)
    const made = { credentials: assume(role, options), at: Date.now() }
    known.set(key, made)
    return made
  }
  let own: CachedCredentials | undefined
  const forget = () => {
    if (own !== undefined && known.get(key) === own) known.delete(key)
  }
  const credentials = async () => {
    if (own && !isWithin(own, heldSeconds - 600)) own = undefined
    own ??= take()
    try {
      return await own.credentials
    } catch (error) {
      forget()
      own = undefined
      throw refusal(error, role.roleARN)
    }
  }
  return { credentials, forget }
}

const isWithin = ({ at }: Pick<CachedCredentials, 'at'>, seconds: number): boolean => Date.now() - at <= seconds * 1000

async function assume({ roleARN, externalID }: AwsRole, { endpoint, base }: AwsOptions) {
  const { fromTemporaryCredentials, fromNodeProviderChain } = await sdk(
    '@aws-sdk/credential-providers',
    () => import('@aws-sdk/credential-providers'),
  )
  const ask = fromTemporaryCredentials({
    masterCredentials: base ?? fromNodeProviderChain(),
    params: { RoleArn: roleARN, RoleSessionName: 'tidemark', ExternalId: externalID, DurationSeconds: heldSeconds },
    clientConfig: { region: globalRegionOf(roleARN), maxAttempts: 1, ...(endpoint !== undefined && { endpoint }) },
  })
  return ask()
}

/** The fault for a role that cannot be assumed, with a hint for fixing it. */
function refusal(error: unknown, roleARN: string): Fault {
  const fault = awsFault(error, { service: 'sts', operation: 'AssumeRole', region: '' })
  if (fault.code === 'permission_missing')
    return cloudFault(
      'user_action',
      'credentials_refused',
      `AWS does not allow Tidemark to assume ${roleARN}.`,
      {
        ...fault.detail,
        fixHint:
          'Its trust policy must allow the account of Tidemark with the external ID. To print it, run tidemark account policy aws.',
      },
      error,
    )
  const { name, message } = error as { name?: string; message?: string }
  if (name === 'CredentialsProviderError')
    return cloudFault(
      'user_action',
      'credentials_refused',
      'This installation has no AWS credentials to assume roles with.',
      {
        fixHint:
          'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for its processes, or attach a role to the machine they run on.',
        said: message ?? '',
      },
      error,
    )
  return fault
}
