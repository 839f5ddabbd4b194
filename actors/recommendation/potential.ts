/** Potential savings of open recommendations, grouped. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql, type RawBuilder } from 'kysely'
import { isOpen } from '#actors/recommendation/queries.ts'
import {
  applyFilter,
  resourcePlace,
  selectRecommendations,
  type RecommendationFilter,
  type RecommendationSight,
} from '#actors/recommendation/row.ts'
import { teamAt } from '#actors/resource/row.ts'
import { recommendationSource } from '#actors/saving/claim.ts'

const keys = {
  source: sql`${recommendationSource}::text`,
  rule: sql`c.rule_id`,
  category: sql`c.category`,
  team: teamAt(resourcePlace),
  /** A resource counts in each group that contains it; without a group in the empty text. */
  resource_group: sql`unnest(coalesce(
    (SELECT array_agg(m.group_id) FROM resource_group_member AS m
      WHERE m.org_id = c.org_id AND m.resource_uid = c.resource_uid),
    ARRAY['']::text[]))`,
  account: sql`c.cloud_account_id`,
  resource: sql`c.resource_uid`,
} as const satisfies Record<string, RawBuilder<unknown>>

export type PotentialBy = keyof typeof keys
export const potentialBy = Object.keys(keys) as PotentialBy[]

export interface PotentialRow {
  key: string
  category: string
  /** US dollars for 30 days, exact. */
  savings_usd: string
}

/** Only open recommendations that are not stale. `category` is that of the rule when grouped by rule, otherwise any. */
export async function openPotential(
  em: EntityManager,
  orgId: string,
  sight: RecommendationSight,
  filter: RecommendationFilter,
  by: PotentialBy,
): Promise<PotentialRow[]> {
  const each = applyFilter(selectRecommendations(em, orgId, sight), filter)
    .where(sql<boolean>`${isOpen}`)
    .select([sql<string>`${keys[by]}`.as('key'), 'c.category', 'c.savings_usd'])
  const { rows } = await sql<PotentialRow>`SELECT key, max(category) AS category, sum(savings_usd)::text AS savings_usd
    FROM (${each}) AS each GROUP BY key ORDER BY key`.execute(em.getKysely())
  return rows
}
