/** A person of an organization as who calls, where nobody does: what is done for them is done by the rights they have now. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Caller } from '#http/identity/organization/caller.ts'
import { memberRights } from '#http/identity/token/grant.ts'

/** Undefined where they are no active member, or their role is gone. Sees all organizations: run it `asService`. */
export async function personOf(em: EntityManager, orgId: string, userId: string): Promise<Caller | undefined> {
  const rights = await memberRights(em, orgId, userId)
  return rights ? { ...rights, orgId, userId, kind: 'session', principal: `person:${userId}` } : undefined
}
