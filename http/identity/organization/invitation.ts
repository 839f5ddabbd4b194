/**
 * Invitations. An organization may invite any address: until the person takes it up by an act of their own, it learns nothing of
 * them beyond the address it typed. The act is to enter it: by X-Org-Id, by a refresh that names it, through its own identity
 * provider, or by the first sign-in of an account that was made because of it.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Member, type User } from '#http/identity/entity.ts'
import { Session } from '#http/identity/session/session-entity.ts'

export const isActive = ({ status }: Pick<Member, 'status'>): boolean => status === 'active'

/** Takes up an invitation of one who names the organization. */
export const takeUp = (em: EntityManager, userId: string, orgId: string): Promise<number> =>
  em.nativeUpdate(Member, { orgId, userId, status: 'invited' }, { status: 'active' })

/** The invitation that an account was made because of: the only organization of one that was confirmed after it and never signed in. */
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
