/** Changes of resource groups and their members. The one writer of ResourceGroup and ResourceGroupMember. */
import { randomUUID } from 'node:crypto'
import { beginChange, freeName } from '#actors/attribution/change.ts'
import { ResourceGroup } from './entity.ts'
import { foundGroup, groupNamed } from './queries.ts'
import { checkRowLimit } from '#actors/row-limit.ts'
import { Fault } from '#engine/value/fault.ts'
import type { RecordChange } from '#engine/run/tell.ts'
import { resourceGroupChanged, resourceGroupMembersChanged } from '#streams/attribution.ts'

/** A resource in a group. Defaults: tier 1, order 0. */
export interface MemberGiven {
  resourceUID: string
  tier?: number
  order?: number
}

/** What a request may set. Missing fields stay unchanged; `members` replaces all members. */
export interface GroupGiven {
  name?: string
  description?: string | null
  members?: readonly MemberGiven[]
}

const tellGroup = ({ tell }: RecordChange, { id, name }: ResourceGroup, at: Date, deleted = false) =>
  tell(resourceGroupChanged, { groupId: id, name, deleted, at: at.toISOString() })

/**
 * Creates a group, with a new id unless one is given.
 * @throws Fault `conflict` `already_exists`, `invalid` if a resource is listed twice
 */
export async function makeGroup(
  change: RecordChange,
  given: GroupGiven & { name: string; id?: string },
): Promise<ResourceGroup> {
  const { em, orgId } = change
  const at = await beginChange(change)
  await checkRowLimit(em, 'resource_group', orgId)
  const group = em.create(ResourceGroup, {
    orgId,
    id: given.id ?? randomUUID(),
    name: await freeName(change, given.name, groupNamed),
    description: given.description ?? null,
    createdAt: at,
    updatedAt: at,
  })
  em.persist(group)
  await tellGroup(change, group, at)
  await setMembers(change, group.id, given.members ?? [], at)
  return group
}

/** Runs a change of an existing group, after all changes before it. @throws Fault `missing` */
async function ofGroup<T>(
  change: RecordChange,
  id: string,
  work: (group: ResourceGroup, at: Date) => Promise<T>,
): Promise<T> {
  const at = await beginChange(change)
  return work(await foundGroup(change.em, change.orgId, id), at)
}

/** @throws Fault `missing`, `conflict` `already_exists`, `invalid` if a resource is listed twice */
export const changeGroup = (change: RecordChange, id: string, given: GroupGiven): Promise<ResourceGroup> =>
  ofGroup(change, id, async (group, at) => {
    if (given.name !== undefined) group.name = await freeName(change, given.name, groupNamed, id)
    if (given.description !== undefined) group.description = given.description
    group.updatedAt = at
    await tellGroup(change, group, at)
    if (given.members) await setMembers(change, id, given.members, at)
    return group
  })

/** Deletes the group; its resources stay. @throws Fault `missing` */
export const removeGroup = (change: RecordChange, id: string): Promise<void> =>
  ofGroup(change, id, async (group, at) => {
    await setMembers(change, id, [], at)
    change.em.remove(group)
    await tellGroup(change, group, at, true)
  })

/** Replaces all members of the group. @throws Fault `missing`, `invalid` if a resource is listed twice */
export const replaceMembers = (
  change: RecordChange,
  id: string,
  members: readonly MemberGiven[],
): Promise<ResourceGroup> =>
  ofGroup(change, id, async (group, at) => {
    await setMembers(change, id, members, at)
    group.updatedAt = at
    return group
  })

/** @throws Fault `invalid` if a resource is listed twice */
function eachOnce(members: readonly MemberGiven[]): void {
  const seen = new Set<string>()
  for (const [i, { resourceUID }] of members.entries()) {
    if (seen.has(resourceUID))
      throw Fault.invalidAt({ path: `/members/${i}/resourceUID`, code: 'uniqueItems', message: 'is listed twice' })
    seen.add(resourceUID)
  }
}

const leaveSql = `
  delete from resource_group_member
  where org_id = ? and group_id = ? and resource_uid not in (select jsonb_array_elements_text(?::jsonb))
  returning resource_uid, added_at`
// A member that stays keeps `added_at`. `beginChange` gives each change a time of its own, so `at` identifies the new
// ones.
const joinSql = `
  insert into resource_group_member (org_id, group_id, resource_uid, tier, place, added_at)
  select ?, ?, given.uid, given.tier, given.place, ?::timestamptz
  from jsonb_to_recordset(?::jsonb) as given (uid text, tier int, place int)
  on conflict (org_id, group_id, resource_uid) do update set tier = excluded.tier, place = excluded.place
  returning resource_uid, added_at`

/** Replaces all members of the group, and publishes who joined and who left. */
async function setMembers(
  { em, tell, orgId }: RecordChange,
  id: string,
  members: readonly MemberGiven[],
  at: Date,
): Promise<void> {
  eachOnce(members)
  const uids = JSON.stringify(members.map(({ resourceUID }) => resourceUID))
  const given = JSON.stringify(
    members.map(({ resourceUID, tier = 1, order = 0 }) => ({ uid: resourceUID, tier, place: order })),
  )
  const removed = membersOf(await em.execute<Row[]>(leaveSql, [orgId, id, uids]))
  const present = membersOf(await em.execute<Row[]>(joinSql, [orgId, id, at.toISOString(), given]))
  const added = present.filter(({ addedAt }) => addedAt === at.toISOString())
  if (added.length + removed.length === 0) return
  await tell(resourceGroupMembersChanged, { groupId: id, added, removed, at: at.toISOString() })
}

interface Row {
  resource_uid: string
  added_at: string
}

const membersOf = (rows: readonly Row[]) =>
  rows.map((row) => ({ resourceUid: row.resource_uid, addedAt: new Date(row.added_at).toISOString() }))
