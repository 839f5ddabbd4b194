import type { EntityManager } from '@mikro-orm/postgresql'
import type { Team } from '#actors/attribution/team/entity.ts'
import {
  assignResources,
  changeTeam,
  makeTeam,
  removeTeam,
  unassignResources,
} from '#actors/attribution/team/change.ts'
import { foundTeam, listTeams, resourceCounts } from '#actors/attribution/team/queries.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Description } from '#http/attribution/body.ts'
import { Name, orNull, Timestamp } from '#http/edge/parameter/field.ts'
import { toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'
import { ResourceUid, resourcesMax } from '#streams/attribution.ts'
import { text } from '#streams/text.ts'

const TeamView = t.Object(
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
  {
    title: 'Team',
    examples: [
      {
        id: '0c6f2a52-7d1e-4a3b-9c64-0b5d1f2e3a47',
        orgID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
        name: 'Shop',
        description: 'The shop and its checkout',
        memberUserIDs: ['0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02'],
        resourceCount: 42,
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

const show = (team: Team, resourceCount: number): Static<typeof TeamView> => ({
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
      description: 'as in bills; they need not be in the inventory',
    }),
  },
  { examples: [{ resourceUIDs: ['i-1'] }] },
)

async function toTeamView(em: EntityManager, team: Team): Promise<Static<typeof TeamView>> {
  return show(team, (await resourceCounts(em, team.orgId, [team.id])).get(team.id) ?? 0)
}

const routeBase = { tags: ['Teams'] } as const
const params = t.Object({ teamID: t.String() })

export const teams: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/teams',
    summary: 'Create a team',
    description:
      'Names are unique in the organization. A new team has no resources: assign them with POST /teams/{teamID}/resources, or by rule with an allocation policy.',
    permission: 'service.create',
    unscoped: true,
    status: 201,
    headers: { Location: 'URL of the new team' },
    body: CreateBody,
    reply: TeamView,
    refuses: { 409: ['already_exists'], 422: ['limit_reached'] },
    handle: ({ body }, { change }) =>
      change(async (tx) => {
        const team = await makeTeam(tx, body)
        return reply(show(team, 0), { headers: { Location: `/teams/${team.id}` } })
      }),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/teams',
    summary: 'List teams, sorted by name',
    description: 'Includes the members and the number of resources of each team. For costs use GET /reports/teams.',
    permission: 'service.view',
    query: t.Object({
      search: t.Optional(t.String({ description: 'part of the name, case-insensitive' })),
      ...paging(20, 100),
    }),
    reply: pageOf(TeamView),
    handle: async ({ caller, query }, { em }) => {
      const { items, total } = await listTeams(em, caller.orgId, query.search, slice(query))
      const ids = items.map(({ id }) => id)
      const counts = await resourceCounts(em, caller.orgId, ids)
      return toPage({ items: items.map((team) => show(team, counts.get(team.id) ?? 0)), total }, query)
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/teams/:teamID',
    summary: 'Get a team',
    description: 'Includes its members and its number of resources. For costs use GET /reports/teams/{teamID}.',
    permission: 'service.view',
    params,
    reply: TeamView,
    handle: async ({ caller, params: { teamID } }, { em }) => toTeamView(em, await foundTeam(em, caller.orgId, teamID)),
  }),

  route({
    ...routeBase,
    method: 'PATCH',
    path: '/teams/:teamID',
    summary: 'Update a team',
    description:
      'Omitted fields are unchanged; a null description removes it. A list of people replaces the whole list.',
    permission: 'service.update',
    unscoped: true,
    params,
    body: PatchBody,
    reply: TeamView,
    refuses: { 409: ['already_exists'] },
    handle: ({ params: { teamID }, body }, { change }) =>
      change(async (tx) => toTeamView(tx.em, await changeTeam(tx, teamID, body))),
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/teams/:teamID',
    summary: 'Delete a team: its resources become unassigned, closed months keep its name',
    description: 'Its costs remain in the reports of closed months. Policies that name it are not changed.',
    permission: 'service.delete',
    unscoped: true,
    status: 204,
    params,
    handle: ({ params: { teamID } }, { change }) => change((tx) => removeTeam(tx, teamID)),
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/teams/:teamID/resources',
    summary: 'Assign resources to a team, moving those of other teams',
    description:
      'Resources are given by UID, as in bills; they need not be in the inventory. A resource belongs to at most one team.',
    permission: 'service.update',
    unscoped: true,
    params,
    body: ResourcesBody,
    reply: t.Object({
      assigned: t.Integer({ description: 'number of distinct resources in the request; all now belong to the team' }),
    }),
    example: { assigned: 1 },
    handle: ({ params: { teamID }, body: { resourceUIDs } }, { change }) =>
      change(async (tx) => {
        await assignResources(tx, teamID, resourceUIDs)
        return reply({ assigned: new Set(resourceUIDs).size }, {})
      }),
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/teams/:teamID/resources',
    summary: 'Remove resources from a team; they become unassigned',
    description: 'UIDs that do not belong to the team are ignored and not counted.',
    permission: 'service.delete',
    unscoped: true,
    params,
    body: ResourcesBody,
    reply: t.Object({
      removed: t.Integer({ description: 'number of resources in the request that belonged to the team' }),
    }),
    example: { removed: 1 },
    handle: ({ params: { teamID }, body: { resourceUIDs } }, { change }) =>
      change(async (tx) => ({ removed: await unassignResources(tx, teamID, resourceUIDs) })),
  }),
]
