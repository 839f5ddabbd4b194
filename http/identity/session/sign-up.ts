/**
 * Who may create an account (decision G-125). People with an account can sign in with any setting, and operators create
 * accounts with the command. `invited` accepts people invited by an organization, and people whom its own provider or
 * directory names within a domain that it has proved. `closed` accepts nobody new: invitations of people without an
 * account wait.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { Member, UserIdentity, type User } from '#http/identity/entity.ts'

export const signUps = ['open', 'invited', 'closed'] as const
export type SignUp = (typeof signUps)[number]

/**
 * Whether somebody has confirmed the address, or an issuer has named the person: a row alone may come from an
 * invitation or a stranger.
 */
export const hasAccount = async (em: EntityManager, { id: userId, emailVerifiedAt }: User): Promise<boolean> =>
  emailVerifiedAt !== null || (await em.count(UserIdentity, { userId })) > 0

/** Whether the person of an address may have an account; `user` is null if nothing is known of them. */
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
