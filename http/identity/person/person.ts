/**
 * A person of an organization as a caller, without a request of theirs: what is done for them is done with their
 * current rights.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Caller } from '#http/identity/organization/caller.ts'
import { memberRights } from '#http/identity/token/grant.ts'

/**
 * Undefined if they are not an active member, or their role was deleted. Sees all organizations: run it `asService`.
 */
export async function personOf(em: EntityManager, orgId: string, userId: string): Promise<Caller | undefined> {
  const rights = await memberRights(em, orgId, userId)
  return rights ? { ...rights, orgId, userId, kind: 'session', principal: `person:${userId}` } : undefined
}
