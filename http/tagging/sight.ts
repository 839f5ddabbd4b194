import type { Sight } from '#actors/tagging/row.ts'
import { t } from '#engine/schema.ts'
import type { Caller } from '#http/identity/caller.ts'
import { scopeOf } from '#http/report/filter.ts'

/** Suggestions below are for administrators alone (decision G-36). */
const confidenceMin = 50

/** What the caller may see of suggestions. */
export const sightOf = (caller: Caller): Sight => ({
  confidenceMin: caller.isAdmin ? 0 : confidenceMin,
  ...scopeOf(caller),
})

const counted = (max: number, description: string, more: { deprecated?: true } = {}) =>
  t.Optional(
    t.Integer({ ...more, minimum: 1, clamp: max, description: `${description}; more than ${max} is taken as ${max}` }),
  )

/** The page parameters of the lists that call their limit by two names; the one called `limit` counts before. */
export const twiceNamed = (size: number, max: number, ofSize: { deprecated?: true } = {}) => ({
  page: t.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'counts from 1' }),
  limit: counted(max, `items a page, ${size} unless given`),
  size: counted(max, 'another name of limit, which counts before it', ofSize),
})

export const pageOfTwice = (
  { page, limit, size }: { page: number; limit?: number; size?: number },
  otherwise: number,
): { page: number; limit: number } => ({ page, limit: limit ?? size ?? otherwise })
