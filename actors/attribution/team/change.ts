/**
 * Changes of teams and of manual assignments. The one writer of Team and TeamResource. When a team is deleted, it also
 * deletes the team's resources by rule.
 */
import { randomUUID } from 'node:crypto'
import { beginChange, freeName } from '#actors/attribution/change.ts'
import { Team } from './entity.ts'
import { foundTeam, teamNamed } from './queries.ts'
import { checkRowLimit } from '#actors/row-limit.ts'
import { Fault } from '#engine/value/fault.ts'
import type { RecordChange } from '#engine/run/tell.ts'
import { teamAssigned, teamChanged } from '#streams/attribution.ts'

/** What a request may set. Missing fields stay unchanged. */
export interface TeamGiven {
  name?: string
  description?: string | null
  /** Without repeats; all must be members of the organization. */
  memberUserIDs?: readonly string[]
}

const membersSql = `
  select user_id::text as id from member
  where org_id = ? and user_id::text in (select jsonb_array_elements_text(?::jsonb)) order by id`

/** Sorted, without repeats. @throws Fault `invalid` if a person is not a member of the organization */
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

/** @throws Fault `conflict` `already_exists`, `invalid` if a person is not a member of the organization */
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

/** Runs a change of an existing team, after all changes before it. @throws Fault `missing` */
async function ofTeam<T>(change: RecordChange, id: string, work: (team: Team, at: Date) => Promise<T>): Promise<T> {
  const at = await beginChange(change)
  return work(await foundTeam(change.em, change.orgId, id), at)
}

/** @throws Fault `missing`, `conflict` `already_exists`, `invalid` if a person is not a member of the organization */
export const changeTeam = (change: RecordChange, id: string, given: TeamGiven): Promise<Team> =>
  ofTeam(change, id, async (team, at) => {
    if (given.name !== undefined) team.name = await freeName(change, given.name, teamNamed, id)
    if (given.description !== undefined) team.description = given.description
    if (given.memberUserIDs) team.memberUserIds = await membersOf(change, given.memberUserIDs)
    team.updatedAt = at
    await tellTeam(change, team, at)
    return team
  })

/** Deletes the team; its resources become unassigned. @throws Fault `missing` */
export const removeTeam = (change: RecordChange, id: string): Promise<void> =>
  ofTeam(change, id, async (team, at) => {
    const { em, orgId } = change
    await em.execute('delete from team_resource where org_id = ? and team_id = ?', [orgId, id])
    await em.execute('delete from allocated_resource where org_id = ? and team_id = ?', [orgId, id])
    em.remove(team)
    await tellTeam(change, team, at, true)
  })

// A resource that already has the team keeps the time of its assignment.
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

/**
 * Assigns resources to the team, also those of other teams. Returns how many were not in it before.
 * @throws Fault `missing`
 */
export const assignResources = (change: RecordChange, id: string, uids: readonly string[]): Promise<number> =>
  ofTeam(change, id, (_team, at) => {
    const values = [change.orgId, id, at.toISOString(), JSON.stringify(uids)]
    return moveResources(change, { sql: assignSql, values }, id, at)
  })

/** Removes resources from the team. Returns how many were in it. @throws Fault `missing` */
export const unassignResources = (change: RecordChange, id: string, uids: readonly string[]): Promise<number> =>
  ofTeam(change, id, (_team, at) => {
    const values = [change.orgId, id, JSON.stringify(uids)]
    return moveResources(change, { sql: unassignSql, values }, '', at)
  })

/** Runs one of the two statements, and publishes the resources that it changed with their new team `teamId`. */
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
