/**
 * Erases a person: their account gets a pseudonym, and nothing is left to sign in with. Their address is stored sealed
 * until it has been replaced wherever it was recorded (`config/tenant/erase.ts`); names are only in accounts. What they
 * did stays, with the id of the account. Everything here sees all organizations: run it `asService`.
 */
import { randomBytes } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { dropPreferences } from '#actors/notification/channel/change.ts'
import { Fault } from '#engine/value/fault.ts'
import { recordOfUser } from '#http/identity/organization/audit.ts'
import { closingIn } from '#http/identity/organization/closing.ts'
import { Member, PersonalAccessToken, User, UserIdentity } from '#http/identity/entity.ts'
import { keepOwner } from '#http/identity/organization/member.ts'
import { LoginCode } from '#http/identity/provider/entity.ts'
import { ScimGroupMember, ScimUser } from '#http/identity/provider/scim-entity.ts'
import { erasureSealed } from '#http/identity/sealed-columns.ts'
import { RecoveryCode, SecondFactor, SecondFactorChallenge } from '#http/identity/second-factor/entity.ts'
import { LoginFailure, MailedCode, OneTimePassword, Session } from '#http/identity/session/session-entity.ts'
import { Throttle } from '#http/identity/session/throttle-entity.ts'
import type { Client, IdentityTools } from '#http/identity/tools.ts'

/** What has to be replaced, stored sealed in `person_erasure`. */
export interface ErasedPerson {
  email: string
}

/** A domain that cannot exist (RFC 2606). */
const noDomain = 'erased.invalid'
export const addressOfErased = (pseudonym: string): string => `${pseudonym}@${noDomain}`
const isErased = ({ email }: Pick<User, 'email'>): boolean => email.endsWith(`@${noDomain}`)

/**
 * Erases a person in the transaction of `em`; the caller notifies the processes. Returns the pseudonym.
 * @throws Fault `missing` if the person is already erased; `conflict` for the last owner of an organization, who must
 * transfer or delete it first
 */
export async function erasePerson(
  em: EntityManager,
  { seal, now }: Pick<IdentityTools, 'seal' | 'now'>,
  { userId, principal }: { userId: string; principal: string },
  client: Client,
): Promise<{ pseudonym: string }> {
  const user = await em.findOne(User, { id: userId })
  if (!user || isErased(user)) throw Fault.missing('person', userId)
  const members = await em.find(Member, { userId })
  for (const { orgId, roleId, status } of members)
    if (roleId === 'owner' && status === 'active' && !(await closingIn(em, orgId))) await keepOwner(em, orgId, userId)
  const pseudonym = `erased-${randomBytes(6).toString('hex')}`
  const { email } = user
  await em.execute('insert into person_erasure (user_id, sealed, pseudonym, asked_at) values (?, ?, ?, ?)', [
    userId,
    seal(erasureSealed, '', { email } satisfies ErasedPerson),
    pseudonym,
    now().toISOString(),
  ])
  const happened = { type: 'person_erased', principal, email: addressOfErased(pseudonym) } as const
  await recordOfUser(em, userId, happened, client, now())
  for (const { orgId } of members) await dropPreferences(em, orgId, userId)
  await em.execute('delete from refresh_token where session_id in (select id from session where user_id = ?)', [userId])
  for (const entity of [Session, LoginCode, SecondFactor, RecoveryCode, SecondFactorChallenge] as const)
    await em.nativeDelete<{ userId: string }>(entity, { userId })
  for (const entity of [UserIdentity, PersonalAccessToken, Member, ScimUser, ScimGroupMember] as const)
    await em.nativeDelete<{ userId: string }>(entity, { userId })
  for (const entity of [MailedCode, LoginFailure, OneTimePassword] as const)
    await em.nativeDelete<{ email: string }>(entity, { email })
  await em.nativeDelete(Throttle, { account: [email, userId] })
  await em.nativeUpdate(
    User,
    { id: userId },
    { email: addressOfErased(pseudonym), name: pseudonym, passwordHash: null, emailVerifiedAt: null, updatedAt: now() },
  )
  return { pseudonym }
}
