/** Verifies the permissions of an account's role one by one, by IAM's simulation or by trying. */
import { Fault } from '#engine/value/fault.ts'
import {
  isCredentialsRefused,
  type CloudAccount,
  type Connector,
  type PermissionCheck,
  type Verification,
} from '#streams/cloud/connector.ts'
import { roleOf } from '#streams/cloud/aws/session/credentials.ts'
import { awsPermissions, billBucket } from '#streams/cloud/aws/permission/permissions.ts'
import { globalRegion, type AwsSession } from '#streams/cloud/aws/session/session.ts'
import { simulatePermissions } from './simulate.ts'
import { probePermissions } from './probe.ts'
import type { State, RequiredPermission } from './required-permission.ts'

export interface AwsVerification {
  open: (account: CloudAccount) => AwsSession
}

/** @throws a `cloudFault` if AWS cannot be reached. If AWS refuses the credentials, the verdict is `none`. */
export function verifyAws({ open }: AwsVerification): Connector['verify'] {
  return async (account) => {
    let session: AwsSession | undefined
    try {
      session = open(account)
      return await verdictIn(session, account)
    } catch (error) {
      if (!(error instanceof Fault) || !isCredentialsRefused(error)) throw error
      return none(`${error.message} ${hintOf(error)}`.trim())
    } finally {
      session?.close()
    }
  }
}

const none = (message: string): Verification => ({ verdict: 'none', missingPermissions: [], message })

const silent = 'AWS accepted the role but did not respond to any test call. Verify the account again later.'

const hintOf = ({ detail }: Fault): string => (typeof detail['fixHint'] === 'string' ? detail['fixHint'] : '')

async function verdictIn(session: AwsSession, account: CloudAccount): Promise<Verification> {
  const { Account } = await session.ask('sts', globalRegion, (m) => new m.GetCallerIdentityCommand({}))
  if (Account !== account.externalId)
    return none(
      `The role belongs to account ${Account ?? 'unknown'}, not to ${account.externalId}. Use the ARN of a role in ${account.externalId}, or connect ${Account ?? 'its account'} instead.`,
    )
  const wanted = wantedOf(account)
  const states =
    (await simulatePermissions(session, roleOf(account).roleARN, wanted)) ?? (await probePermissions(session, wanted))
  return verdictOf(wanted.map(({ name, access }) => ({ name, access, state: states.get(name) ?? 'unknown' })))
}

/**
 * Each permission once; one needed for reading and writing counts as reading. The bill's bucket only if the account has
 * one.
 */
function wantedOf({ billingExport }: CloudAccount): RequiredPermission[] {
  const bucket = bucketOf(billingExport)
  const wanted = new Map<string, RequiredPermission>()
  for (const { names, access, resources } of awsPermissions) {
    if (bucket === undefined && resources?.some((one) => one.includes(billBucket))) continue
    const own = resources?.map((one) => one.replace(billBucket, bucket ?? ''))
    for (const name of names)
      if (!wanted.has(name) || access === 'read') wanted.set(name, { name, access, ...(own && { resources: own }) })
  }
  return [...wanted.values()]
}

const bucketOf = (billing: CloudAccount['billingExport']): string | undefined =>
  billing && /^s3:\/\/([^/]+)/.exec(billing.location)?.[1]

/** Reads made before a change: having them does not mean that changes are permitted. */
const looks = /:(Describe|Get|List)/

/** Missing write permissions are normal for read-only access, so they are only listed in `permissions`. */
function verdictOf(permissions: readonly PermissionCheck[]): Verification {
  const names = (access: PermissionCheck['access'], state: State) =>
    permissions.filter((one) => one.access === access && one.state === state).map(({ name }) => name)
  const may = names('read', 'granted').filter((name) => name !== 'sts:GetCallerIdentity')
  const lacksRead = names('read', 'missing')
  if (may.length === 0 && lacksRead.length > 0)
    return {
      ...none(
        `The role allows none of the required permissions. Attach the policy printed by tidemark account policy aws.`,
      ),
      missingPermissions: lacksRead.toSorted(),
      permissions,
    }
  if (may.length === 0) return { verdict: 'unknown', missingPermissions: [], message: silent, permissions }
  const isWriting = names('write', 'granted').some((name) => !looks.test(name))
  const missingPermissions = [...lacksRead, ...(isWriting ? names('write', 'missing') : [])].toSorted()
  return {
    verdict: isWriting ? 'read_write' : 'read_only',
    missingPermissions,
    permissions,
    ...(missingPermissions.length > 0 && {
      message: `The role is missing ${missingPermissions.length} permissions. Compare its policy with the output of tidemark account policy aws${isWriting ? ' --write' : ''}.`,
    }),
  }
}
