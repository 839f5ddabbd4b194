/** The person that the demo organization belongs to, who signs in by links alone: no password is known to anybody. */
import { dayMs } from '#engine/value/day.ts'
import { Member, User } from '#http/identity/entity.ts'
import { newUser } from '#http/identity/session/login.ts'
import { dropLinks } from '#http/identity/session/sign-in-link.ts'
import type { Connections } from '#config/state/connect.ts'
import type { Running } from '#config/product/product.ts'
import { consoleLink } from '#config/secrets/sign-in-link.ts'

const email = 'owner@demo.example'
/** Until the next start, or a day. */
const goodMs = dayMs

const client = { ip: '', userAgent: 'start', requestId: '' }

/** Makes the person, once: whoever removes them later has removed them. */
export async function makeOwner({ connections }: Running, orgId: string): Promise<void> {
  const now = new Date(connections.clock.now())
  await connections.orm.em.fork().transactional(async (em) => {
    const user = (await em.findOne(User, { email })) ?? newUser(em, email, 'Demo owner', now)
    // Whoever signed up with the address and never confirmed it is another person.
    if (!user.emailVerifiedAt)
      Object.assign(user, { name: 'Demo owner', passwordHash: null, emailVerifiedAt: now, updatedAt: now })
    const member = { orgId, userId: user.id, roleId: 'owner', status: 'active' as const, createdAt: now }
    await em.upsert(Member, member)
  })
}

/** The person's id; undefined where they were removed. */
export async function demoOwner({ orm }: Connections, orgId: string): Promise<string | undefined> {
  const em = orm.em.fork()
  const user = await em.findOne(User, { email })
  const isMember = user && (await em.count(Member, { orgId, userId: user.id, status: 'active' })) > 0
  return isMember ? user.id : undefined
}

/** A fresh link that signs the person in, in place of those of starts before; undefined where the person was removed. */
export async function ownerLink({ connections, product }: Running, orgId: string): Promise<string | undefined> {
  const now = new Date(connections.clock.now())
  return connections.orm.em.fork().transactional(async (em) => {
    const user = await em.findOne(User, { email })
    if (!user || (await em.count(Member, { orgId, userId: user.id, status: 'active' })) === 0) return undefined
    await dropLinks(em, user.id)
    return (await consoleLink(em, product.site.publicUrl, { user, orgId, goodMs }, client, now)).link
  })
}
