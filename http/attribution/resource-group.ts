import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { ResourceGroup, type ResourceGroupMember } from '#actors/resource-group/entity.ts'
import { findGroup, groupMembers, groupNamed, listGroups } from '#actors/resource-group/queries.ts'
import { Fault } from '#engine/fault.ts'
import { t, type Static } from '#engine/schema.ts'
import { begun, Description, freeName } from '#http/attribution/attribution.ts'
import { Name, orNull, Timestamp } from '#http/edge/field.ts'
import { paged, pageOf, paging, slice } from '#http/edge/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services, Tell } from '#http/edge/services.ts'
import { resourceGroupChanged, resourceGroupMembersChanged, resourcesMax, ResourceUid } from '#streams/attribution.ts'

const Shown = t.Object(
  {
    id: t.String(),
    orgID: t.String(),
    name: t.String(),
    description: t.Optional(t.String()),
    members: t.Array(t.Object({ resourceUID: t.String(), tier: t.Integer(), order: t.Integer() }), {
      description: 'in the order in which they start',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'ResourceGroup' },
)

const show = (group: ResourceGroup, members: readonly ResourceGroupMember[] = []): Static<typeof Shown> => ({
  id: group.id,
  orgID: group.orgId,
  name: group.name,
  ...(group.description && { description: group.description }),
  members: members.map(({ resourceUid, tier, place }) => ({ resourceUID: resourceUid, tier, order: place })),
  createdAt: group.createdAt.toISOString(),
  updatedAt: group.updatedAt.toISOString(),
})

/** Of PostgreSQL's `int`. */
const intMax = 2_147_483_647
const Members = t.Array(
  t.Object({
    resourceUID: ResourceUid,
    tier: t.Optional(
      t.Integer({ minimum: 1, maximum: intMax, description: '1 unless given; lower tiers start first, stop last' }),
    ),
    order: t.Optional(
      t.Integer({ minimum: 0, maximum: intMax, description: '0 unless given; place in the tier, equal ones together' }),
    ),
  }),
  { maxItems: resourcesMax },
)
type Members = Static<typeof Members>

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

async function found(em: EntityManager, orgId: string, id: string): Promise<ResourceGroup> {
  const group = await findGroup(em, orgId, id)
  if (!group) throw Fault.missing('resource group', id)
  return group
}

const shown = async (em: EntityManager, group: ResourceGroup): Promise<Static<typeof Shown>> =>
  show(group, (await groupMembers(em, group.orgId, [group.id])).get(group.id))

const changed = (tell: Tell, { id, name }: ResourceGroup, at: Date, deleted = false) =>
  tell(resourceGroupChanged, { groupId: id, name, deleted, at: at.toISOString() })

/** @throws Fault `invalid` when a resource stands twice */
function eachOnce(members: Members): void {
  const seen = new Set<string>()
  for (const [i, { resourceUID }] of members.entries()) {
    if (seen.has(resourceUID)) {
      const name = `/members/${i}/resourceUID`
      throw badInput({ in: 'body', name, code: 'uniqueItems', message: 'stands twice' })
    }
    seen.add(resourceUID)
  }
}

const leaveSql = `
  delete from resource_group_member
  where org_id = ? and group_id = ? and resource_uid not in (select jsonb_array_elements_text(?::jsonb))
  returning resource_uid, added_at`
// Who stays keeps the time it was added: `begun` gives no change the time of another.
const joinSql = `
  insert into resource_group_member (org_id, group_id, resource_uid, tier, place, added_at)
  select ?, ?, given.uid, given.tier, given.place, ?::timestamptz
  from jsonb_to_recordset(?::jsonb) as given (uid text, tier int, place int)
  on conflict (org_id, group_id, resource_uid) do update set tier = excluded.tier, place = excluded.place
  returning resource_uid, added_at`

/** Makes `members` all that is in the group, and tells who joined and who left. */
async function setMembers(
  [em, tell]: [EntityManager, Tell],
  { orgId, id }: Pick<ResourceGroup, 'orgId' | 'id'>,
  members: Members,
  at: Date,
): Promise<void> {
  eachOnce(members)
  const uids = JSON.stringify(members.map(({ resourceUID }) => resourceUID))
  const given = JSON.stringify(
    members.map(({ resourceUID, tier = 1, order = 0 }) => ({ uid: resourceUID, tier, place: order })),
  )
  const removed = told(await em.execute<Row[]>(leaveSql, [orgId, id, uids]))
  const present = told(await em.execute<Row[]>(joinSql, [orgId, id, at.toISOString(), given]))
  const added = present.filter(({ addedAt }) => addedAt === at.toISOString())
  if (added.length + removed.length === 0) return
  await tell(resourceGroupMembersChanged, { groupId: id, added, removed, at: at.toISOString() })
}

interface Row {
  resource_uid: string
  added_at: string
}

const told = (rows: readonly Row[]) =>
  rows.map((row) => ({ resourceUid: row.resource_uid, addedAt: new Date(row.added_at).toISOString() }))

/** A change of one group that is there, begun in its turn. @throws Fault `missing` */
const changing = <T>(
  orgId: string,
  id: string,
  { change, now }: Services,
  work: (em: EntityManager, group: ResourceGroup, at: Date, tell: Tell) => Promise<T>,
): Promise<T> =>
  change(async (em, tell) => {
    const at = await begun(em, orgId, now())
    return work(em, await found(em, orgId, id), at, tell)
  })

const make = (orgId: string, body: Static<typeof CreateBody>, { change, now }: Services) =>
  change(async (em, tell) => {
    const at = await begun(em, orgId, now())
    const group = em.create(ResourceGroup, {
      orgId,
      id: randomUUID(),
      name: await freeName(body.name, (name) => groupNamed(em, orgId, name)),
      description: body.description ?? null,
      createdAt: at,
      updatedAt: at,
    })
    em.persist(group)
    await changed(tell, group, at)
    await setMembers([em, tell], group, body.members ?? [], at)
    return reply(await shown(em, group), { headers: { Location: `/resource-groups/${group.id}` } })
  })

async function patch(em: EntityManager, group: ResourceGroup, body: Static<typeof PatchBody>): Promise<void> {
  const { orgId, id } = group
  if (body.name !== undefined) group.name = await freeName(body.name, (name) => groupNamed(em, orgId, name), id)
  if (body.description !== undefined) group.description = body.description
}

const fixed = { tags: ['Resource groups'] } as const
const params = t.Object({ groupID: t.String() })

export const resourceGroups: readonly Route[] = [
  route({
    ...fixed,
    method: 'POST',
    path: '/resource-groups',
    summary: 'Make a resource group',
    permission: 'service.create',
    status: 201,
    headers: { Location: 'where the group is' },
    body: CreateBody,
    reply: Shown,
    handle: ({ caller, body }, services) => make(caller.orgId, body, services),
  }),

  route({
    ...fixed,
    method: 'GET',
    path: '/resource-groups',
    summary: 'List the resource groups, by name',
    permission: 'service.view',
    query: t.Object({
      search: t.Optional(t.String({ description: 'part of the name, in any case' })),
      ...paging(20, 100),
    }),
    reply: pageOf(Shown),
    handle: async ({ caller, query }, { em }) => {
      const { items, total } = await listGroups(em, caller.orgId, query.search, slice(query))
      const ids = items.map(({ id }) => id)
      const members = await groupMembers(em, caller.orgId, ids)
      return paged({ items: items.map((group) => show(group, members.get(group.id))), total }, query)
    },
  }),

  route({
    ...fixed,
    method: 'GET',
    path: '/resource-groups/:groupID',
    summary: 'One resource group',
    permission: 'service.view',
    params,
    reply: Shown,
    handle: async ({ caller, params: { groupID } }, { em }) => shown(em, await found(em, caller.orgId, groupID)),
  }),

  route({
    ...fixed,
    method: 'PATCH',
    path: '/resource-groups/:groupID',
    summary: 'Change a resource group; members given replace those it has',
    permission: 'service.update',
    params,
    body: PatchBody,
    reply: Shown,
    handle: ({ caller, params: { groupID }, body }, services) =>
      changing(caller.orgId, groupID, services, async (em, group, at, tell) => {
        await patch(em, group, body)
        group.updatedAt = at
        await changed(tell, group, at)
        if (body.members) await setMembers([em, tell], group, body.members, at)
        return shown(em, group)
      }),
  }),

  route({
    ...fixed,
    method: 'DELETE',
    path: '/resource-groups/:groupID',
    summary: 'Delete a resource group; its resources stay',
    permission: 'service.delete',
    status: 204,
    params,
    handle: ({ caller, params: { groupID } }, services) =>
      changing(caller.orgId, groupID, services, async (em, group, at, tell) => {
        await setMembers([em, tell], group, [], at)
        em.remove(group)
        await changed(tell, group, at, true)
      }),
  }),

  route({
    ...fixed,
    method: 'PUT',
    path: '/resource-groups/:groupID/members',
    summary: 'Replace the members of a resource group',
    permission: 'service.update',
    params,
    body: t.Object({ members: Members }, { examples: [{ members: [{ resourceUID: 'i-1', tier: 1, order: 0 }] }] }),
    reply: Shown,
    handle: ({ caller, params: { groupID }, body }, services) =>
      changing(caller.orgId, groupID, services, async (em, group, at, tell) => {
        await setMembers([em, tell], group, body.members, at)
        group.updatedAt = at
        return shown(em, group)
      }),
  }),
]
