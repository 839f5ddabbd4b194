import { raw } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Schedule } from '#actors/schedule/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { containing } from '#engine/value/like-pattern.ts'

/** The current row, even if the entity manager has read it before. @throws Fault `missing` */
export async function foundSchedule(em: EntityManager, orgId: string, id: string): Promise<Schedule> {
  const schedule = await em.findOne(Schedule, { orgId, id }, { refresh: true })
  if (!schedule) throw Fault.missing('schedule', id)
  return schedule
}

const namingSql = `id in (
  select id from schedule where org_id = ? and resource_uids @> jsonb_build_array(?::text)
  union
  select schedule.id from resource_group_member as member
  join schedule on schedule.org_id = member.org_id and schedule.resource_group_ids @> jsonb_build_array(member.group_id)
  where member.org_id = ? and member.resource_uid = ?)`

/** A page of the schedules that match all filters, by name. */
export async function listSchedules(
  em: EntityManager,
  orgId: string,
  filter: { search?: string | undefined; enabled?: boolean | undefined; resourceUid?: string | undefined },
  page: { limit: number; offset: number },
): Promise<{ items: Schedule[]; total: number }> {
  const { search, enabled, resourceUid: uid } = filter
  const where = {
    orgId,
    ...(search && { name: { $ilike: containing(search) } }),
    ...(enabled !== undefined && { enabled }),
    ...(uid !== undefined && { [raw(namingSql, [orgId, uid, orgId, uid])]: [] }),
  }
  const [items, total] = await em.findAndCount(Schedule, where, { ...page, orderBy: { name: 'asc', id: 'asc' } })
  return { items, total }
}

/** The ids among these that are no resource group of the organization. */
export async function unknownGroups(
  em: EntityManager,
  orgId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const sql = 'select id from resource_group where org_id = ? and id in (select jsonb_array_elements_text(?::jsonb))'
  const known = await em.execute<{ id: string }[]>(sql, [orgId, JSON.stringify(ids)])
  const unknown = new Set(ids)
  for (const { id } of known) unknown.delete(id)
  return unknown
}

/** Whether the organization has at least `max` schedules. */
export async function isFull(em: EntityManager, orgId: string, max: number): Promise<boolean> {
  const sql = 'select 1 from schedule where org_id = ? order by org_id, id offset ? limit 1'
  return (await em.execute<unknown[]>(sql, [orgId, max - 1])).length > 0
}
