/** What is known of resources beside what discovery says: whose they are, and where their tags come from. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ResourceGroup, ResourceGroupMember } from '#actors/attribution/group-entity.ts'
import { Team, TeamResource } from '#actors/attribution/team-entity.ts'
import { ResourceTagging } from '#actors/tagging/entity.ts'
import type { Resource } from './entity.ts'
import { teamIdsOf } from './row.ts'

export interface TeamOf {
  /** `unassigned` where it has none. */
  id: string
  /** Empty for that. */
  name: string
}

/** The teams of present resources, by the ids of these. */
export async function teamsOf(em: EntityManager, orgId: string, ids: readonly string[]): Promise<Map<string, TeamOf>> {
  if (ids.length === 0) return new Map()
  const found = await teamIdsOf(em, orgId, ids)
  const teams = await em.find(Team, { orgId, id: { $in: [...new Set(found.values())] } })
  const names = new Map(teams.map(({ id, name }) => [id, name]))
  return new Map([...found].map(([resource, id]) => [resource, { id, name: names.get(id) ?? '' }]))
}

/** Whether people gave it its team by name, whatever rules say. */
export const isGivenByHand = async (em: EntityManager, { orgId, uid }: Resource): Promise<boolean> =>
  (await em.count(TeamResource, { orgId, resourceUid: uid })) > 0

/** The groups it is a member of, by name. */
export async function groupsOf(em: EntityManager, { orgId, uid }: Resource): Promise<ResourceGroup[]> {
  const memberships = await em.find(ResourceGroupMember, { orgId, resourceUid: uid }, { disableIdentityMap: true })
  const ids = memberships.map(({ groupId }) => groupId)
  return em.find(ResourceGroup, { orgId, id: { $in: ids } }, { orderBy: { name: 'asc', id: 'asc' } })
}

export interface EffectiveTag {
  key: string
  value: string
  source: 'cloud' | 'smart' | 'auto'
}

/** As reports count them, by key: the cloud's first, then what a policy gave, then what was predicted, once accepted. */
export async function tagsOf(em: EntityManager, resource: Resource): Promise<EffectiveTag[]> {
  const { orgId, cloudAccountId, uid, tags } = resource
  const given = await em.findOne(ResourceTagging, { orgId, cloudAccountId, uid, deletedAt: null }, { refresh: true })
  const by = { auto: given?.shownAuto ?? {}, smart: given?.shownSmart ?? {}, cloud: tags }
  const found = new Map<string, EffectiveTag>()
  for (const [source, own] of Object.entries(by) as [EffectiveTag['source'], Record<string, string>][])
    for (const [key, value] of Object.entries(own)) found.set(key, { key, value, source })
  return [...found.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1))
}
