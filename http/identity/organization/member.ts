/** What is removed when a person leaves an organization, whoever ends the membership. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { dropPreferences } from '#actors/notification/channel/change.ts'
import { Fault } from '#engine/value/fault.ts'
import { PersonalAccessToken, type Member } from '#http/identity/entity.ts'
import { providerMethods } from '#http/identity/session/session-entity.ts'

/**
 * Locks the owners of an organization until the transaction ends. @throws Fault `conflict` if no owner would be left
 */
export async function keepOwner(em: EntityManager, orgId: string, without: string): Promise<void> {
  const owners = await em.execute<{ user_id: string }[]>(
    `select user_id from member where org_id = ? and role_id = 'owner' and status = 'active' for update`,
    [orgId],
  )
  if (owners.every((owner) => owner.user_id === without)) {
    throw Fault.conflict('invalid_transition', 'An organization must have at least one owner.')
  }
}

/**
 * Removes a member, with their tokens for the organization. The caller notifies the processes.
 * @throws Fault `conflict` for the last owner
 */
export async function removeMember(em: EntityManager, member: Member, now: Date): Promise<void> {
  const { orgId, userId, roleId } = member
  if (roleId === 'owner') await keepOwner(em, orgId, userId)
  em.remove(member)
  await dropPreferences(em, orgId, userId)
  await em.nativeUpdate(PersonalAccessToken, { orgId, userId, revokedAt: null }, { revokedAt: now })
}

/**
 * Ends what a provider of the organization has started for a person: sessions, and pending codes. Sessions from other
 * sign-ins belong to the person, and give no access to the organization once they are not a member. Sees all
 * organizations: run it `asService`.
 */
export async function endSessionsIn(em: EntityManager, orgId: string, userId: string, now: Date): Promise<void> {
  const methods = providerMethods.join()
  await em.execute(
    `update session set revoked_at = ? where user_id::text = ? and bound_to = ? and revoked_at is null`,
    [now.toISOString(), userId, orgId],
  )
  await em.execute(
    `delete from login_code where user_id::text = ? and org_id = ? and purpose = any(string_to_array(?, ','))`,
    [userId, orgId, methods],
  )
}
