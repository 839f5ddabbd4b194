/**
 * Changes that a directory makes to people. A person is invited to the organization; as for sign-ins through a
 * provider, only at a domain that the organization has proved. A deactivated person stops being a member at once; what
 * the directory wrote about them stays.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { Member, Role, User } from '#http/identity/entity.ts'
import { newUser } from '#http/identity/session/login.ts'
import { endSessionsIn, removeMember } from '#http/identity/organization/member.ts'
import { isProved } from '#http/identity/provider/person.ts'
import { hasAccount, signUpClosed, type SignUp } from '#http/identity/session/sign-up.ts'
import { isSystemRole } from '#http/identity/organization/role.ts'
import { ScimGroupMember, ScimUser } from '#http/identity/provider/scim-entity.ts'
import { isUuid } from '#engine/value/id.ts'
import { checkOwnership, type ScimChange } from '#http/scim/group-change.ts'
import { scimFault } from '#http/scim/message.ts'
import { personIn, type PersonRow } from '#http/scim/person.ts'
import type { PersonAttributes } from '#http/scim/person-attributes.ts'

/** What is known of a person, in the directory's form. */
export const saidOf = (row: PersonRow): PersonAttributes => ({
  userName: row.user_name ?? row.account,
  externalId: row.external_id,
  displayName: row.display_name,
  givenName: row.given_name,
  familyName: row.family_name,
  email: row.email ?? row.account,
  active: row.role_id !== null,
})

/** @throws Fault `missing` */
export async function foundPerson(em: EntityManager, orgId: string, userId: string): Promise<PersonRow> {
  const row = await personIn(em, orgId, userId)
  if (!row) throw Fault.missing('user', userId)
  return row
}

/**
 * Adds a person.
 * @throws Fault `conflict` with `uniqueness`; `forbidden` `sign_up_closed` for a person without an account; `invalid`
 * for an address at a domain that the organization has not proved
 */
export async function addPerson(change: ScimChange, said: PersonAttributes, signUp: SignUp): Promise<string> {
  const { em, caller, now } = change
  const { orgId } = caller
  await checkAddress(em, orgId, said)
  await checkUnique(em, orgId, said, '')
  const own = await em.findOne(User, { email: said.email })
  if (signUp === 'closed' && !(own && (await hasAccount(em, own)))) throw signUpClosed(signUp)
  const user = own ?? newUser(em, said.email, shownName(said), now)
  if (await isKnown(em, orgId, user.id)) throw takenFault(said.email)
  await em.flush()
  em.persist(
    em.create(ScimUser, { orgId, userId: user.id, ...toStoredFields(said, now), roleId: 'viewer', createdAt: now }),
  )
  if (said.active) enter(em, orgId, user.id, 'viewer', now)
  await recordChange(change, user.id, said.userName, 'created')
  return user.id
}

/**
 * Changes the attributes of a person.
 * @throws Fault as `addPerson`; `conflict` for the last owner; `forbidden` as `checkOwnership`
 */
export async function changePerson(change: ScimChange, row: PersonRow, said: PersonAttributes): Promise<void> {
  const { caller, now } = change
  const was = saidOf(row)
  const isTurned = said.active !== was.active
  await checkChange(change, row, said)
  const roleId = await keptSaying(change, row, said)
  if (isTurned && said.active) enter(change.em, caller.orgId, row.user_id, await roleAgain(change, roleId), now)
  if (isTurned && !said.active) await leave(change, row.user_id)
  const turn = said.active ? 'reactivated' : 'deactivated'
  const isSame = JSON.stringify(said) === JSON.stringify(was)
  if (!isSame) await recordChange(change, row.user_id, said.userName, isTurned ? turn : 'changed')
}

async function checkChange({ em, caller }: ScimChange, row: PersonRow, said: PersonAttributes): Promise<void> {
  const was = saidOf(row)
  const isMoved = said.email !== was.email
  const isRenamed = isMoved || said.userName.toLowerCase() !== was.userName.toLowerCase()
  // Otherwise a person who signs in with the changed address could become the owner.
  if (isRenamed || said.active !== was.active) checkOwnership(caller, row.role_id ?? undefined)
  if (isMoved) await checkAddress(em, caller.orgId, said)
  if (isRenamed) await checkUnique(em, caller.orgId, said, row.user_id)
}

/** Stores the attributes of a person; returns the role they have, or had. */
async function keptSaying({ em, caller, now }: ScimChange, row: PersonRow, said: PersonAttributes): Promise<string> {
  const { orgId } = caller
  const { user_id: userId } = row
  const listed = await em.findOne(ScimUser, { orgId, userId }, { refresh: true })
  const roleId = row.role_id ?? listed?.roleId ?? 'viewer'
  const fields = { ...toStoredFields(said, now), roleId }
  if (!listed) {
    em.persist(em.create(ScimUser, { orgId, userId, ...fields, createdAt: new Date(row.created_at) }))
    return roleId
  }
  const isSame = said.active === (row.role_id !== null)
  em.assign(listed, { ...fields, ...(isSame && { deactivatedAt: listed.deactivatedAt }) })
  return roleId
}

/** Removes a person from the organization, with what its directory wrote about them. The account stays. */
export async function removePerson(change: ScimChange, row: PersonRow): Promise<void> {
  const { em, caller } = change
  const { orgId } = caller
  const userId = row.user_id
  checkOwnership(caller, row.role_id ?? undefined)
  if (row.role_id !== null) await leave(change, userId)
  await em.nativeDelete(ScimGroupMember, { orgId, userId })
  await em.nativeDelete(ScimUser, { orgId, userId })
  await recordChange(change, userId, row.user_name ?? row.account, 'deleted')
}

const shownName = ({ displayName, givenName, familyName, email }: PersonAttributes): string =>
  displayName ?? ([givenName, familyName].filter((part) => part !== null).join(' ') || email)

const toStoredFields = ({ active, ...said }: PersonAttributes, now: Date) => ({
  ...said,
  userKey: said.userName.toLowerCase(),
  deactivatedAt: active ? null : now,
  updatedAt: now,
})

/** As an invitation by a person: until they join, the organization does not learn who already has an account. */
function enter(em: EntityManager, orgId: string, userId: string, roleId: string, now: Date): void {
  em.persist(em.create(Member, { orgId, userId, roleId, status: 'invited', createdAt: now }))
}

async function leave({ em, caller, now }: ScimChange, userId: string): Promise<void> {
  const { orgId } = caller
  await removeMember(em, await em.findOneOrFail(Member, { orgId, userId }, { refresh: true }), now)
  await endSessionsIn(em, orgId, userId, now)
}

/** The former role, if it still exists and the directory may assign it. */
async function roleAgain({ em, caller }: ScimChange, roleId: string): Promise<string> {
  if (roleId === 'owner' && caller.role !== 'owner') return 'viewer'
  if (isSystemRole(roleId)) return roleId
  const isThere = isUuid(roleId) && (await em.count(Role, { orgId: caller.orgId, id: roleId })) > 0
  return isThere ? roleId : 'viewer'
}

const isKnown = async (em: EntityManager, orgId: string, userId: string): Promise<boolean> =>
  (await em.count(Member, { orgId, userId })) + (await em.count(ScimUser, { orgId, userId })) > 0

const takenFault = (name: string): Fault =>
  scimFault('uniqueness', `The organization already has a user ${name}: find them with a filter.`)

async function checkAddress(em: EntityManager, orgId: string, { email }: PersonAttributes): Promise<void> {
  if (await isProved(em, orgId, email)) return
  throw scimFault('invalidValue', `The organization has not verified the domain of ${email}.`)
}

/** @throws Fault `conflict` if somebody else in the organization has the user name or the address */
async function checkUnique(
  em: EntityManager,
  orgId: string,
  { userName, email }: PersonAttributes,
  self: string,
): Promise<void> {
  const rows = await em.execute<object[]>(
    `select 1 from (select user_id from member where org_id = ? union select user_id from scim_user where org_id = ?) p
     join app_user u on u.id = p.user_id left join scim_user s on s.org_id = ? and s.user_id = p.user_id
     where p.user_id::text <> ? and (lower(coalesce(s.user_name, u.email)) = ? or coalesce(s.email, u.email) = ?) limit 1`,
    [orgId, orgId, orgId, self, userName.toLowerCase(), email],
  )
  if (rows.length > 0) throw takenFault(userName)
}

type Happening = 'created' | 'changed' | 'deactivated' | 'reactivated' | 'deleted'

async function recordChange(
  { em, caller, client, now }: ScimChange,
  userId: string,
  userName: string,
  change: Happening,
) {
  const { orgId, principal } = caller
  const detail = { member: userId, userName: userName.slice(0, 254), change }
  await recordEvent(em, { type: 'scim_user_changed', orgId, principal, detail }, client, now)
}
