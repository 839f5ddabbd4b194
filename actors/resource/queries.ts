import type { EntityManager } from '@mikro-orm/postgresql'
import { Resource } from '#actors/resource/entity.ts'
import { isUuidOfAnyCase } from '#engine/value/id.ts'
import { providers, type CostProvider, type Provider } from '#streams/names.ts'
import { resourceStatuses, type ResourceStatus } from '#streams/resource/messages.ts'

/** Filters of the inventory; all must match. An empty list does not filter. */
export interface ResourceFilter {
  /** Part of the name or uid, ignoring case. */
  search?: string
  types?: readonly string[]
  providers?: readonly CostProvider[]
  statuses?: readonly ResourceStatus[]
  regions?: readonly string[]
  cloudAccountIds?: readonly string[]
  /** The uid of the parent. */
  parentUid?: string
  schedulable?: boolean
  /** By name of a spec: one of these values, as text; for a list, one of its elements. */
  specs?: Readonly<Record<string, readonly string[]>>
  /** Ids of teams, or `unassigned`. */
  teams?: readonly string[]
  /** Keys of effective tags, each with its value, empty for any; all must match. */
  tags?: readonly { key: string; value: string }[]
  scope?: ResourceScope
}

/** What a role may see: resources of one of these accounts or teams. */
export interface ResourceScope {
  accounts: readonly string[]
  teams: readonly string[]
}

export const sorts = ['name', 'type', 'status', 'provider', 'updated_at'] as const

export interface ResourceOrder {
  /** A column, or figures by `resourceKey`: a resource without one counts as zero. */
  by: (typeof sorts)[number] | Readonly<Record<string, number>>
  direction: 'asc' | 'desc'
}

/** The existing resource with this id, which need not be a UUID, with all columns. */
export const findResource = async (em: EntityManager, orgId: string, id: string): Promise<Resource | null> =>
  isUuidOfAnyCase(id) ? em.findOne(Resource, { orgId, deletedAt: null, id }) : null

const totalsSql = `
  SELECT provider, count(*)::int AS resources, count(*) FILTER (WHERE schedulable)::int AS schedulable
  FROM resource WHERE org_id = ? AND deleted_at IS NULL GROUP BY provider`

/** Existing resources of each provider, and how many of them can be scheduled. */
export const providerTotals = (em: EntityManager, orgId: string) =>
  em.execute<{ provider: Provider; resources: number; schedulable: number }[]>(totalsSql, [orgId])

const fieldsSql = `
  SELECT array_agg(DISTINCT type) AS types, array_agg(DISTINCT provider) AS providers,
         array_agg(DISTINCT region) AS regions, array_agg(DISTINCT status) AS statuses
  FROM resource WHERE org_id = ? AND deleted_at IS NULL`

type Fields = Record<'types' | 'providers' | 'regions' | 'statuses', string[] | null>

/**
 * The distinct values of existing resources: types and regions in alphabetical order, the others in their own order.
 */
export async function filterFields(em: EntityManager, orgId: string) {
  const [row] = await em.execute<Fields[]>(fieldsSql, [orgId])
  const words = (values: string[] | null | undefined) => (values ?? []).filter((value) => value !== '').toSorted()
  return {
    types: words(row?.types),
    providers: providers.filter((provider) => row?.providers?.includes(provider)),
    regions: words(row?.regions),
    statuses: resourceStatuses.filter((status) => row?.statuses?.includes(status)),
  }
}
