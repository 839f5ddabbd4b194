/** Autoscaler policies as the edge shows them. Own SQL, so that lists do not read the samples. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely'
import { containing } from '#engine/value/like-pattern.ts'
import type { ResourceScope } from '#actors/resource/queries.ts'
import { within, type ResourcePlace } from '#actors/resource/row.ts'
import type { Adoption, AutoscalerMode, AutoscalerStatus, AutoscalerTerms, Trigger } from '#streams/autoscaling.ts'
import type { Provider } from '#streams/names.ts'
import type { Current, Proposal } from './entity.ts'

/** Columns of the autoscaler actor's rows, and of the records of removed policies. Times are PostgreSQL text. */
export interface PolicyRow {
  cloud_account_id: string
  target_uid: string
  policy_id: string
  provider: Provider
  target_type: string
  name: string
  mode: AutoscalerMode
  effective_mode: AutoscalerMode
  min: number
  max: number
  target_cpu_percent: number
  cooldown_seconds: number
  triggers: Trigger[]
  adoption: Adoption | null
  step: AutoscalerTerms['step']
  max_hourly_usd: number | null
  status: AutoscalerStatus
  status_reason: string
  recommendation: Proposal | null
  current: Current
  last_write_at: string | null
  created_at: string
  updated_at: string
  /** Null for existing policies. */
  removed_at: string | null
}

/** Which rows a caller may see: `scope` is that of the caller's role, if it has one. */
export interface PolicySight {
  scope?: ResourceScope
}

/** Filters of lists and counts; all must match. An empty list does not filter. */
export interface PolicyFilter {
  statuses?: readonly AutoscalerStatus[] | undefined
  modes?: readonly AutoscalerMode[] | undefined
  providers?: readonly Provider[] | undefined
  targetTypes?: readonly string[] | undefined
  cloudAccountIds?: readonly string[] | undefined
  /** Part of the name or uid of the target, ignoring case. */
  search?: string | undefined
  withRemoved?: boolean | undefined
}

export const sorts = ['name', 'created_at', 'updated_at', 'mode', 'status'] as const

export interface PolicyOrder {
  by: (typeof sorts)[number]
  direction: 'asc' | 'desc'
}

type PolicyQuery<O = object> = SelectQueryBuilder<{ p: PolicyRow }, 'p', O>

const sharedColumns =
  sql.raw(`cloud_account_id, target_uid, policy_id, provider, target_type, name, mode, effective_mode, min, max,
  target_cpu_percent, cooldown_seconds, triggers, adoption, step, max_hourly_usd, current, last_write_at, created_at, updated_at`)

const live = (orgId: string): RawBuilder<PolicyRow> => sql`(
  SELECT ${sharedColumns}, status, status_reason, recommendation, NULL::timestamptz AS removed_at
  FROM autoscaler_policy WHERE org_id = ${orgId})`

const all = (orgId: string): RawBuilder<PolicyRow> => sql`(
  SELECT ${sharedColumns}, status, status_reason, recommendation, NULL::timestamptz AS removed_at
  FROM autoscaler_policy WHERE org_id = ${orgId}
  UNION ALL
  SELECT ${sharedColumns}, 'removed', '', NULL, removed_at FROM autoscaler_removed WHERE org_id = ${orgId})`

/** The target in a statement: anyone who sees it sees its policy. */
const placeIn = (orgId: string): ResourcePlace => ({
  org: sql`${orgId}`,
  account: sql`p.cloud_account_id`,
  uid: sql`p.target_uid`,
})

const selectPolicies = (em: EntityManager, orgId: string, { scope }: PolicySight, withRemoved = false): PolicyQuery =>
  em
    .getKysely()
    .selectFrom((withRemoved ? all(orgId) : live(orgId)).as('p'))
    .$if(scope !== undefined, (q) => q.where(within(scope!, placeIn(orgId)))) as unknown as PolicyQuery

/** The columns of filters by value. */
const columns = {
  statuses: 'p.status',
  modes: 'p.mode',
  providers: 'p.provider',
  targetTypes: 'p.target_type',
  cloudAccountIds: 'p.cloud_account_id',
} as const satisfies Partial<Record<keyof PolicyFilter, string>>

function selectFiltered(em: EntityManager, orgId: string, sight: PolicySight, filter: PolicyFilter): PolicyQuery {
  const like = filter.search ? containing(filter.search) : undefined
  const names = Object.keys(columns) as (keyof typeof columns)[]
  return names
    .filter((name) => filter[name]?.length)
    .reduce(
      (q, name) => q.where(columns[name], 'in', [...filter[name]!] as never),
      selectPolicies(em, orgId, sight, filter.withRemoved),
    )
    .$if(like !== undefined, (q) =>
      q.where((is) => is.or([is('p.name', 'ilike', like!), is('p.target_uid', 'ilike', like!)])),
    )
}

const total = sql<number>`count(*)::int`

/** A page of policies; ties are ordered by id. */
export async function policyPage(
  em: EntityManager,
  orgId: string,
  sight: PolicySight,
  filter: PolicyFilter,
  { by, direction }: PolicyOrder,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: PolicyRow[]; total: number }> {
  const found = selectFiltered(em, orgId, sight, filter)
  const page = found.orderBy(`p.${by}`, direction).orderBy('p.policy_id').limit(limit).offset(offset)
  const [items, counted] = await Promise.all([
    page.selectAll().execute(),
    found.select(total.as('total')).executeTakeFirstOrThrow(),
  ])
  return { items, total: counted.total }
}

/** Number of policies for each status that occurs. */
export async function policyCounts(
  em: EntityManager,
  orgId: string,
  sight: PolicySight,
  filter: PolicyFilter,
): Promise<ReadonlyMap<AutoscalerStatus, number>> {
  const rows = await selectFiltered(em, orgId, sight, filter)
    .select(['p.status', total.as('count')])
    .groupBy('p.status')
    .execute()
  return new Map(rows.map(({ status, count }) => [status, count]))
}

/** The policy with this id, if the caller may see it. */
export const findPolicy = (
  em: EntityManager,
  orgId: string,
  sight: PolicySight,
  id: string,
  withRemoved = false,
): Promise<PolicyRow | undefined> =>
  selectPolicies(em, orgId, sight, withRemoved).where('p.policy_id', '=', id).selectAll().executeTakeFirst()

/** The policies among these ids that the caller may see. */
export async function policiesSeen(
  em: EntityManager,
  orgId: string,
  sight: PolicySight,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await selectPolicies(em, orgId, sight)
    .where('p.policy_id', 'in', [...ids])
    .select('p.policy_id')
    .execute()
  return new Set(rows.map(({ policy_id }) => policy_id))
}

export interface PolicyWords {
  modes: string[]
  targets: string[]
  cloudAccounts: { id: string; name: string }[]
}

/** The name of an account, or its id if it has none. */
const accountName = (orgId: string) => sql<string>`coalesce(
  (SELECT a.name FROM cloud_account AS a WHERE a.org_id = ${orgId} AND a.id = p.cloud_account_id), p.cloud_account_id)`

/** Values that occur in the policies, without repeats, sorted. */
export async function policyWords(em: EntityManager, orgId: string, sight: PolicySight): Promise<PolicyWords> {
  const found = selectPolicies(em, orgId, sight)
  const [modes, targets, cloudAccounts] = await Promise.all([
    found.select('p.mode').distinct().orderBy('p.mode').execute(),
    found.select('p.target_type').distinct().orderBy('p.target_type').execute(),
    found
      .select(['p.cloud_account_id as id', accountName(orgId).as('name')])
      .distinct()
      .orderBy('name')
      .orderBy('id')
      .execute(),
  ])
  return {
    modes: modes.map(({ mode }) => mode),
    targets: targets.map(({ target_type }) => target_type),
    cloudAccounts,
  }
}
