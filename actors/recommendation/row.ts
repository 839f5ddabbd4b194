/** Recommendations as the edge shows them. Own SQL, so that lists do not read the history. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql, type SelectQueryBuilder } from 'kysely'
import { containing } from '#engine/value/like-pattern.ts'
import type { ResourceScope } from '#actors/resource/queries.ts'
import { teamAt, within, type ResourcePlace } from '#actors/resource/row.ts'
import type { CostProvider, Provider } from '#streams/names.ts'
import type { ActionType, Category, RecommendationStatus, Severity } from '#streams/recommendation.ts'

/** Columns of the recommendation actor's rows. Times and amounts are PostgreSQL text. */
interface Columns {
  org_id: string
  cloud_account_id: string
  id: string
  resource_uid: string
  resource_name: string
  resource_type: string
  provider: Provider
  region: string
  resource_group: string
  rule_id: string
  category: Category
  status: RecommendationStatus
  severity: Severity
  severity_rank: number
  title: string
  title_from: string | null
  title_to: string | null
  description: string
  remediation: string
  console_url: string
  action_type: ActionType
  current_cost_usd: string
  savings_usd: string
  gross_savings_usd: string
  confidence: number
  priority: number
  evidence: Record<string, unknown>
  specs: Record<string, string>
  target_spec: Record<string, unknown> | null
  tier_rates: Record<string, number> | null
  resource_tags: Record<string, string>
  held_back_by: string
  still_fires: boolean
  stale_since: string | null
  snoozed_until: string | null
  generated_at: string
  updated_at: string
}

interface Tables {
  recommendation: Columns
}

/** Which rows a caller may see: `scope` is that of the caller's role, if it has one. */
export interface RecommendationSight {
  scope?: ResourceScope
}

/** Filters of lists and sums; all must match. An empty list does not filter. */
export interface RecommendationFilter {
  statuses?: readonly RecommendationStatus[] | undefined
  severities?: readonly Severity[] | undefined
  categories?: readonly Category[] | undefined
  providers?: readonly CostProvider[] | undefined
  resourceTypes?: readonly string[] | undefined
  cloudAccountIds?: readonly string[] | undefined
  regions?: readonly string[] | undefined
  resourceUids?: readonly string[] | undefined
  ruleIds?: readonly string[] | undefined
  /** Ids of teams, or `unassigned`. */
  teamIds?: readonly string[] | undefined
  /** The resource must be a member of one of these groups. */
  groupIds?: readonly string[] | undefined
  /** US dollars per month. */
  minSavings?: number | undefined
  /** Part of the name of the resource or of the title, ignoring case. */
  search?: string | undefined
}

export const sorts = ['savings_usd', 'updated_at', 'severity', 'priority'] as const

export interface RecommendationOrder {
  by: (typeof sorts)[number]
  direction: 'asc' | 'desc'
}

export interface Slice {
  limit: number
  offset: number
}

export type RecommendationQuery<O = object> = SelectQueryBuilder<{ c: Columns }, 'c', O>

export const resourcePlace: ResourcePlace = {
  org: sql`c.org_id`,
  account: sql`c.cloud_account_id`,
  uid: sql`c.resource_uid`,
}

/** Selects what the caller may see in the organization. */
export const selectRecommendations = (
  em: EntityManager,
  orgId: string,
  { scope }: RecommendationSight,
): RecommendationQuery =>
  em
    .getKysely<Tables>()
    .selectFrom('recommendation as c')
    .where('c.org_id', '=', orgId)
    .$if(scope !== undefined, (q) => q.where(within(scope!, resourcePlace)))

const inGroup = (ids: readonly string[]) => sql<boolean>`EXISTS (
  SELECT FROM resource_group_member AS m
  WHERE m.org_id = c.org_id AND m.resource_uid = c.resource_uid AND m.group_id IN (${sql.join([...ids])}))`

/** The columns of filters by value. */
const columns = {
  statuses: 'c.status',
  severities: 'c.severity',
  categories: 'c.category',
  providers: 'c.provider',
  resourceTypes: 'c.resource_type',
  cloudAccountIds: 'c.cloud_account_id',
  regions: 'c.region',
  resourceUids: 'c.resource_uid',
  ruleIds: 'c.rule_id',
} as const satisfies Partial<Record<keyof RecommendationFilter, string>>

export function applyFilter(query: RecommendationQuery, filter: RecommendationFilter): RecommendationQuery {
  const { teamIds, groupIds, minSavings, search } = filter
  const like = search ? containing(search) : undefined
  const names = Object.keys(columns) as (keyof typeof columns)[]
  return names
    .filter((name) => filter[name]?.length)
    .reduce((q, name) => q.where(columns[name], 'in', [...filter[name]!] as never), query)
    .$if(!!teamIds?.length, (q) => q.where(teamAt(resourcePlace), 'in', [...teamIds!]))
    .$if(!!groupIds?.length, (q) => q.where(inGroup(groupIds!)))
    .$if(minSavings !== undefined, (q) => q.where(sql<boolean>`c.savings_usd >= ${String(minSavings)}::numeric`))
    .$if(like !== undefined, (q) =>
      q.where((is) => is.or([is('c.resource_name', 'ilike', like!), is('c.title', 'ilike', like!)])),
    )
}

/** The name of the account, or its id if it has none. */
export const accountName = sql<string>`coalesce(
  (SELECT a.name FROM cloud_account AS a WHERE a.org_id = c.org_id AND a.id = c.cloud_account_id), c.cloud_account_id)`

const rowColumns = [
  'c.id',
  'c.cloud_account_id',
  'c.resource_uid',
  'c.resource_name',
  'c.resource_type',
  'c.provider',
  'c.region',
  'c.rule_id',
  'c.category',
  'c.status',
  'c.severity',
  'c.title',
  'c.title_from',
  'c.title_to',
  'c.description',
  'c.remediation',
  'c.console_url',
  'c.action_type',
  'c.current_cost_usd',
  'c.savings_usd',
  'c.gross_savings_usd',
  'c.confidence',
  'c.priority',
  'c.evidence',
  'c.held_back_by',
  'c.still_fires',
  'c.stale_since',
  'c.snoozed_until',
  'c.generated_at',
  'c.updated_at',
] as const
const detailColumns = ['c.resource_group', 'c.specs', 'c.target_spec', 'c.tier_rates', 'c.resource_tags'] as const

type ColumnName<C extends string> = C extends `c.${infer N}` ? N : never
export type RecommendationRow = Pick<Columns, ColumnName<(typeof rowColumns)[number]>> & { account_name: string }
export type DetailRow = RecommendationRow & Pick<Columns, ColumnName<(typeof detailColumns)[number]>>

const readRows = (query: RecommendationQuery): Promise<RecommendationRow[]> =>
  query.select([...rowColumns, accountName.as('account_name')]).execute() as Promise<RecommendationRow[]>

const sortColumns = {
  savings_usd: 'c.savings_usd',
  updated_at: 'c.updated_at',
  severity: 'c.severity_rank',
  priority: 'c.priority',
} as const satisfies Record<(typeof sorts)[number], string>

/** Ties are ordered by savings, largest first, then by id. */
const applyOrder = (query: RecommendationQuery, { by, direction }: RecommendationOrder): RecommendationQuery =>
  (by === 'savings_usd'
    ? query.orderBy('c.savings_usd', direction)
    : query.orderBy(sortColumns[by], direction).orderBy('c.savings_usd', 'desc')
  ).orderBy('c.id', by === 'savings_usd' ? direction : 'desc')

export async function recommendationPage(
  em: EntityManager,
  orgId: string,
  sight: RecommendationSight,
  filter: RecommendationFilter,
  order: RecommendationOrder,
  page: Slice,
): Promise<{ items: RecommendationRow[]; total: number }> {
  const found = applyFilter(selectRecommendations(em, orgId, sight), filter)
  const [items, total] = await Promise.all([
    readRows(applyOrder(found, order).limit(page.limit).offset(page.offset)),
    countRows(found),
  ])
  return { items, total }
}

async function countRows(found: RecommendationQuery): Promise<number> {
  const [row] = await found.select(sql<number>`count(*)::int`.as('total')).execute()
  return row?.total ?? 0
}

/** Rows read at once when all are requested. */
const pageRows = 1000

/** All of them, largest savings first, read page by page. */
export async function* everyRecommendation(
  em: EntityManager,
  orgId: string,
  sight: RecommendationSight,
  filter: RecommendationFilter,
): AsyncGenerator<RecommendationRow, void> {
  const found = applyOrder(applyFilter(selectRecommendations(em, orgId, sight), filter), {
    by: 'savings_usd',
    direction: 'desc',
  })
  let last: RecommendationRow | undefined
  do {
    const { savings_usd: savings, id } = last ?? {}
    const rest =
      savings === undefined
        ? found
        : found.where(sql<boolean>`(c.savings_usd, c.id) < (${String(savings)}::numeric, ${id!})`)
    const rows = await readRows(rest.limit(pageRows))
    yield* rows
    last = rows.length < pageRows ? undefined : rows.at(-1)
  } while (last !== undefined)
}

/** All of one resource, largest savings first. */
export const recommendationsOf = (
  em: EntityManager,
  orgId: string,
  sight: RecommendationSight,
  resourceUid: string,
): Promise<RecommendationRow[]> =>
  readRows(
    applyOrder(applyFilter(selectRecommendations(em, orgId, sight), { resourceUids: [resourceUid] }), {
      by: 'savings_usd',
      direction: 'desc',
    }),
  )

/** The recommendation with this id, with all columns of its record and detail, if the caller may see it. */
export async function findRecommendation(
  em: EntityManager,
  orgId: string,
  sight: RecommendationSight,
  id: string,
): Promise<DetailRow | undefined> {
  const found = selectRecommendations(em, orgId, sight).where('c.id', '=', id)
  const [row] = await found.select([...rowColumns, ...detailColumns, accountName.as('account_name')]).execute()
  return row as DetailRow | undefined
}
