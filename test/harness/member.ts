import { randomUUID } from 'node:crypto'
import { Member } from '#http/identity/entity.ts'
import type { Identity } from '#http/identity/index.ts'
import { newUser } from '#http/identity/session/login.ts'
import { startSession } from '#http/identity/session/session.ts'

const client = { ip: '', userAgent: 'test', requestId: '' }

/** A person of the organization, with a way to sign in again and again. */
export async function memberOf(identity: Identity, orgId: string) {
  const now = identity.now()
  const user = await identity.em().transactional(async (em) => {
    const made = newUser(em, `${randomUUID()}@example.com`, 'Bench', now)
    made.emailVerifiedAt = now
    em.persist(
      em.create(Member, { orgId, userId: made.id, roleId: 'owner', status: 'active' as const, createdAt: now }),
    )
    return made
  })
  return { userId: user.id, signIn: () => startSession(identity, user, { method: 'email' }, client) }
}
