/** What IAM says that a role may do, without doing it. */
import { Fault } from '#engine/value/fault.ts'
import { globalRegion, type AwsSession } from '#streams/cloud/aws/session/session.ts'
import { isCredentialsRefused } from '#streams/cloud/connector.ts'
import { chunks } from '#streams/cloud/bill/merge.ts'
import type { State, RequiredPermission } from './required-permission.ts'

/** Permissions of one question. */
const askedMax = 50

/** By name; undefined where the role may not be told, or the far side does not offer it. */
export async function simulatePermissions(
  session: AwsSession,
  roleARN: string,
  wanted: readonly RequiredPermission[],
): Promise<ReadonlyMap<string, State> | undefined> {
  const states = new Map<string, State>()
  try {
    for (const some of Map.groupBy(wanted, ({ resources }) => (resources ?? []).join(' ')).values())
      for (const part of chunks(some, askedMax)) await ask(session, roleARN, part, states)
    return states
  } catch (error) {
    if (error instanceof Fault && !isCredentialsRefused(error)) return undefined
    throw error
  }
}

async function ask(
  session: AwsSession,
  PolicySourceArn: string,
  wanted: readonly RequiredPermission[],
  states: Map<string, State>,
): Promise<void> {
  const ActionNames = wanted.map(({ name }) => name)
  const ResourceArns = wanted[0]?.resources?.map((pattern) => toExampleArn(pattern, session.account.externalId))
  const answers = session.pages(
    'iam',
    globalRegion,
    (m, Marker) =>
      new m.SimulatePrincipalPolicyCommand({
        PolicySourceArn,
        ActionNames,
        MaxItems: 1000,
        ...(ResourceArns && { ResourceArns }),
        ...(Marker !== undefined && { Marker }),
      }),
    ({ IsTruncated, Marker }) => (IsTruncated ? Marker : undefined),
  )
  for await (const { EvaluationResults } of answers)
    for (const { EvalActionName, EvalDecision, OrganizationsDecisionDetail } of EvaluationResults ?? []) {
      if (!EvalActionName) continue
      const isAllowed = EvalDecision === 'allowed' && OrganizationsDecisionDetail?.AllowedByOrganizations !== false
      // Of several resources one suffices: an action is of a bucket or of what is in it.
      if (isAllowed || !states.has(EvalActionName)) states.set(EvalActionName, isAllowed ? 'granted' : 'missing')
    }
}

/** Something that the pattern fits: IAM simulates no patterns. */
const toExampleArn = (pattern: string, account: string): string =>
  pattern
    .replace(/^(arn:[^:]*:[^:]*):\*:\*:/, `$1:${globalRegion}:${account}:`)
    .replace(/^(arn:[^:]*:[^:]*):(.*?):\*:/, `$1:$2:${account}:`)
    .replaceAll('*', '-check')
