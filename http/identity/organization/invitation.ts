/**
 * Invitations. An organization may invite any address. Until the person accepts by an act of their own, it learns
 * nothing about them beyond the address it entered. The act is to enter the organization: by X-Org-Id, by a refresh
 * that names it, through its own identity provider, or by the first sign-in of an account that was created because of
 * the invitation.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Member, type User } from '#http/identity/entity.ts'
import { Session } from '#http/identity/session/session-entity.ts'

export const isActive = ({ status }: Pick<Member, 'status'>): boolean => status === 'active'

/** Accepts the invitation of an organization that the person has named. */
export const takeUp = (em: EntityManager, userId: string, orgId: string): Promise<number> =>
  em.nativeUpdate(Member, { orgId, userId, status: 'invited' }, { status: 'active' })

/**
 * The invitation that an account was created because of: the only organization of an account that was confirmed after
 * the invitation and has never signed in.
 */
export async function reasonOf(
  em: EntityManager,
  { id: userId, emailVerifiedAt }: User,
  members: readonly Member[],
): Promise<Member | undefined> {
  const [only, ...others] = members
  if (!only || others.length > 0 || isActive(only)) return undefined
  if (!emailVerifiedAt || emailVerifiedAt <= only.createdAt) return undefined
  return (await em.count(Session, { userId })) === 0 ? only : undefined
}
