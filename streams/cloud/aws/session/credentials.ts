/** How we come to be somebody in an account: by the role that its owner lets us assume, under an external id of the organization. */
import type { AwsCredentialIdentityProvider } from '@smithy/types'
import type { Fault } from '#engine/value/fault.ts'
import { decoder, t } from '#engine/value/schema.ts'
import type { Caller } from '#streams/cloud/call/call.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { sdk } from '#streams/cloud/call/sdk.ts'
import { awsFault } from './fault.ts'
import type { AwsRole } from '#streams/cloud/aws/permission/role.ts'
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
    const fixHint = 'Set the credentials { roleARN, externalID } of the account.'
    throw cloudFault('user_action', 'credentials_refused', 'The account has no role.', { fixHint }, error)
  }
}

/** Seconds a role is assumed for; it is assumed anew ten minutes before the end. */
const heldSeconds = 3600

/** Seconds in which sessions of an account take what an earlier one was given: for so long what its trust policy says may go unnoticed. */
const sharedSeconds = 900

interface CachedCredentials {
  credentials: Promise<Awaited<ReturnType<AwsCredentialIdentityProvider>>>
  /** Real time, for that is what the role is held by. */
  at: number
}

/** Of one installation, by account and role: what an account was given is never shown to another. */
const credentialCaches = new WeakMap<Caller, Map<string, CachedCredentials>>()

export interface RoleCredentials {
  /** Fetched with the first call and renewed in time. */
  credentials: AwsCredentialIdentityProvider
  /** Lets nobody take again what the cloud takes no more. */
  forget: () => void
}

/** Credentials of the account's role. `anew`: not those that an earlier session was given, as who checks the role wants to know. */
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
    clientConfig: { region: globalRegion, maxAttempts: 1, ...(endpoint !== undefined && { endpoint }) },
  })
  return ask()
}

/** Why the role cannot be assumed, with what to do about it. */
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
