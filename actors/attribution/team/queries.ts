import type { EntityManager } from '@mikro-orm/postgresql'
import { containing } from '#engine/value/like-pattern.ts'
import { Fault } from '#engine/value/fault.ts'
import { Team } from './entity.ts'

/** The current row, even if the entity manager has read it before. */
export const findTeam = (em: EntityManager, orgId: string, id: string): Promise<Team | null> =>
  em.findOne(Team, { orgId, id }, { refresh: true })

/** @throws Fault `missing` */
export async function foundTeam(em: EntityManager, orgId: string, id: string): Promise<Team> {
  const team = await findTeam(em, orgId, id)
  if (!team) throw Fault.missing('team', id)
  return team
}

/** A page of teams, by name: those whose name contains `search`. */
export async function listTeams(
  em: EntityManager,
  orgId: string,
  search: string | undefined,
  page: { limit: number; offset: number },
): Promise<{ items: Team[]; total: number }> {
  const where = { orgId, ...(search && { name: { $ilike: containing(search) } }) }
  const [items, total] = await em.findAndCount(Team, where, { ...page, orderBy: { name: 'asc', id: 'asc' } })
  return { items, total }
}

/** The id of the team with this name, ignoring case. */
export async function teamNamed(em: EntityManager, orgId: string, name: string): Promise<string | undefined> {
  const sql = 'select id from team where org_id = ? and lower(name) = lower(?)'
  const [row] = await em.execute<{ id: string }[]>(sql, [orgId, name])
  return row?.id
}

const countsSql = `
  with asked as (select ? as org_id, jsonb_array_elements_text(?::jsonb) as team_id)
  select team_id, sum(resources)::int as resources from (
    select team_id, count(*) as resources from asked join team_resource using (org_id, team_id) group by team_id
    union all
    select team_id, count(*) from asked join allocated_resource as ruled using (org_id, team_id)
    where not exists (
      select from team_resource as own where own.org_id = ruled.org_id and own.resource_uid = ruled.resource_uid)
    group by team_id
  ) as counted group by team_id`

/** Number of resources of each team, assigned manually or by rule; teams without resources are left out. */
export async function resourceCounts(
  em: EntityManager,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const rows = await em.execute<{ team_id: string; resources: number }[]>(countsSql, [orgId, JSON.stringify(ids)])
  return new Map(rows.map((row) => [row.team_id, row.resources]))
}
