import type { EntityManager } from '@mikro-orm/postgresql'
import { containing } from '#engine/value/like-pattern.ts'
import { Fault } from '#engine/value/fault.ts'
import { ResourceGroup, ResourceGroupMember } from './entity.ts'

/** The current row, even if the entity manager has read it before. */
export const findGroup = (em: EntityManager, orgId: string, id: string): Promise<ResourceGroup | null> =>
  em.findOne(ResourceGroup, { orgId, id }, { refresh: true })

/** @throws Fault `missing` */
export async function foundGroup(em: EntityManager, orgId: string, id: string): Promise<ResourceGroup> {
  const group = await findGroup(em, orgId, id)
  if (!group) throw Fault.missing('resource group', id)
  return group
}

/** A page of groups, by name: those whose name contains `search`. */
export async function listGroups(
  em: EntityManager,
  orgId: string,
  search: string | undefined,
  page: { limit: number; offset: number },
): Promise<{ items: ResourceGroup[]; total: number }> {
  const where = { orgId, ...(search && { name: { $ilike: containing(search) } }) }
  const [items, total] = await em.findAndCount(ResourceGroup, where, { ...page, orderBy: { name: 'asc', id: 'asc' } })
  return { items, total }
}

/** The id of the group with this name, ignoring case. */
export async function groupNamed(em: EntityManager, orgId: string, name: string): Promise<string | undefined> {
  const sql = 'select id from resource_group where org_id = ? and lower(name) = lower(?)'
  const [row] = await em.execute<{ id: string }[]>(sql, [orgId, name])
  return row?.id
}

/** The members of the groups in start order; groups without members are left out. */
export async function groupMembers(
  em: EntityManager,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, ResourceGroupMember[]>> {
  const where = { orgId, groupId: { $in: [...ids] } }
  const orderBy = { tier: 'asc', place: 'asc', resourceUid: 'asc' } as const
  const found = await em.find(ResourceGroupMember, where, { orderBy, disableIdentityMap: true })
  return Map.groupBy(found, ({ groupId }) => groupId)
}
