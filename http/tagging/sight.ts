import type { Sight } from '#actors/tagging/row.ts'
import { t } from '#engine/value/schema.ts'
import { reportScopeFault, type Caller } from '#http/identity/organization/caller.ts'
import { scopeOf } from '#http/report/filter/filter.ts'
import { unassignedId } from '#http/report/team/team.ts'

/** Suggestions with a lower confidence are only visible to administrators (decision G-36). */
const confidenceMin = 50

/** Which suggestions the caller may see. */
export const sightOf = (caller: Caller): Sight => ({
  confidenceMin: caller.isAdmin ? 0 : confidenceMin,
  ...scopeOf(caller),
})

/**
 * Checks that the caller may decide on tags of a resource that they see; `isIn` tells whether a scope contains it. By
 * rule, a tag can move a resource to another team. A resource of an account would bring shared costs of others to the
 * team it moves to, so a role limited to teams may only decide on resources of these teams, which can only leave them.
 * @throws Fault `forbidden` `report_scope`
 */
export async function checkMayMove(
  { reportScope: { all, teamIDs } }: Caller,
  isIn: (scope: NonNullable<Sight['scope']>) => Promise<boolean>,
): Promise<void> {
  if (all || teamIDs.length === 0) return
  const teams = teamIDs.filter((id) => id !== unassignedId)
  if (await isIn({ accounts: [], teams })) return
  throw reportScopeFault('Your role is limited to teams and can only decide on tags of their resources.')
}

const cappedCount = (max: number, description: string, more: { deprecated?: true } = {}) =>
  t.Optional(
    t.Integer({
      ...more,
      minimum: 1,
      clamp: max,
      description: `${description}; values above ${max} are reduced to ${max}`,
    }),
  )

/** The page parameters of lists whose limit has two names; `limit` takes precedence. */
export const twiceNamed = (size: number, max: number, ofSize: { deprecated?: true } = {}) => ({
  page: t.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'page number, starting at 1' }),
  limit: cappedCount(max, `items per page, default ${size}`),
  size: cappedCount(max, 'alias of limit, which takes precedence', ofSize),
})

export const pageOfTwice = (
  { page, limit, size }: { page: number; limit?: number; size?: number },
  otherwise: number,
): { page: number; limit: number } => ({ page, limit: limit ?? size ?? otherwise })
