/** The policies that a body names as targets of a plan. */
import { policiesOf } from '#actors/readiness/queries.ts'
import { badInput } from '#http/edge/problem.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { seerOf } from '#http/readiness/record.ts'

/** @throws Fault `invalid` with every one that does not exist or that the caller may not see */
export async function checkTargets(
  ids: readonly string[],
  caller: Caller,
  { em }: Pick<Services, 'em'>,
): Promise<void> {
  refuseUnknown(ids, await policiesOf(em, seerOf(caller), ids))
}

/** @throws Fault `invalid` with every unknown one */
export function refuseUnknown(ids: readonly string[], known: { has: (id: string) => boolean }): void {
  const message = 'is not an autoscaler policy of the organization'
  const problems = ids.flatMap((id, i) =>
    known.has(id) ? [] : [{ in: 'body' as const, name: `/targets/${i}/policyId`, code: 'unknown', message }],
  )
  if (problems.length > 0) throw badInput(...problems)
}
