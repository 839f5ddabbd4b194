/** Verifies the permissions of an account's role one by one, by IAM's simulation or by trying. */
import { Fault } from '#engine/value/fault.ts'
import { isCredentialsRefused, type CloudAccount, type Connector, type Verification } from '#streams/cloud/connector.ts'
import { eachOnce, noAccess, refusedAccess, verdictOf, type VerdictRules } from '#streams/cloud/permission/verdict.ts'
import { roleOf } from '#streams/cloud/aws/session/credentials.ts'
import { awsPermissions, billBucket } from '#streams/cloud/aws/permission/permissions.ts'
import { globalRegion, type AwsSession } from '#streams/cloud/aws/session/session.ts'
import { simulatePermissions } from './simulate.ts'
import { probePermissions } from './probe.ts'
import type { RequiredPermission } from './required-permission.ts'

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
      return refusedAccess(error)
    } finally {
      session?.close()
    }
  }
}

const rules: VerdictRules = {
  table: awsPermissions,
  who: 'The role',
  document: 'policy',
  give: 'Attach the policy',
  command: 'tidemark account policy aws',
  unknown: 'AWS accepted the role but did not respond to any test call. Verify the account again later.',
  free: 'sts:GetCallerIdentity',
}

async function verdictIn(session: AwsSession, account: CloudAccount): Promise<Verification> {
  const { Account } = await session.ask('sts', globalRegion, (m) => new m.GetCallerIdentityCommand({}))
  if (Account !== account.externalId)
    return noAccess(
      `The role belongs to account ${Account ?? 'unknown'}, not to ${account.externalId}. Use the ARN of a role in ${account.externalId}, or connect ${Account ?? 'its account'} instead.`,
    )
  const wanted = wantedOf(account)
  const states =
    (await simulatePermissions(session, roleOf(account).roleARN, wanted)) ?? (await probePermissions(session, wanted))
  return verdictOf(
    wanted.map(({ name, access }) => ({ name, access, state: states.get(name) ?? 'unknown' })),
    rules,
  )
}

/**
 * Each permission once; one needed for reading and writing counts as reading. The bill's bucket only if the account has
 * one.
 */
function wantedOf({ billingExport }: CloudAccount): RequiredPermission[] {
  const bucket = bucketOf(billingExport)
  const needed = awsPermissions.filter(
    ({ resources }) => bucket !== undefined || !resources?.some((one) => one.includes(billBucket)),
  )
  return eachOnce(
    needed.flatMap(({ names, access, resources }) => {
      const own = resources?.map((one) => one.replace(billBucket, bucket ?? ''))
      return names.map((name) => ({ name, access, ...(own && { resources: own }) }))
    }),
  )
}

const bucketOf = (billing: CloudAccount['billingExport']): string | undefined =>
  billing && /^s3:\/\/([^/]+)/.exec(billing.location)?.[1]
