/** Suggestions and derived tags as the edge shows them, with facts of their resources from the inventory. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql, type Nullable, type SelectQueryBuilder } from 'kysely'
import type { ResourceScope } from '#actors/resource/queries.ts'
import { within } from '#actors/resource/row.ts'
import { containing } from '#engine/value/like-pattern.ts'
import type { Provider } from '#streams/names.ts'
import type { Environment } from '#streams/tagging.ts'

/** Columns of the tagging actor's rows. Times are PostgreSQL text. */
interface Tagging {
  org_id: string
  cloud_account_id: string
  uid: string
  id: string
  has_prediction: boolean
  predicted_env: Environment | ''
  predicted_no_stop: boolean
  extra_tags: Record<string, string>
  confidence: number
  reason: string
  accepted_at: string | null
  rejected_at: string | null
  suggested_at: string | null
  updated_at: string | null
  derived: Record<string, string>
  accepted: Record<string, string>
  deleted_at: string | null
}

interface Resource {
  org_id: string
  cloud_account_id: string
  uid: string
  name: string
  type: string
  provider: Provider
}

interface Tables {
  resource_tagging: Tagging
  resource: Resource
}

interface NamedResource {
  cloud_account_id: string
  uid: string
  name: string
  type: string
  provider: Provider
}

export interface SuggestionRow
  extends NamedResource, Omit<Tagging, 'derived' | 'accepted' | 'deleted_at' | 'has_prediction'> {}
export interface SmartTagRow extends NamedResource, Pick<Tagging, 'derived' | 'accepted'> {}

/** Which rows a caller may see: `scope` is that of the caller's role, if it has one. */
export interface Sight {
  confidenceMin: number
  scope?: ResourceScope
}

export const suggestionStatuses = ['pending', 'accepted', 'rejected'] as const
export type SuggestionStatus = (typeof suggestionStatuses)[number]
export const smartTagStatuses = ['pending', 'accepted'] as const
export type SmartTagStatus = (typeof smartTagStatuses)[number]

interface Filter<S> {
  status?: S | undefined
  provider?: Provider | undefined
}

export interface SuggestionFilter extends Filter<SuggestionStatus> {
  /** Percent. */
  confidenceMin?: number | undefined
  /** Part of the resource's name or UID. */
  search?: string | undefined
}

interface Slice {
  limit: number
  offset: number
}

type TaggingQuery<O = object> = SelectQueryBuilder<{ t: Tagging; r: Nullable<Resource> }, 't' | 'r', O>

/** If several accounts share a uid, the one observed last counts, as in the inventory. */
const newest = sql<boolean>`NOT EXISTS (
  SELECT FROM resource_tagging AS later
  WHERE later.org_id = t.org_id AND later.uid = t.uid AND later.deleted_at IS NULL AND later.cloud_account_id <> t.cloud_account_id
    AND (SELECT (other.observed_at, later.cloud_account_id) > (own.observed_at, t.cloud_account_id)
      FROM resource AS other, resource AS own
      WHERE other.org_id = later.org_id AND other.cloud_account_id = later.cloud_account_id AND other.uid = later.uid
        AND own.org_id = t.org_id AND own.cloud_account_id = t.cloud_account_id AND own.uid = t.uid))`

/**
 * Each has a row in the inventory. A query that only counts is not slowed by it: PostgreSQL removes a left join by key
 * if nothing of it is read.
 */
const selectTaggings = (em: EntityManager, orgId: string, scope: ResourceScope | undefined): TaggingQuery =>
  em
    .getKysely<Tables>()
    .selectFrom('resource_tagging as t')
    .leftJoin('resource as r', (on) =>
      on
        .onRef('r.org_id', '=', 't.org_id')
        .onRef('r.cloud_account_id', '=', 't.cloud_account_id')
        .onRef('r.uid', '=', 't.uid'),
    )
    .where('t.org_id', '=', orgId)
    .where('t.deleted_at', 'is', null)
    .where(newest)
    .$if(scope !== undefined, (q) => q.where(within(scope!)))

async function countRows(found: TaggingQuery): Promise<number> {
  const [row] = await found.select(sql<number>`count(*)::int`.as('total')).execute()
  return row?.total ?? 0
}

const selectSuggested = (em: EntityManager, orgId: string, { confidenceMin, scope }: Sight): TaggingQuery =>
  selectTaggings(em, orgId, scope).where('t.has_prediction', '=', true).where('t.confidence', '>=', confidenceMin)

const inStatus: Readonly<Record<SuggestionStatus, (q: TaggingQuery) => TaggingQuery>> = {
  pending: (q) => q.where('t.accepted_at', 'is', null).where('t.rejected_at', 'is', null),
  accepted: (q) => q.where('t.accepted_at', 'is not', null),
  rejected: (q) => q.where('t.rejected_at', 'is not', null),
}

function suggestions(em: EntityManager, orgId: string, sight: Sight, filter: SuggestionFilter): TaggingQuery {
  const { status, provider, confidenceMin, search } = filter
  const all = selectSuggested(em, orgId, sight)
  const like = search ? containing(search) : undefined
  return (status ? inStatus[status](all) : all)
    .$if(provider !== undefined, (q) => q.where('r.provider', '=', provider!))
    .$if(confidenceMin !== undefined, (q) => q.where('t.confidence', '>=', confidenceMin!))
    .$if(like !== undefined, (q) => q.where((is) => is.or([is('r.name', 'ilike', like!), is('t.uid', 'ilike', like!)])))
}

const resourceColumns = [
  't.cloud_account_id',
  't.uid',
  sql<string>`r.name`.as('name'),
  sql<string>`r.type`.as('type'),
  sql<Provider>`r.provider`.as('provider'),
] as const

const asSuggestions = (found: TaggingQuery): Promise<SuggestionRow[]> =>
  found
    .select([
      ...resourceColumns,
      't.org_id',
      't.id',
      't.predicted_env',
      't.predicted_no_stop',
      't.extra_tags',
      't.confidence',
      't.reason',
      't.accepted_at',
      't.rejected_at',
      't.suggested_at',
      't.updated_at',
    ])
    .execute()

/** A page of suggestions, highest confidence first, then by name. */
export async function suggestionPage(
  em: EntityManager,
  orgId: string,
  sight: Sight,
  filter: SuggestionFilter,
  page: Slice,
): Promise<{ items: SuggestionRow[]; total: number }> {
  const found = suggestions(em, orgId, sight, filter)
  const ordered = found.orderBy('t.confidence', 'desc').orderBy('r.name').orderBy('t.uid')
  const [items, total] = await Promise.all([
    asSuggestions(ordered.limit(page.limit).offset(page.offset)),
    countRows(found),
  ])
  return { items, total }
}

export const suggestionCount = (
  em: EntityManager,
  orgId: string,
  sight: Sight,
  filter: SuggestionFilter,
): Promise<number> => countRows(suggestions(em, orgId, sight, filter))

/** The suggestion for a resource, if the caller may see it. */
export async function findSuggestion(
  em: EntityManager,
  orgId: string,
  sight: Sight,
  uid: string,
): Promise<SuggestionRow | undefined> {
  const [row] = await asSuggestions(selectSuggested(em, orgId, sight).where('t.uid', '=', uid))
  return row
}

/** Whether any derived tag is not accepted with its value. */
const isPending = sql<boolean>`NOT t.accepted @> t.derived`
const isAccepted = sql<boolean>`t.accepted <> '{}'::jsonb`

const entries = (em: EntityManager, orgId: string, scope: ResourceScope | undefined): TaggingQuery =>
  selectTaggings(em, orgId, scope).where(sql<boolean>`(t.derived <> '{}'::jsonb OR ${isAccepted})`)

const asEntries = (found: TaggingQuery): Promise<SmartTagRow[]> =>
  found.select([...resourceColumns, 't.derived', 't.accepted']).execute()

/** A page of derived or accepted tags, by name of the resource. */
export const smartTagPage = (
  em: EntityManager,
  orgId: string,
  scope: ResourceScope | undefined,
  { status, provider }: Filter<SmartTagStatus>,
  page: Slice,
): Promise<SmartTagRow[]> =>
  asEntries(
    entries(em, orgId, scope)
      .$if(status !== undefined, (q) => q.where(status === 'pending' ? isPending : isAccepted))
      .$if(provider !== undefined, (q) => q.where('r.provider', '=', provider!))
      .orderBy('r.name')
      .orderBy('t.uid')
      .limit(page.limit)
      .offset(page.offset),
  )

/** Number of resources with pending tags, and with accepted ones. */
export async function smartTagCounts(
  em: EntityManager,
  orgId: string,
  scope: ResourceScope | undefined,
): Promise<{ pending: number; accepted: number }> {
  const [row] = await entries(em, orgId, scope)
    .select([
      sql<number>`(count(*) FILTER (WHERE ${isPending}))::int`.as('pending'),
      sql<number>`(count(*) FILTER (WHERE ${isAccepted}))::int`.as('accepted'),
    ])
    .execute()
  return row!
}

/** The tags of a resource, derived or not, if the caller may see it. */
export async function findSmartTags(
  em: EntityManager,
  orgId: string,
  scope: ResourceScope | undefined,
  uid: string,
): Promise<SmartTagRow | undefined> {
  const [row] = await asEntries(selectTaggings(em, orgId, scope).where('t.uid', '=', uid))
  return row
}

/** Progress of a policy: resources that were last evaluated with older policies, and those whose tag was left out. */
export interface PolicyProgress {
  pending: number
  cut: number
}

/** For each of these policies, by id. */
export async function standings(
  em: EntityManager,
  orgId: string,
  policies: readonly { id: string; setVersion: number }[],
): Promise<Map<string, PolicyProgress>> {
  const db = em.getKysely<Tables>()
  const [versions, cut] = await Promise.all([
    sql<{ version: number; n: number }>`
      SELECT policy_version AS version, count(*)::int AS n FROM resource_tagging
      WHERE org_id = ${orgId} AND deleted_at IS NULL GROUP BY policy_version`.execute(db),
    sql<{ id: string; n: number }>`
      SELECT left_out.id AS id, count(*)::int AS n
      FROM resource_tagging AS t CROSS JOIN LATERAL jsonb_array_elements_text(t.left_out) AS left_out(id)
      WHERE t.org_id = ${orgId} AND t.deleted_at IS NULL AND t.left_out <> '[]'::jsonb GROUP BY left_out.id`.execute(
      db,
    ),
  ])
  const older = (than: number) =>
    versions.rows.filter(({ version }) => version < than).reduce((sum, { n }) => sum + n, 0)
  return new Map(
    policies.map(({ id, setVersion }) => [
      id,
      { pending: older(setVersion), cut: cut.rows.find((one) => one.id === id)?.n ?? 0 },
    ]),
  )
}
