/** Sums of recommendations by resource, by rule and overall, and their histories. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql, type RawBuilder } from 'kysely'
import type { HistoryItem } from '#actors/recommendation/entity.ts'
import {
  accountName,
  applyFilter,
  selectRecommendations,
  type RecommendationQuery,
  type RecommendationFilter,
  type RecommendationOrder,
  type RecommendationSight,
  type Slice,
} from '#actors/recommendation/row.ts'
import type { Provider } from '#streams/names.ts'
import { severities, type Category, type Severity } from '#streams/recommendation.ts'

/** Counts as open and in sums; stale recommendations do not. */
export const isOpen = sql`c.status = 'open' AND c.stale_since IS NULL`
const openCount = sql<number>`(count(*) FILTER (WHERE ${isOpen}))::int`
const openSavings = sql<string>`coalesce(sum(c.savings_usd) FILTER (WHERE ${isOpen}), 0)::text`

/** Aggregates the open ones; if none is open, all. */
const ofOpen = (value: RawBuilder<unknown>) =>
  sql<number>`coalesce(max(${value}) FILTER (WHERE ${isOpen}), max(${value}))`
/** The value in the recommendation that changed last. */
const newest = (column: RawBuilder<unknown>) => sql`(array_agg(${column} ORDER BY c.updated_at DESC, c.id))[1]`

const sorting = {
  savings_usd: sql`coalesce(sum(c.savings_usd) FILTER (WHERE ${isOpen}), 0)`,
  updated_at: sql`max(c.updated_at)`,
  severity: ofOpen(sql`c.severity_rank`),
  priority: ofOpen(sql`c.priority`),
} as const satisfies Record<RecommendationOrder['by'], RawBuilder<unknown>>

interface GroupSums {
  open_count: number
  savings_usd: string
  /** Number of groups, including those outside of the page. */
  total: number
}

export interface ResourceSummaryRow extends GroupSums {
  cloud_account_id: string
  account_name: string
  resource_uid: string
  resource_name: string
  resource_type: string
  provider: Provider
  recommendations: number
}

export interface RuleSummaryRow extends GroupSums {
  rule_id: string
  category: Category
  severity_rank: number
  resources: number
}

const sumColumns = [
  openCount.as('open_count'),
  openSavings.as('savings_usd'),
  sql<number>`(count(*) OVER ())::int`.as('total'),
] as const

interface Page<R> {
  items: R[]
  total: number
}

/** A page. After the last one, the first is read to count the groups. */
async function readPage<R extends GroupSums>(read: (page: Slice) => Promise<R[]>, page: Slice): Promise<Page<R>> {
  const items = await read(page)
  const counted = items.length > 0 || page.offset === 0 ? items : await read({ limit: 1, offset: 0 })
  return { items, total: counted[0]?.total ?? 0 }
}

const pageOf = (
  query: RecommendationQuery,
  { by, direction }: RecommendationOrder,
  { limit, offset }: Slice,
): RecommendationQuery =>
  query.orderBy(sorting[by], direction).orderBy(sorting.savings_usd, 'desc').limit(limit).offset(offset)

export function resourceSummaries(
  em: EntityManager,
  orgId: string,
  sight: RecommendationSight,
  filter: RecommendationFilter,
  order: RecommendationOrder,
  page: Slice,
): Promise<Page<ResourceSummaryRow>> {
  const found = applyFilter(selectRecommendations(em, orgId, sight), filter).groupBy([
    'c.org_id',
    'c.cloud_account_id',
    'c.resource_uid',
  ])
  const read = (slice: Slice) =>
    pageOf(found, order, slice)
      .orderBy('c.resource_uid')
      .orderBy('c.cloud_account_id')
      .select([
        'c.cloud_account_id',
        accountName.as('account_name'),
        'c.resource_uid',
        newest(sql`c.resource_name`).as('resource_name'),
        newest(sql`c.resource_type`).as('resource_type'),
        newest(sql`c.provider`).as('provider'),
        sql<number>`count(*)::int`.as('recommendations'),
        ...sumColumns,
      ])
      .execute() as Promise<ResourceSummaryRow[]>
  return readPage(read, page)
}

export function ruleSummaries(
  em: EntityManager,
  orgId: string,
  sight: RecommendationSight,
  filter: RecommendationFilter,
  order: RecommendationOrder,
  page: Slice,
): Promise<Page<RuleSummaryRow>> {
  const found = applyFilter(selectRecommendations(em, orgId, sight), filter).groupBy('c.rule_id')
  const read = (slice: Slice) =>
    pageOf(found, order, slice)
      .orderBy('c.rule_id')
      .select([
        'c.rule_id',
        newest(sql`c.category`).as('category'),
        ofOpen(sql`c.severity_rank`).as('severity_rank'),
        sql<number>`count(DISTINCT (c.cloud_account_id, c.resource_uid))::int`.as('resources'),
        ...sumColumns,
      ])
      .execute() as Promise<RuleSummaryRow[]>
  return readPage(read, page)
}

const severityOf = (name: Severity) => sql<number>`(count(*) FILTER (WHERE ${isOpen} AND c.severity = ${name}))::int`
const statusOf = (name: string) => sql<number>`(count(*) FILTER (WHERE c.status = ${name}))::int`

const openColumns = [
  openCount.as('open_count'),
  openSavings.as('savings_usd'),
  severityOf('critical').as('critical'),
  severityOf('high').as('high'),
] as const

export interface OpenSums {
  open_count: number
  savings_usd: string
  critical: number
  high: number
}

export interface RecommendationSums extends OpenSums {
  applied: number
  dismissed: number
  optimised: number
  rule_retired: number
  /** Cost of resources with an open recommendation, each once, US dollars for 30 days. */
  cost_usd: string
  /** Number of resources with an open recommendation, by provider. */
  resources: Partial<Record<Provider, number>>
}

interface ProviderCost {
  provider: Provider
  resources: number
  cost_usd: string
}

/** PostgreSQL sums the amounts exactly. */
export async function recommendationSums(
  em: EntityManager,
  orgId: string,
  sight: RecommendationSight,
  filter: RecommendationFilter,
): Promise<RecommendationSums> {
  const found = applyFilter(selectRecommendations(em, orgId, sight), filter)
  const resources = found
    .where(sql<boolean>`${isOpen}`)
    .groupBy(['c.cloud_account_id', 'c.resource_uid'])
    .select([newest(sql`c.provider`).as('provider'), sql<string>`max(c.current_cost_usd)`.as('cost')])
  const [[counts], costed] = await Promise.all([
    found
      .select([
        ...openColumns,
        statusOf('applied').as('applied'),
        statusOf('dismissed').as('dismissed'),
        statusOf('optimised').as('optimised'),
        statusOf('rule_retired').as('rule_retired'),
      ])
      .execute(),
    sql<ProviderCost>`SELECT provider, count(*)::int AS resources, sum(cost)::text AS cost_usd
      FROM (${resources}) AS each GROUP BY GROUPING SETS (provider, ())`.execute(em.getKysely()),
  ])
  const whole = costed.rows.find(({ provider }) => provider === null)
  const each = costed.rows.filter(({ provider }) => provider !== null)
  return {
    ...counts!,
    cost_usd: whole?.cost_usd ?? '0',
    resources: Object.fromEntries(each.map(({ provider, resources: count }) => [provider, count])),
  }
}

/** For each provider with recommendations. */
export const providerSums = (
  em: EntityManager,
  orgId: string,
  sight: RecommendationSight,
  filter: RecommendationFilter,
): Promise<(OpenSums & { provider: Provider })[]> =>
  applyFilter(selectRecommendations(em, orgId, sight), filter)
    .groupBy('c.provider')
    .select(['c.provider', ...openColumns])
    .execute()

/** Histories of those that the caller may see, by id, oldest first. */
export async function historiesOf(
  em: EntityManager,
  orgId: string,
  sight: RecommendationSight,
  ids: readonly string[],
): Promise<Map<string, HistoryItem[]>> {
  const rows = await selectRecommendations(em, orgId, sight)
    .where('c.id', 'in', [...ids])
    .select(['c.id', sql<HistoryItem[]>`c.history`.as('history')])
    .execute()
  return new Map(rows.map(({ id, history }) => [id, oldestFirst(history)]))
}

const oldestFirst = (history: readonly HistoryItem[]): HistoryItem[] =>
  history.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt))

/** The name of a rank. */
export const severityAt = (rank: number): Severity => severities[rank] ?? 'info'
