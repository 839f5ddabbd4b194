import type { EntityManager } from '@mikro-orm/postgresql'
import { accountNames, containing } from '#actors/account/queries.ts'
import { Resource } from '#actors/resource/entity.ts'
import { providers, type Provider } from '#streams/names.ts'
import { statuses, type Status } from '#streams/resource.ts'

/** What narrows the inventory; all given ones must hold. An empty list narrows nothing. */
export interface ResourceFilter {
  /** Part of the name or of the uid, in any case. */
  search?: string
  types?: readonly string[]
  providers?: readonly Provider[]
  statuses?: readonly Status[]
  regions?: readonly string[]
  cloudAccountIds?: readonly string[]
  schedulable?: boolean
}

export const sorts = ['name', 'type', 'status', 'provider'] as const

export interface ResourceOrder {
  by: (typeof sorts)[number]
  direction: 'asc' | 'desc'
}

/** A resource with what is worked out when it is read. */
export interface Listed {
  resource: Resource
  cloudAccountName: string
  childCount: number
}

const oneOf = (values: readonly string[] | undefined) => (values?.length ? { $in: [...values] } : undefined)

function where(orgId: string, filter: ResourceFilter) {
  const like = filter.search ? { $ilike: containing(filter.search) } : undefined
  const parts = {
    type: oneOf(filter.types),
    provider: oneOf(filter.providers),
    status: oneOf(filter.statuses) as { $in: Status[] } | undefined,
    region: oneOf(filter.regions),
    cloudAccountId: oneOf(filter.cloudAccountIds),
    schedulable: filter.schedulable,
    $or: like && [{ name: like }, { uid: like }],
  }
  const given = Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as Partial<
    typeof parts
  >
  return { orgId, deletedAt: null, ...given }
}

/** A page of the inventory. Ties are broken by name, then id, always upwards. */
export async function listResources(
  em: EntityManager,
  orgId: string,
  filter: ResourceFilter,
  { by, direction }: ResourceOrder,
  page: { limit: number; offset: number },
): Promise<{ items: Listed[]; total: number }> {
  const orderBy = [{ [by]: direction }, ...(by === 'name' ? [] : [{ name: 'asc' as const }]), { id: 'asc' as const }]
  const [found, total] = await em.findAndCount(Resource, where(orgId, filter) as object, { ...page, orderBy })
  return { items: await listed(em, orgId, found), total }
}

export const countResources = (em: EntityManager, orgId: string, filter: ResourceFilter): Promise<number> =>
  em.count(Resource, where(orgId, filter) as object)

/** The present resource of this id, which need not be a UUID. */
export async function findResource(em: EntityManager, orgId: string, id: string): Promise<Listed | undefined> {
  return (await resourcesByIds(em, orgId, [id]))[0]
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The present ones of these ids, by name. */
export async function resourcesByIds(em: EntityManager, orgId: string, ids: readonly string[]): Promise<Listed[]> {
  const known = ids.filter((id) => uuid.test(id))
  if (known.length === 0) return []
  return listed(em, orgId, await em.find(Resource, { orgId, deletedAt: null, id: { $in: known } }, byName))
}

/** The present ones of these uids, by name; several, where accounts share a uid. */
export async function resourcesByUids(em: EntityManager, orgId: string, uids: readonly string[]): Promise<Listed[]> {
  if (uids.length === 0) return []
  return listed(em, orgId, await em.find(Resource, { orgId, deletedAt: null, uid: { $in: [...uids] } }, byName))
}

const byName = { orderBy: { name: 'asc', id: 'asc' } } as const

/** Adds account names and child counts, with one query each however many resources there are. */
async function listed(em: EntityManager, orgId: string, found: readonly Resource[]): Promise<Listed[]> {
  if (found.length === 0) return []
  const names = await accountNames(
    em,
    orgId,
    found.map((r) => r.cloudAccountId),
  )
  const children = await childCounts(em, orgId, found)
  return found.map((resource) => ({
    resource,
    cloudAccountName: names.get(resource.cloudAccountId) ?? resource.cloudAccountId,
    childCount: children.get(place(resource.cloudAccountId, resource.uid)) ?? 0,
  }))
}

const place = (account: string, uid: string): string => JSON.stringify([account, uid])

const childrenSql = `
  SELECT child.cloud_account_id AS account, child.parent_uid AS uid, count(*)::int AS children
  FROM json_to_recordset(?::json) AS parent (account text, uid text)
  JOIN resource AS child ON child.org_id = ? AND child.cloud_account_id = parent.account AND child.parent_uid = parent.uid
  WHERE child.deleted_at IS NULL
  GROUP BY 1, 2`

async function childCounts(em: EntityManager, orgId: string, found: readonly Resource[]): Promise<Map<string, number>> {
  const parents = JSON.stringify(found.map((r) => ({ account: r.cloudAccountId, uid: r.uid })))
  const rows = await em.execute<{ account: string; uid: string; children: number }[]>(childrenSql, [parents, orgId])
  return new Map(rows.map(({ account, uid, children }) => [place(account, uid), children]))
}

const totalsSql = `
  SELECT provider, count(*)::int AS resources, count(*) FILTER (WHERE schedulable)::int AS schedulable
  FROM resource WHERE org_id = ? AND deleted_at IS NULL GROUP BY provider`

/** How many present resources each provider has, and how many of them can be scheduled. */
export const providerTotals = (em: EntityManager, orgId: string) =>
  em.execute<{ provider: Provider; resources: number; schedulable: number }[]>(totalsSql, [orgId])

const fieldsSql = `
  SELECT array_agg(DISTINCT type) AS types, array_agg(DISTINCT provider) AS providers,
         array_agg(DISTINCT region) AS regions, array_agg(DISTINCT status) AS statuses
  FROM resource WHERE org_id = ? AND deleted_at IS NULL`

type Fields = Record<'types' | 'providers' | 'regions' | 'statuses', string[] | null>

/** The distinct values that present resources have: types and regions in order of the alphabet, the others in their own. */
export async function filterFields(em: EntityManager, orgId: string) {
  const [row] = await em.execute<Fields[]>(fieldsSql, [orgId])
  const words = (values: string[] | null | undefined) => (values ?? []).filter((value) => value !== '').toSorted()
  return {
    types: words(row?.types),
    providers: providers.filter((provider) => row?.providers?.includes(provider)),
    regions: words(row?.regions),
    statuses: statuses.filter((status) => row?.statuses?.includes(status)),
  }
}
