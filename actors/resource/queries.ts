import type { EntityManager } from '@mikro-orm/postgresql'
import { Resource } from '#actors/resource/entity.ts'
import { isUuidOfAnyCase } from '#engine/value/id.ts'
import { providers, type CostProvider, type Provider } from '#streams/names.ts'
import { resourceStatuses, type ResourceStatus } from '#streams/resource/messages.ts'

/** What narrows the inventory; all given ones must hold. An empty list narrows nothing. */
export interface ResourceFilter {
  /** Part of the name or of the uid, in any case. */
  search?: string
  types?: readonly string[]
  providers?: readonly CostProvider[]
  statuses?: readonly ResourceStatus[]
  regions?: readonly string[]
  cloudAccountIds?: readonly string[]
  /** The uid of their parent. */
  parentUid?: string
  schedulable?: boolean
  /** By name of what producers say beyond the columns: one of these values, as text; of a list one of its elements. */
  specs?: Readonly<Record<string, readonly string[]>>
  /** Ids of teams, or `unassigned`. */
  teams?: readonly string[]
  /** Keys of effective tags, each with its value, empty for any: all must hold. */
  tags?: readonly { key: string; value: string }[]
  scope?: ResourceScope
}

/** What a role may see: resources of one of these accounts or of one of these teams. */
export interface ResourceScope {
  accounts: readonly string[]
  teams: readonly string[]
}

export const sorts = ['name', 'type', 'status', 'provider', 'updated_at'] as const

export interface ResourceOrder {
  by: (typeof sorts)[number]
  direction: 'asc' | 'desc'
}

/** The present resource of this id, which need not be a UUID, with all that is known of it. */
export const findResource = async (em: EntityManager, orgId: string, id: string): Promise<Resource | null> =>
  isUuidOfAnyCase(id) ? em.findOne(Resource, { orgId, deletedAt: null, id }) : null

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
    statuses: resourceStatuses.filter((status) => row?.statuses?.includes(status)),
  }
}
