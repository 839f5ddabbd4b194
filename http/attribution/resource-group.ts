import type { EntityManager } from '@mikro-orm/postgresql'
import { changeGroup, makeGroup, removeGroup, replaceMembers } from '#actors/attribution/group/change.ts'
import type { ResourceGroup, ResourceGroupMember } from '#actors/attribution/group/entity.ts'
import { foundGroup, groupMembers, listGroups } from '#actors/attribution/group/queries.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Description } from '#http/attribution/body.ts'
import { Name, orNull, Timestamp } from '#http/edge/parameter/field.ts'
import { toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'
import { resourcesMax, ResourceUid } from '#streams/attribution.ts'

const ResourceGroupView = t.Object(
  {
    id: t.String(),
    orgID: t.String(),
    name: t.String(),
    description: t.Optional(t.String()),
    members: t.Array(t.Object({ resourceUID: t.String(), tier: t.Integer(), order: t.Integer() }), {
      description: 'in start order',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'ResourceGroup',
    examples: [
      {
        id: '2b7e6c1a-4d3f-4b0e-8a51-6c9d0e1f2a33',
        orgID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
        name: 'Shop',
        members: [{ resourceUID: 'i-0a1b2c3d4e5f60718', tier: 1, order: 0 }],
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

const show = (
  group: ResourceGroup,
  members: readonly ResourceGroupMember[] = [],
): Static<typeof ResourceGroupView> => ({
  id: group.id,
  orgID: group.orgId,
  name: group.name,
  ...(group.description && { description: group.description }),
  members: members.map(({ resourceUid, tier, place }) => ({ resourceUID: resourceUid, tier, order: place })),
  createdAt: group.createdAt.toISOString(),
  updatedAt: group.updatedAt.toISOString(),
})

/** Maximum of PostgreSQL's `int`. */
const intMax = 2_147_483_647
const Members = t.Array(
  t.Object({
    resourceUID: ResourceUid,
    tier: t.Optional(
      t.Integer({ minimum: 1, maximum: intMax, description: 'default 1; lower tiers start first and stop last' }),
    ),
    order: t.Optional(
      t.Integer({
        minimum: 0,
        maximum: intMax,
        description: 'default 0; position in the tier, equal values start together',
      }),
    ),
  }),
  { maxItems: resourcesMax },
)

const CreateBody = t.Object(
  { name: Name, description: t.Optional(Description), members: t.Optional(Members) },
  { examples: [{ name: 'Shop', members: [{ resourceUID: 'i-1' }] }] },
)
const PatchBody = t.Object(
  {
    name: t.Optional(Name),
    description: t.Optional(orNull(Description)),
    members: t.Optional(Members),
  },
  { examples: [{ name: 'Shop', description: null }] },
)

const toResourceGroupView = async (
  em: EntityManager,
  group: ResourceGroup,
): Promise<Static<typeof ResourceGroupView>> =>
  show(group, (await groupMembers(em, group.orgId, [group.id])).get(group.id))

const routeBase = { tags: ['Resource groups'] } as const
const params = t.Object({ groupID: t.String() })

export const resourceGroups: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/resource-groups',
    summary: 'Create a resource group',
    description:
      'Names are unique in the organization. Members are resource UIDs; they need not be in the inventory. Tier and order define the start order.',
    permission: 'service.create',
    status: 201,
    headers: { Location: 'URL of the new group' },
    body: CreateBody,
    reply: ResourceGroupView,
    refuses: { 409: ['already_exists'], 422: ['limit_reached'] },
    handle: ({ body }, { change }) =>
      change(async (tx) => {
        const group = await makeGroup(tx, body)
        return reply(await toResourceGroupView(tx.em, group), { headers: { Location: `/resource-groups/${group.id}` } })
      }),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/resource-groups',
    summary: 'List resource groups, sorted by name',
    description: 'Includes all members of each group in start order.',
    permission: 'service.view',
    query: t.Object({
      search: t.Optional(t.String({ description: 'part of the name, case-insensitive' })),
      ...paging(20, 100),
    }),
    reply: pageOf(ResourceGroupView),
    handle: async ({ caller, query }, { em }) => {
      const { items, total } = await listGroups(em, caller.orgId, query.search, slice(query))
      const ids = items.map(({ id }) => id)
      const members = await groupMembers(em, caller.orgId, ids)
      return toPage({ items: items.map((group) => show(group, members.get(group.id))), total }, query)
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/resource-groups/:groupID',
    summary: 'Get a resource group',
    description: 'Includes all members in start order; they stop in reverse order.',
    permission: 'service.view',
    params,
    reply: ResourceGroupView,
    handle: async ({ caller, params: { groupID } }, { em }) =>
      toResourceGroupView(em, await foundGroup(em, caller.orgId, groupID)),
  }),

  route({
    ...routeBase,
    method: 'PATCH',
    path: '/resource-groups/:groupID',
    summary: 'Update a resource group',
    description:
      'Omitted fields are unchanged; a null description removes it. A list of members replaces the whole list.',
    permission: 'service.update',
    params,
    body: PatchBody,
    reply: ResourceGroupView,
    refuses: { 409: ['already_exists'] },
    handle: ({ params: { groupID }, body }, { change }) =>
      change(async (tx) => toResourceGroupView(tx.em, await changeGroup(tx, groupID, body))),
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/resource-groups/:groupID',
    summary: 'Delete a resource group; its resources are kept',
    description: 'Nothing is started, stopped or deleted in the cloud.',
    permission: 'service.delete',
    status: 204,
    params,
    handle: ({ params: { groupID } }, { change }) => change((tx) => removeGroup(tx, groupID)),
  }),

  route({
    ...routeBase,
    method: 'PUT',
    path: '/resource-groups/:groupID/members',
    summary: 'Replace the members of a resource group',
    description: 'The given list replaces the whole list; an empty list removes all members.',
    permission: 'service.update',
    params,
    body: t.Object({ members: Members }, { examples: [{ members: [{ resourceUID: 'i-1', tier: 1, order: 0 }] }] }),
    reply: ResourceGroupView,
    handle: ({ params: { groupID }, body }, { change }) =>
      change(async (tx) => toResourceGroupView(tx.em, await replaceMembers(tx, groupID, body.members))),
  }),
]
