/** The policies that bodies name as the targets of a plan. */
import { policiesOf } from '#actors/readiness/queries.ts'
import { badInput } from '#http/edge/problem.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { seerOf } from '#http/readiness/record.ts'

/** @throws Fault `invalid` naming every one that there is not, or that the caller does not see */
export async function checkTargets(
  ids: readonly string[],
  caller: Caller,
  { em }: Pick<Services, 'em'>,
): Promise<void> {
  refuseUnknown(ids, await policiesOf(em, seerOf(caller), ids))
}

/** @throws Fault `invalid` naming every one that is not known */
export function refuseUnknown(ids: readonly string[], known: { has: (id: string) => boolean }): void {
  const message = 'is not an autoscaler policy of the organization'
  const problems = ids.flatMap((id, i) =>
    known.has(id) ? [] : [{ in: 'body' as const, name: `/targets/${i}/policyId`, code: 'unknown', message }],
  )
  if (problems.length > 0) throw badInput(...problems)
}
