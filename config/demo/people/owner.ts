/** The owner of the demo organization, a person who signs in only by links: the account has no password. */
import { dayMs } from '#engine/value/day.ts'
import { Member, User } from '#http/identity/entity.ts'
import { newUser } from '#http/identity/session/login.ts'
import { dropLinks } from '#http/identity/session/sign-in-link.ts'
import type { Connections } from '#config/state/connect.ts'
import type { Running } from '#config/product/product.ts'
import { consoleLink } from '#config/secrets/sign-in-link.ts'

const email = 'owner@demo.example'
/** Milliseconds the link is valid; the next start also replaces it. */
const goodMs = dayMs

const client = { ip: '', userAgent: 'start', requestId: '' }

/** Creates the person and the membership. */
export async function makeOwner({ connections }: Running, orgId: string): Promise<void> {
  const now = new Date(connections.clock.now())
  await connections.orm.em.fork().transactional(async (em) => {
    const user = (await em.findOne(User, { email })) ?? newUser(em, email, 'Demo owner', now)
    // An unconfirmed account with this address was created by someone else: take it over.
    if (!user.emailVerifiedAt)
      Object.assign(user, { name: 'Demo owner', passwordHash: null, emailVerifiedAt: now, updatedAt: now })
    const member = { orgId, userId: user.id, roleId: 'owner', status: 'active' as const, createdAt: now }
    await em.upsert(Member, member)
  })
}

/** The person's user id; undefined if the person was removed. */
export async function demoOwner({ orm }: Connections, orgId: string): Promise<string | undefined> {
  const em = orm.em.fork()
  const user = await em.findOne(User, { email })
  const isMember = user && (await em.count(Member, { orgId, userId: user.id, status: 'active' })) > 0
  return isMember ? user.id : undefined
}

/** A new link that signs the person in. Earlier links become invalid. Undefined if the person was removed. */
export async function ownerLink({ connections, product }: Running, orgId: string): Promise<string | undefined> {
  const now = new Date(connections.clock.now())
  return connections.orm.em.fork().transactional(async (em) => {
    const user = await em.findOne(User, { email })
    if (!user || (await em.count(Member, { orgId, userId: user.id, status: 'active' })) === 0) return undefined
    await dropLinks(em, user.id)
    return (await consoleLink(em, product.site.publicUrl, { user, orgId, goodMs }, client, now)).link
  })
}
