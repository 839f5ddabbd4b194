/** Checks a role's permissions with IAM's policy simulation, without using them. */
import { Fault } from '#engine/value/fault.ts'
import { globalRegion, type AwsSession } from '#streams/cloud/aws/session/session.ts'
import { isCredentialsRefused } from '#streams/cloud/connector.ts'
import { chunks } from '#streams/cloud/bill/merge.ts'
import type { State, RequiredPermission } from './required-permission.ts'

/** Maximum permissions per call. */
const askedMax = 50

/** States by name; undefined if the role may not simulate, or the endpoint does not support it. */
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
      // One allowed resource is enough: an action applies either to a bucket or to its objects.
      if (isAllowed || !states.has(EvalActionName)) states.set(EvalActionName, isAllowed ? 'granted' : 'missing')
    }
}

/** An ARN that matches the pattern, because IAM does not simulate patterns. */
const toExampleArn = (pattern: string, account: string): string =>
  pattern
    .replace(/^(arn:[^:]*:[^:]*):\*:\*:/, `$1:${globalRegion}:${account}:`)
    .replace(/^(arn:[^:]*:[^:]*):(.*?):\*:/, `$1:$2:${account}:`)
    .replaceAll('*', '-check')
