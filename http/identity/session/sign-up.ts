/**
 * Who may make an account here (decision G-125). Whoever has one signs in whatever the setting is, and operators make accounts by the
 * command. `invited` lets in whom an organization has invited, and whom its own provider or directory names at a domain that it has proved;
 * `closed` lets in nobody new: an invitation of somebody without an account waits.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { Member, UserIdentity, type User } from '#http/identity/entity.ts'

export const signUps = ['open', 'invited', 'closed'] as const
export type SignUp = (typeof signUps)[number]

/** Whether somebody has confirmed the address, or an issuer has named them: a row alone may be an invitation's or a stranger's. */
export const hasAccount = async (em: EntityManager, { id: userId, emailVerifiedAt }: User): Promise<boolean> =>
  emailVerifiedAt !== null || (await em.count(UserIdentity, { userId })) > 0

/** Whether the person of an address may have an account, by what is known of them; null: nothing is. */
export async function maySignUp(signUp: SignUp, em: EntityManager, user: User | null): Promise<boolean> {
  if (signUp === 'open') return true
  if (!user) return false
  if (await hasAccount(em, user)) return true
  return signUp === 'invited' && (await em.count(Member, { userId: user.id })) > 0
}

export const signUpClosed = (signUp: SignUp): Fault =>
  Fault.forbidden(
    'sign_up_closed',
    signUp === 'closed'
      ? 'Sign-up is disabled. Ask the operator for an account.'
      : 'Accounts are by invitation only here. Ask an administrator of your organization to invite this address.',
  )
