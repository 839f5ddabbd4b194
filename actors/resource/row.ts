/**
 * Resources as the edge shows them, read in one statement with the name of their account and their number of children.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { resourceState } from '#analytics/resource/tables.ts'
import { acceptedTag } from '#analytics/tagging/tables.ts'
import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely'
import { isUuidOfAnyCase } from '#engine/value/id.ts'
import { containing } from '#engine/value/like-pattern.ts'
import type { ResourceFilter, ResourceOrder, ResourceScope } from './queries.ts'
import type { Provider } from '#streams/names.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'

/** Columns of the resource actor's rows. Times are PostgreSQL text. */
interface Columns {
  org_id: string
  cloud_account_id: string
  uid: string
  id: string
  name: string
  type: string
  provider: Provider
  region: string
  status: ResourceStatus
  instance_type: string
  size_gb: number | null
  unit_count: number | null
  parent_uid: string
  schedulable: boolean
  tags: Record<string, string>
  specs: Record<string, unknown>
  created_at: string
  updated_at: string
  deleted_at: string | null
}

interface Tables {
  resource: Columns
  cloud_account: { org_id: string; id: string; name: string }
}

/** Not tracked like entities, which took nine tenths of the time of reading them. */
export interface ResourceRow extends Omit<Columns, 'org_id' | 'specs' | 'deleted_at'> {
  /** Its account, and whether that has no credentials; null if there is no such account. */
  account: { name: string; provider: string; externalId: string; isFed: boolean } | null
  children: number
}

type Present<O = object> = SelectQueryBuilder<{ r: Columns }, 'r', O>

const present = (em: EntityManager, orgId: string): Present =>
  em.getKysely<Tables>().selectFrom('resource as r').where('r.org_id', '=', orgId).where('r.deleted_at', 'is', null)

/** Counts, or returns a cached number. `tables`: fact tables that are written with every change of what is counted. */
export type Counting = <T>(
  what: { name: string; params: object; tables: readonly { name: string }[] },
  count: () => Promise<T>,
) => Promise<T>

/** A page of the inventory. Ties are ordered by name, then id, always ascending. `counting` provides the total. */
export async function resourcePage(
  { em, counting }: { em: EntityManager; counting: Counting },
  orgId: string,
  filter: ResourceFilter,
  order: ResourceOrder,
  page: { limit: number; offset: number },
): Promise<{ items: ResourceRow[]; total: number }> {
  const found = applyFilter(present(em, orgId), filter)
  const [items, total] = await Promise.all([
    complete(cut(applyOrder(found, order), page)),
    countMatching(found, filter, counting),
  ])
  return { items, total }
}

/**
 * The bounds are part of the SQL text: as parameters PostgreSQL would expect many rows, and plan the statement again
 * each time.
 */
const cut = (query: Present, { limit, offset }: { limit: number; offset: number }): Present =>
  query.limit(sql.lit(limit)).$if(offset > 0, (q) => q.offset(offset))

/** Number of existing resources that match. */
export const resourceCount = (
  { em, counting }: { em: EntityManager; counting: Counting },
  orgId: string,
  filter: ResourceFilter,
): Promise<number> => countMatching(applyFilter(present(em, orgId), filter), filter, counting)

/** Number of matching existing resources for each provider that has any. */
export async function resourcesOfProviders(
  { em, counting }: { em: EntityManager; counting: Counting },
  orgId: string,
  filter: ResourceFilter,
): Promise<ReadonlyMap<Provider, number>> {
  const found = applyFilter(present(em, orgId), filter)
  const count = () =>
    found
      .select(['r.provider', sql<number>`count(*)::int`.as('resources')])
      .groupBy('r.provider')
      .execute()
  const rows = await countCached('resources of providers', filter, counting, count)
  return new Map(rows.map(({ provider, resources }) => [provider, resources]))
}

/**
 * Every change of a resource is also in the table of states, and accepted tags are in theirs. Teams have no such table,
 * so a filter by teams is counted each time.
 */
function countCached<T>(name: string, filter: ResourceFilter, counting: Counting, count: () => Promise<T>): Promise<T> {
  const { teams = [], tags = [], scope } = filter
  if (teams.length > 0 || scope !== undefined) return count()
  const tables = tags.length > 0 ? [resourceState, acceptedTag] : [resourceState]
  return counting({ name, params: filter, tables }, count)
}

const countMatching = (found: Present, filter: ResourceFilter, counting: Counting): Promise<number> =>
  countCached('resources', filter, counting, () => countRows(found))

export interface ResourceCount {
  provider: Provider
  account: string
  type: string
  resources: number
}

/** Number of matching existing resources by provider, account and type, in this order. */
export const resourceCounts = (em: EntityManager, orgId: string, filter: ResourceFilter): Promise<ResourceCount[]> =>
  applyFilter(present(em, orgId), filter)
    .select(['r.provider', 'r.cloud_account_id as account', 'r.type', sql<number>`count(*)::int`.as('resources')])
    .groupBy(['r.provider', 'r.cloud_account_id', 'r.type'])
    .orderBy('r.provider')
    .orderBy('r.cloud_account_id')
    .orderBy('r.type')
    .execute()

async function countRows(found: Present): Promise<number> {
  const [row] = await found.select(sql<number>`count(*)::int`.as('total')).execute()
  return row?.total ?? 0
}

/** The existing resources with these ids, which need not be UUIDs, by name. */
export async function resourcesOfIds(em: EntityManager, orgId: string, ids: readonly string[]): Promise<ResourceRow[]> {
  const known = ids.filter(isUuidOfAnyCase)
  return known.length === 0 ? [] : complete(applyOrder(present(em, orgId).where('r.id', 'in', known), byName))
}

/** The existing resources with these uids, by name; several if accounts share a uid. */
export async function resourcesOfUids(
  em: EntityManager,
  orgId: string,
  uids: readonly string[],
  filter: Pick<ResourceFilter, 'scope'> = {},
): Promise<ResourceRow[]> {
  if (uids.length === 0) return []
  return complete(applyOrder(applyFilter(present(em, orgId), filter).where('r.uid', 'in', [...uids]), byName))
}

const byName = { by: 'name', direction: 'asc' } as const

/** Expressions for the organization, account and uid of a resource in a statement. */
export interface ResourcePlace {
  org: RawBuilder<unknown>
  account: RawBuilder<unknown>
  uid: RawBuilder<unknown>
}

const ofResource: ResourcePlace = { org: sql`r.org_id`, account: sql`r.cloud_account_id`, uid: sql`r.uid` }

/** The team of a resource: assigned manually, otherwise by rule, otherwise `unassigned`. */
export const teamAt = ({ org, account, uid }: ResourcePlace) => sql<string>`coalesce(
  (SELECT team_id FROM team_resource AS own WHERE own.org_id = ${org} AND own.resource_uid = ${uid}),
  (SELECT team_id FROM allocated_resource AS ruled
    WHERE ruled.org_id = ${org} AND ruled.cloud_account_id = ${account} AND ruled.resource_uid = ${uid}),
  'unassigned')`
const teamOf = teamAt(ofResource)

/** The value of a tag in reports: the cloud's, otherwise set by a policy, otherwise a prediction that was accepted. */
const effectiveTag = (key: string) => sql<string | null>`coalesce(r.tags ->> ${key}::text, (
  SELECT coalesce(t.shown_smart ->> ${key}::text, t.shown_auto ->> ${key}::text) FROM resource_tagging AS t
  WHERE t.org_id = r.org_id AND t.cloud_account_id = r.cloud_account_id AND t.uid = r.uid AND t.deleted_at IS NULL))`

const hasTag = ({ key, value }: { key: string; value: string }) =>
  value === '' ? sql<boolean>`${effectiveTag(key)} IS NOT NULL` : sql<boolean>`${effectiveTag(key)} = ${value}`

/** The teams of existing resources, by resource id. */
export async function teamIdsOf(
  em: EntityManager,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await present(em, orgId)
    .where('r.id', 'in', [...ids])
    .select(['r.id', teamOf.as('team')])
    .execute()
  return new Map(rows.map(({ id, team }) => [id, team]))
}

/** Whether the resource, by default `r`, is within what a role may see. An empty list allows none. */
export const within = ({ accounts, teams }: ResourceScope, at: ResourcePlace = ofResource) =>
  sql<boolean>`(${among(at.account, accounts)} OR ${among(teamAt(at), teams)})`

const among = (value: RawBuilder<unknown>, of: readonly string[]) =>
  of.length === 0 ? sql<boolean>`false` : sql<boolean>`${value} IN (${sql.join([...of])})`

/** Whether the spec has one of the values, or is a list that contains one. */
const spec = (name: string, values: readonly string[]) => sql<boolean>`
  CASE jsonb_typeof(r.specs -> ${name}::text)
    WHEN 'array' THEN EXISTS (
      SELECT FROM jsonb_array_elements_text(r.specs -> ${name}::text) AS element WHERE element IN (${sql.join(values)}))
    ELSE r.specs ->> ${name}::text IN (${sql.join(values)})
  END`

/** All filters must match; an empty list does not filter. */
function applyFilter(query: Present, filter: ResourceFilter): Present {
  const {
    search,
    types,
    providers,
    statuses,
    regions,
    cloudAccountIds,
    schedulable,
    parentUid,
    teams,
    scope,
    specs = {},
    tags = [],
  } = filter
  const like = search ? containing(search) : undefined
  const wanted = Object.entries(specs).filter(([, values]) => values.length > 0)
  return wanted
    .reduce((q, [name, values]) => q.where(spec(name, values)), query)
    .$call((q) => tags.reduce((narrower, tag) => narrower.where(hasTag(tag)), q))
    .$if(!!types?.length, (q) => q.where('r.type', 'in', types!))
    .$if(!!providers?.length, (q) => q.where('r.provider', 'in', providers as readonly Provider[]))
    .$if(!!statuses?.length, (q) => q.where('r.status', 'in', statuses!))
    .$if(!!regions?.length, (q) => q.where('r.region', 'in', regions!))
    .$if(!!cloudAccountIds?.length, (q) => q.where('r.cloud_account_id', 'in', cloudAccountIds!))
    .$if(parentUid !== undefined, (q) => q.where('r.parent_uid', '=', parentUid!))
    .$if(!!teams?.length, (q) => q.where(teamOf, 'in', [...teams!]))
    .$if(scope !== undefined, (q) => q.where(within(scope!)))
    .$if(schedulable !== undefined, (q) => q.where('r.schedulable', '=', schedulable!))
    .$if(like !== undefined, (q) => q.where((is) => is.or([is('r.name', 'ilike', like!), is('r.uid', 'ilike', like!)])))
}

/**
 * The index for pages by name has `deleted_at` before the name, so PostgreSQL needs it in the order, although it is
 * always null here.
 */
const applyOrder = (query: Present, { by, direction }: ResourceOrder): Present =>
  (by === 'name'
    ? query.orderBy('r.deleted_at', direction).orderBy('r.name', direction)
    : query.orderBy(typeof by === 'string' ? sql.ref(`r.${by}`) : figureIn(by), direction).orderBy('r.name', 'asc')
  ).orderBy('r.id', 'asc')

/** An account and a uid as one text; accounts have no space in their id. */
export const resourceKey = (account: string, uid: string): string => `${account} ${uid}`

/** As JSON: an object of 10,000 keys is searched by halves. */
const figureIn = (figures: Readonly<Record<string, number>>) =>
  sql<number>`coalesce((${JSON.stringify(figures)}::jsonb ->> (r.cloud_account_id || ' ' || r.uid))::float8, 0)`

/** Children are counted for each row: a join would read the whole inventory although few resources have any. */
const complete = (query: Present): Promise<ResourceRow[]> =>
  query
    .select([
      'r.id',
      'r.cloud_account_id',
      'r.uid',
      'r.name',
      'r.type',
      'r.provider',
      'r.region',
      'r.status',
      'r.instance_type',
      'r.size_gb',
      'r.unit_count',
      'r.parent_uid',
      'r.schedulable',
      'r.tags',
      'r.created_at',
      'r.updated_at',
      sql<
        ResourceRow['account']
      >`(SELECT json_build_object('name', a.name, 'provider', a.provider, 'externalId', a.external_id, 'isFed', a.credentials IS NULL)
        FROM cloud_account AS a WHERE a.org_id = r.org_id AND a.id = r.cloud_account_id)`.as('account'),
      sql<number>`(SELECT count(*)::int FROM resource AS child WHERE child.org_id = r.org_id AND child.cloud_account_id = r.cloud_account_id AND child.parent_uid = r.uid AND child.deleted_at IS NULL)`.as(
        'children',
      ),
    ])
    .execute()
