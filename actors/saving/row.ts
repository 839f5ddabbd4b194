/** Claims as the edge shows them: running ones, and those that ended recently enough for bills to verify them. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql, type SelectQueryBuilder } from 'kysely'
import type { ResourceScope } from '#actors/resource/queries.ts'
import { teamAt, within, type ResourcePlace } from '#actors/resource/row.ts'
import { cycleMs } from './cause.ts'
import type { Claim, Ledger } from './claim.ts'

interface Tables {
  saving: { org_id: string; cloud_account_id: string; uid: string; claims: Claim[]; ledger: Ledger }
}

export interface ClaimRow {
  account: string
  uid: string
  claim: Claim
}

/** Filters of the list; all must match. An empty list does not filter. */
export interface ClaimFilter {
  sources?: readonly string[]
  ruleIds?: readonly string[]
  providers?: readonly string[]
  cloudAccountIds?: readonly string[]
  regions?: readonly string[]
  resourceTypes?: readonly string[]
  resourceUids?: readonly string[]
  teamIds?: readonly string[]
  /** True: running; false: ended. */
  isRunning?: boolean
}

const resourcePlace: ResourcePlace = { org: sql`s.org_id`, account: sql`s.cloud_account_id`, uid: sql`s.uid` }

const columns = {
  sources: sql`c.claim ->> 'source'`,
  ruleIds: sql`c.claim ->> 'ruleId'`,
  providers: sql`c.claim ->> 'provider'`,
  cloudAccountIds: sql`s.cloud_account_id`,
  regions: sql`c.claim ->> 'region'`,
  resourceTypes: sql`c.claim ->> 'resourceType'`,
  resourceUids: sql`s.uid`,
  teamIds: teamAt(resourcePlace),
} as const

type ClaimQuery = SelectQueryBuilder<{ s: Tables['saving']; c: { claim: Claim } }, 's' | 'c', object>

function selectClaims(em: EntityManager, orgId: string, scope: ResourceScope | undefined, now: Date): ClaimQuery {
  const of = em
    .getKysely<Tables>()
    .selectFrom(['saving as s', sql<{ claim: Claim }>`jsonb_array_elements(s.claims)`.as<'c'>(sql`c(claim)`)])
    .where('s.org_id', '=', orgId)
    .where(sql<boolean>`(c.claim ->> 'from')::timestamptz <= ${now.toISOString()}::timestamptz`)
  return (scope === undefined ? of : of.where(within(scope, resourcePlace))) as ClaimQuery
}

/** Whether a claim runs at `now`, as in `toCurrentClaim`. */
const running = (now: Date) => sql<boolean>`(c.claim ->> 'until' IS NULL OR (c.claim ->> 'source' = 'schedule'
  AND (c.claim ->> 'isCycle')::boolean AND c.claim ->> 'why' = 'left'
  AND (c.claim ->> 'until')::timestamptz > ${new Date(now.getTime() - cycleMs).toISOString()}::timestamptz))`

function applyFilter(query: ClaimQuery, { isRunning, ...lists }: ClaimFilter, now: Date): ClaimQuery {
  let some = query
  for (const [name, column] of Object.entries(columns)) {
    const values = lists[name as keyof typeof columns]
    if (values?.length) some = some.where(sql<boolean>`${column} IN (${sql.join([...values])})`)
  }
  if (isRunning === undefined) return some
  return some.where(isRunning ? running(now) : sql<boolean>`NOT ${running(now)}`)
}

const claimColumns = [
  sql<string>`s.cloud_account_id`.as('account'),
  sql<string>`s.uid`.as('uid'),
  sql<Claim>`c.claim`.as('claim'),
] as const

/** Newest first. */
export async function claimPage(
  em: EntityManager,
  { orgId, scope, now }: { orgId: string; scope: ResourceScope | undefined; now: Date },
  filter: ClaimFilter,
  page: { limit: number; offset: number },
): Promise<{ items: ClaimRow[]; total: number }> {
  const some = applyFilter(selectClaims(em, orgId, scope, now), filter, now)
  const [items, [counted]] = await Promise.all([
    some
      .select(claimColumns)
      .orderBy(sql`(c.claim ->> 'from')::timestamptz`, 'desc')
      .orderBy(sql`c.claim ->> 'id'`)
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    some.select(sql<number>`count(*)::int`.as('total')).execute(),
  ])
  return { items, total: counted?.total ?? 0 }
}

/**
 * The claim with this id and all claims of its resource; undefined if the caller may not see it, or it does not exist.
 */
export async function findClaim(
  em: EntityManager,
  { orgId, scope, now }: { orgId: string; scope: ResourceScope | undefined; now: Date },
  id: string,
): Promise<(ClaimRow & { claims: Claim[]; ledger: Ledger }) | undefined> {
  const [row] = await selectClaims(em, orgId, scope, now)
    .where(sql<boolean>`c.claim ->> 'id' = ${id}`)
    .select([...claimColumns, sql<Claim[]>`s.claims`.as('claims'), sql<Ledger>`s.ledger`.as('ledger')])
    .execute()
  return row
}
