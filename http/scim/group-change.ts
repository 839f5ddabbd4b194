/**
 * The role that follows from a person's groups in the directory. A person has one role: that of the strongest group; in
 * no group, viewer.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { Member, Role } from '#http/identity/entity.ts'
import { keepOwner } from '#http/identity/organization/member.ts'
import { isSystemRole, systemGrants } from '#http/identity/organization/role.ts'
import { ScimGroupMember, ScimUser } from '#http/identity/provider/scim-entity.ts'
import type { Client } from '#http/identity/tools.ts'
import { scimFault } from '#http/scim/message.ts'

/** A change requested by a directory. */
export interface ScimChange {
  em: EntityManager
  caller: Caller
  client: Client
  now: Date
}

/** Serializes a directory's changes in an organization, since their result depends on everything it has written. */
export const alone = (em: EntityManager, orgId: string): Promise<unknown> =>
  em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`scim ${orgId}`])

/** @throws Fault `forbidden` if a directory whose token an admin created makes or changes owners */
export function checkOwnership({ role }: Caller, ...roleIds: readonly (string | undefined)[]): void {
  if (role === 'owner' || !roleIds.includes('owner')) return
  throw Fault.forbidden('forbidden', 'Only a token created by an owner can create, change and remove owners.')
}

const fallback = 'viewer'

/** Strongest first: owners, admins, then by number of permissions. */
async function strongest(em: EntityManager, orgId: string, roleIds: readonly string[]): Promise<string> {
  const own = await em.find(Role, { orgId, id: roleIds.filter((id) => !isSystemRole(id)) })
  const sizes = new Map(own.map(({ id, permissions }) => [id, permissions.length]))
  const rank = (id: string): number => {
    if (id === 'owner') return 1000
    if (id === 'admin') return 999
    return isSystemRole(id) ? systemGrants[id].size : (sizes.get(id) ?? -1)
  }
  const [first] = roleIds
    .filter((id) => isSystemRole(id) || sizes.has(id))
    .toSorted((a, b) => rank(b) - rank(a) || (a < b ? -1 : 1))
  return first ?? fallback
}

/**
 * Puts people into the group of a role, and removes others; each gets the resulting role at once. Returns the ids of
 * those whose role has changed.
 * @throws Fault `invalid` for a person who is not in the organization; `conflict` for the last owner; `forbidden` as
 * `checkOwnership`
 */
export async function changeGroup(
  change: ScimChange,
  roleId: string,
  { added, removed }: { added: readonly string[]; removed: readonly string[] },
): Promise<string[]> {
  const { em, caller, client, now } = change
  const { orgId, principal } = caller
  const changed: string[] = []
  for (const [userId, isAdded] of [
    ...removed.map((id) => [id, false] as const),
    ...added.map((id) => [id, true] as const),
  ]) {
    if (await regroupPerson(change, roleId, userId, isAdded)) changed.push(userId)
  }
  if (added.length + removed.length > 0) {
    const detail = { roleID: roleId, added: listIds(added), removed: listIds(removed) }
    await recordEvent(em, { type: 'scim_group_changed', orgId, principal, detail }, client, now)
  }
  return changed
}

/** Maximum ids in one event. */
const namedMax = 50
const listIds = (ids: readonly string[]): string =>
  ids.length <= namedMax ? ids.join(' ') : `${ids.slice(0, namedMax).join(' ')} and ${ids.length - namedMax} more`

/** Returns whether the person's role has changed. */
async function regroupPerson(change: ScimChange, roleId: string, userId: string, isAdded: boolean): Promise<boolean> {
  const { em, caller, now } = change
  const { orgId } = caller
  const member = await em.findOne(Member, { orgId, userId }, { refresh: true })
  const said = await em.findOne(ScimUser, { orgId, userId }, { refresh: true })
  const own = member?.roleId ?? said?.roleId
  if (own === undefined) {
    if (!isAdded) return false
    throw scimFault('invalidValue', `The organization has no user ${userId.slice(0, 64)}.`)
  }
  const groups = await groupsOf(em, { orgId, userId, own }, roleId)
  if (isAdded) groups.add(roleId)
  else groups.delete(roleId)
  await em.nativeDelete(ScimGroupMember, { orgId, userId, roleId: { $nin: [...groups] } })
  for (const one of groups) await em.upsert(ScimGroupMember, { orgId, roleId: one, userId, createdAt: now })
  const next = await strongest(em, orgId, [...groups])
  if (said) said.roleId = next
  return member !== null && (await giveRole(change, member, next))
}

/** A person whose role was assigned manually is in its group, until the directory removes them. */
async function groupsOf(
  em: EntityManager,
  { orgId, userId, own }: { orgId: string; userId: string; own: string },
  asked: string,
): Promise<Set<string>> {
  const known = await em.find(ScimGroupMember, { orgId, userId })
  if (known.length > 0) return new Set(known.map(({ roleId }) => roleId))
  return new Set(own === fallback && own !== asked ? [] : [own])
}

/** Assigns the role to a member; returns whether it has changed. */
async function giveRole({ em, caller, client, now }: ScimChange, member: Member, roleId: string): Promise<boolean> {
  const { orgId, principal } = caller
  const { userId, roleId: before } = member
  if (before === roleId) return false
  checkOwnership(caller, before, roleId)
  if (before === 'owner') await keepOwner(em, orgId, userId)
  member.roleId = roleId
  const detail = { member: userId, from: before, to: roleId }
  await recordEvent(em, { type: 'member_changed', orgId, principal, detail }, client, now)
  return true
}
