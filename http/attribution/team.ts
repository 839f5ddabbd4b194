import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Team } from '#actors/team/entity.ts'
import { findTeam, listTeams, resourceCounts, teamNamed } from '#actors/team/queries.ts'
import { Fault } from '#engine/fault.ts'
import { t, type Static } from '#engine/schema.ts'
import { begun, Description, freeName } from '#http/attribution/attribution.ts'
import { Name, orNull, Timestamp } from '#http/edge/field.ts'
import { paged, pageOf, paging, slice } from '#http/edge/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services, Tell } from '#http/edge/services.ts'
import { ResourceUid, resourcesMax, teamAssigned, teamChanged } from '#streams/attribution.ts'
import { text } from '#streams/resource.ts'

const Shown = t.Object(
  {
    id: t.String(),
    orgID: t.String(),
    name: t.String(),
    description: t.Optional(t.String()),
    memberUserIDs: t.Array(t.String()),
    resourceCount: t.Integer({ description: 'resources that belong to the team' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Team' },
)

const show = (team: Team, resourceCount: number): Static<typeof Shown> => ({
  id: team.id,
  orgID: team.orgId,
  name: team.name,
  ...(team.description && { description: team.description }),
  memberUserIDs: team.memberUserIds,
  resourceCount,
  createdAt: team.createdAt.toISOString(),
  updatedAt: team.updatedAt.toISOString(),
})

const MemberIds = t.Array(text({ minLength: 1, maxLength: 64 }), {
  maxItems: 1000,
  description: 'members of the organization',
})
const CreateBody = t.Object(
  {
    name: Name,
    description: t.Optional(Description),
    memberUserIDs: t.Optional(MemberIds),
  },
  { examples: [{ name: 'Payments' }] },
)
const PatchBody = t.Object(
  {
    name: t.Optional(Name),
    description: t.Optional(orNull(Description)),
    memberUserIDs: t.Optional(MemberIds),
  },
  { examples: [{ name: 'Payments', description: null }] },
)
const ResourcesBody = t.Object(
  {
    resourceUIDs: t.Array(ResourceUid, {
      minItems: 1,
      maxItems: resourcesMax,
      description: 'as bills name them; the inventory need not know them',
    }),
  },
  { examples: [{ resourceUIDs: ['i-1'] }] },
)

async function found(em: EntityManager, orgId: string, id: string): Promise<Team> {
  const team = await findTeam(em, orgId, id)
  if (!team) throw Fault.missing('team', id)
  return team
}

async function shown(em: EntityManager, team: Team): Promise<Static<typeof Shown>> {
  return show(team, (await resourceCounts(em, team.orgId, [team.id])).get(team.id) ?? 0)
}

const membersSql = `
  select user_id::text as id from member
  where org_id = ? and user_id::text in (select jsonb_array_elements_text(?::jsonb)) order by id`

/** Each once, in order. @throws Fault `invalid` for people who are not of the organization */
async function membersOf(em: EntityManager, orgId: string, given: readonly string[]): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(membersSql, [orgId, JSON.stringify(given)])
  const known = rows.map(({ id }) => id)
  const index = given.findIndex((id) => !known.includes(id))
  if (index === -1) return known
  const message = 'is no member of the organization'
  throw badInput({ in: 'body', name: `/memberUserIDs/${index}`, code: 'unknown', message })
}

const changed = (tell: Tell, { id, name }: Team, at: Date, deleted = false) =>
  tell(teamChanged, { teamId: id, name, deleted, at: at.toISOString() })

/** A change of one team that is there, begun in its turn. @throws Fault `missing` */
const changing = <T>(
  orgId: string,
  id: string,
  { change, now }: Services,
  work: (em: EntityManager, team: Team, at: Date, tell: Tell) => Promise<T>,
): Promise<T> =>
  change(async (em, tell) => {
    const at = await begun(em, orgId, now())
    return work(em, await found(em, orgId, id), at, tell)
  })

const make = (orgId: string, body: Static<typeof CreateBody>, { change, now }: Services) =>
  change(async (em, tell) => {
    const at = await begun(em, orgId, now())
    const team = em.create(Team, {
      orgId,
      id: randomUUID(),
      name: await freeName(body.name, (name) => teamNamed(em, orgId, name)),
      description: body.description ?? null,
      memberUserIds: await membersOf(em, orgId, body.memberUserIDs ?? []),
      createdAt: at,
      updatedAt: at,
    })
    em.persist(team)
    await changed(tell, team, at)
    return reply(show(team, 0), { headers: { Location: `/teams/${team.id}` } })
  })

async function patch(em: EntityManager, team: Team, body: Static<typeof PatchBody>): Promise<void> {
  const { orgId, id } = team
  if (body.name !== undefined) team.name = await freeName(body.name, (name) => teamNamed(em, orgId, name), id)
  if (body.description !== undefined) team.description = body.description
  if (body.memberUserIDs) team.memberUserIds = await membersOf(em, orgId, body.memberUserIDs)
}

// Who has the team already keeps the time of its assignment.
const assignSql = `
  insert into team_resource (org_id, resource_uid, team_id, assigned_at)
  select distinct ?, uid, ?, ?::timestamptz from jsonb_array_elements_text(?::jsonb) as uid
  on conflict (org_id, resource_uid) do update set team_id = excluded.team_id, assigned_at = excluded.assigned_at
  where team_resource.team_id <> excluded.team_id
  returning resource_uid`
const removeSql = `
  delete from team_resource
  where org_id = ? and team_id = ? and resource_uid in (select jsonb_array_elements_text(?::jsonb))
  returning resource_uid`

/** Runs one of the two statements and tells which resources it changed: they now have the team `teamId`. */
async function moved(
  [em, tell]: [EntityManager, Tell],
  statement: { sql: string; values: readonly string[] },
  teamId: string,
  at: Date,
): Promise<number> {
  const rows = await em.execute<{ resource_uid: string }[]>(statement.sql, [...statement.values])
  const resourceUids = rows.map((row) => row.resource_uid).toSorted()
  if (resourceUids.length > 0) await tell(teamAssigned, { teamId, resourceUids, at: at.toISOString() })
  return resourceUids.length
}

const fixed = { tags: ['Teams'] } as const
const params = t.Object({ teamID: t.String() })

export const teams: readonly Route[] = [
  route({
    ...fixed,
    method: 'POST',
    path: '/teams',
    summary: 'Make a team',
    permission: 'service.create',
    status: 201,
    headers: { Location: 'where the team is' },
    body: CreateBody,
    reply: Shown,
    handle: ({ caller, body }, services) => make(caller.orgId, body, services),
  }),

  route({
    ...fixed,
    method: 'GET',
    path: '/teams',
    summary: 'List the teams, by name',
    permission: 'service.view',
    query: t.Object({
      search: t.Optional(t.String({ description: 'part of the name, in any case' })),
      ...paging(20, 100),
    }),
    reply: pageOf(Shown),
    handle: async ({ caller, query }, { em }) => {
      const { items, total } = await listTeams(em, caller.orgId, query.search, slice(query))
      const ids = items.map(({ id }) => id)
      const counts = await resourceCounts(em, caller.orgId, ids)
      return paged({ items: items.map((team) => show(team, counts.get(team.id) ?? 0)), total }, query)
    },
  }),

  route({
    ...fixed,
    method: 'GET',
    path: '/teams/:teamID',
    summary: 'One team',
    permission: 'service.view',
    params,
    reply: Shown,
    handle: async ({ caller, params: { teamID } }, { em }) => shown(em, await found(em, caller.orgId, teamID)),
  }),

  route({
    ...fixed,
    method: 'PATCH',
    path: '/teams/:teamID',
    summary: 'Change a team',
    permission: 'service.update',
    params,
    body: PatchBody,
    reply: Shown,
    handle: ({ caller, params: { teamID }, body }, services) =>
      changing(caller.orgId, teamID, services, async (em, team, at, tell) => {
        await patch(em, team, body)
        team.updatedAt = at
        await changed(tell, team, at)
        return shown(em, team)
      }),
  }),

  route({
    ...fixed,
    method: 'DELETE',
    path: '/teams/:teamID',
    summary: 'Delete a team: its resources are unassigned then, closed months keep its name',
    permission: 'service.delete',
    status: 204,
    params,
    handle: ({ caller: { orgId }, params: { teamID } }, services) =>
      changing(orgId, teamID, services, async (em, team, at, tell) => {
        await em.execute('delete from team_resource where org_id = ? and team_id = ?', [orgId, teamID])
        em.remove(team)
        await changed(tell, team, at, true)
      }),
  }),

  route({
    ...fixed,
    method: 'POST',
    path: '/teams/:teamID/resources',
    summary: 'Assign resources to a team; those of another team move',
    permission: 'service.update',
    params,
    body: ResourcesBody,
    reply: t.Object({ assigned: t.Integer({ description: 'resources named, each once; all belong to the team now' }) }),
    handle: ({ caller: { orgId }, params: { teamID }, body }, services) =>
      changing(orgId, teamID, services, async (em, _team, at, tell) => {
        const values = [orgId, teamID, at.toISOString(), JSON.stringify(body.resourceUIDs)]
        await moved([em, tell], { sql: assignSql, values }, teamID, at)
        return reply({ assigned: new Set(body.resourceUIDs).size }, {})
      }),
  }),

  route({
    ...fixed,
    method: 'DELETE',
    path: '/teams/:teamID/resources',
    summary: 'Take resources from a team: they are unassigned then',
    permission: 'service.delete',
    params,
    body: ResourcesBody,
    reply: t.Object({ removed: t.Integer({ description: 'resources named that belonged to the team' }) }),
    handle: ({ caller: { orgId }, params: { teamID }, body }, services) =>
      changing(orgId, teamID, services, async (em, _team, at, tell) => {
        const values = [orgId, teamID, JSON.stringify(body.resourceUIDs)]
        return { removed: await moved([em, tell], { sql: removeSql, values }, '', at) }
      }),
  }),
]
