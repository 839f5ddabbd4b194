/** The team and groups of single resources. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Resource } from '#actors/resource/entity.ts'
import { teamIdsOf } from '#actors/resource/row.ts'
import { ResourceGroup, ResourceGroupMember } from '#actors/attribution/group/entity.ts'
import { Team, TeamResource } from '#actors/attribution/team/entity.ts'

export interface TeamOf {
  /** `unassigned` if it has no team. */
  id: string
  /** Empty if it has no team. */
  name: string
}

/** The teams of existing resources, by resource id. */
export async function teamsOf(em: EntityManager, orgId: string, ids: readonly string[]): Promise<Map<string, TeamOf>> {
  if (ids.length === 0) return new Map()
  const found = await teamIdsOf(em, orgId, ids)
  const teams = await em.find(Team, { orgId, id: { $in: [...new Set(found.values())] } })
  const names = new Map(teams.map(({ id, name }) => [id, name]))
  return new Map([...found].map(([resource, id]) => [resource, { id, name: names.get(id) ?? '' }]))
}

/** Whether a person assigned its team, which rules do not change. */
export const isGivenByHand = async (em: EntityManager, { orgId, uid }: Resource): Promise<boolean> =>
  (await em.count(TeamResource, { orgId, resourceUid: uid })) > 0

/** The groups it is a member of, by name. */
export async function groupsOf(em: EntityManager, { orgId, uid }: Resource): Promise<ResourceGroup[]> {
  const memberships = await em.find(ResourceGroupMember, { orgId, resourceUid: uid }, { disableIdentityMap: true })
  const ids = memberships.map(({ groupId }) => groupId)
  return em.find(ResourceGroup, { orgId, id: { $in: ids } }, { orderBy: { name: 'asc', id: 'asc' } })
}
