import type { Sight } from '#actors/tagging/row.ts'
import { t } from '#engine/value/schema.ts'
import { reportScopeFault, type Caller } from '#http/identity/organization/caller.ts'
import { scopeOf } from '#http/report/filter/filter.ts'
import { unassignedId } from '#http/report/team/team.ts'

/** Suggestions below are for administrators alone (decision G-36). */
const confidenceMin = 50

/** What the caller may see of suggestions. */
export const sightOf = (caller: Caller): Sight => ({
  confidenceMin: caller.isAdmin ? 0 : confidenceMin,
  ...scopeOf(caller),
})

/**
 * Checks that the caller may decide on tags of a resource that it sees; `isIn` says whether a scope contains it. A tag can move a resource
 * to another team by rule. A resource of an account would bring shared costs of others to a team of the role that it moves to, so a role
 * with teams decides on resources of these alone: they can only leave.
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

/** The page parameters of the lists that call their limit by two names; the one called `limit` counts before. */
export const twiceNamed = (size: number, max: number, ofSize: { deprecated?: true } = {}) => ({
  page: t.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'page number, starting at 1' }),
  limit: cappedCount(max, `items per page, default ${size}`),
  size: cappedCount(max, 'alias of limit, which takes precedence', ofSize),
})

export const pageOfTwice = (
  { page, limit, size }: { page: number; limit?: number; size?: number },
  otherwise: number,
): { page: number; limit: number } => ({ page, limit: limit ?? size ?? otherwise })
