/** Changes of teams and of whose resources are. The one writer of Team and TeamResource; takes what teams have by rule from deleted ones. */
import { randomUUID } from 'node:crypto'
import { beginChange, freeName } from '#actors/attribution/change.ts'
import { Team } from './entity.ts'
import { foundTeam, teamNamed } from './queries.ts'
import { checkRowLimit } from '#actors/row-limit.ts'
import { Fault } from '#engine/value/fault.ts'
import type { RecordChange } from '#engine/run/tell.ts'
import { teamAssigned, teamChanged } from '#streams/attribution.ts'

/** What of a team may be given; what is left out stays. */
export interface TeamGiven {
  name?: string
  description?: string | null
  /** Each once; all of them members of the organization. */
  memberUserIDs?: readonly string[]
}

const membersSql = `
  select user_id::text as id from member
  where org_id = ? and user_id::text in (select jsonb_array_elements_text(?::jsonb)) order by id`

/** Each once, in order. @throws Fault `invalid` for people who are not of the organization */
async function membersOf({ em, orgId }: RecordChange, given: readonly string[]): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(membersSql, [orgId, JSON.stringify(given)])
  const known = rows.map(({ id }) => id)
  const index = given.findIndex((id) => !known.includes(id))
  if (index === -1) return known
  throw Fault.invalidAt({
    path: `/memberUserIDs/${index}`,
    code: 'unknown',
    message: 'is not a member of this organization',
  })
}

const tellTeam = ({ tell }: RecordChange, { id, name }: Team, at: Date, deleted = false) =>
  tell(teamChanged, { teamId: id, name, deleted, at: at.toISOString() })

/** @throws Fault `conflict` `already_exists`, `invalid` for members who are none */
export async function makeTeam(change: RecordChange, given: TeamGiven & { name: string }): Promise<Team> {
  const { em, orgId } = change
  const at = await beginChange(change)
  await checkRowLimit(em, 'team', orgId)
  const team = em.create(Team, {
    orgId,
    id: randomUUID(),
    name: await freeName(change, given.name, teamNamed),
    description: given.description ?? null,
    memberUserIds: await membersOf(change, given.memberUserIDs ?? []),
    createdAt: at,
    updatedAt: at,
  })
  em.persist(team)
  await tellTeam(change, team, at)
  return team
}

/** A change of one team that is there, begun in its turn. @throws Fault `missing` */
async function ofTeam<T>(change: RecordChange, id: string, work: (team: Team, at: Date) => Promise<T>): Promise<T> {
  const at = await beginChange(change)
  return work(await foundTeam(change.em, change.orgId, id), at)
}

/** @throws Fault `missing`, `conflict` `already_exists`, `invalid` for members who are none */
export const changeTeam = (change: RecordChange, id: string, given: TeamGiven): Promise<Team> =>
  ofTeam(change, id, async (team, at) => {
    if (given.name !== undefined) team.name = await freeName(change, given.name, teamNamed, id)
    if (given.description !== undefined) team.description = given.description
    if (given.memberUserIDs) team.memberUserIds = await membersOf(change, given.memberUserIDs)
    team.updatedAt = at
    await tellTeam(change, team, at)
    return team
  })

/** Its resources are unassigned then. @throws Fault `missing` */
export const removeTeam = (change: RecordChange, id: string): Promise<void> =>
  ofTeam(change, id, async (team, at) => {
    const { em, orgId } = change
    await em.execute('delete from team_resource where org_id = ? and team_id = ?', [orgId, id])
    await em.execute('delete from allocated_resource where org_id = ? and team_id = ?', [orgId, id])
    em.remove(team)
    await tellTeam(change, team, at, true)
  })

// Who has the team already keeps the time of its assignment.
const assignSql = `
  insert into team_resource (org_id, resource_uid, team_id, assigned_at)
  select distinct ?, uid, ?, ?::timestamptz from jsonb_array_elements_text(?::jsonb) as uid
  on conflict (org_id, resource_uid) do update set team_id = excluded.team_id, assigned_at = excluded.assigned_at
  where team_resource.team_id <> excluded.team_id
  returning resource_uid`
const unassignSql = `
  delete from team_resource
  where org_id = ? and team_id = ? and resource_uid in (select jsonb_array_elements_text(?::jsonb))
  returning resource_uid`

/** Gives the team resources, those of other teams too. How many were not its own before. @throws Fault `missing` */
export const assignResources = (change: RecordChange, id: string, uids: readonly string[]): Promise<number> =>
  ofTeam(change, id, (_team, at) => {
    const values = [change.orgId, id, at.toISOString(), JSON.stringify(uids)]
    return moveResources(change, { sql: assignSql, values }, id, at)
  })

/** Takes resources from the team. How many were its own. @throws Fault `missing` */
export const unassignResources = (change: RecordChange, id: string, uids: readonly string[]): Promise<number> =>
  ofTeam(change, id, (_team, at) => {
    const values = [change.orgId, id, JSON.stringify(uids)]
    return moveResources(change, { sql: unassignSql, values }, '', at)
  })

/** Runs one of the two statements and tells which resources it changed: they now have the team `teamId`. */
async function moveResources(
  { em, tell }: RecordChange,
  statement: { sql: string; values: readonly string[] },
  teamId: string,
  at: Date,
): Promise<number> {
  const rows = await em.execute<{ resource_uid: string }[]>(statement.sql, [...statement.values])
  const resourceUids = rows.map((row) => row.resource_uid).toSorted()
  if (resourceUids.length > 0) await tell(teamAssigned, { teamId, resourceUids, at: at.toISOString() })
  return resourceUids.length
}
