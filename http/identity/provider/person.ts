/**
 * Who an organization's own provider means, whatever it speaks. A person is known by what the provider calls them, never by their
 * address; the address says whether the organization may vouch for them at all.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Member, User, UserIdentity } from '#http/identity/entity.ts'
import { newUser, normalized } from '#http/identity/session/login.ts'
import { ProviderDomain } from './entity.ts'
import { hasAccount } from '#http/identity/session/sign-up.ts'
import { ScimUser } from './scim-entity.ts'
import type { IdentityTools } from '#http/identity/tools.ts'
import { onceMore } from '#http/store/fault.ts'

/** A person as a provider tells of them. */
export interface Vouched {
  orgId: string
  /** Whose name `subject` is. */
  issuer: string
  subject: string
  /** Lower case. */
  email: string
  name: string
}

/** Why an organization cannot vouch for a person. */
export type NotVouched = 'another domain' | 'a person of another domain' | 'deactivated' | 'no new people'

export const domainOf = (email: string): string => normalized(email).split('@')[1] ?? ''

export const isProved = async (em: EntityManager, orgId: string, email: string): Promise<boolean> =>
  (await em.count(ProviderDomain, { domain: domainOf(email), orgId, verifiedAt: { $ne: null } })) > 0

/** The user that a provider names; made, or made a viewer of the organization, when it is the first time. */
export async function userVouchedFor(
  tools: IdentityTools,
  vouched: Vouched,
  refused: (why: NotVouched) => Error,
): Promise<User> {
  const { orgId, email } = vouched
  const now = tools.now()
  const found = async (em: EntityManager) => {
    if (!(await isProved(em, orgId, email))) throw refused('another domain')
    const user = await accountOf(em, tools, vouched)
    if (!user) throw refused('no new people')
    // Whom it named before the domains were proved, or when others were: it can vouch for its own people alone.
    if (!(await isProved(em, orgId, user.email))) throw refused('a person of another domain')
    if (!(await takeIn(em, orgId, user.id, now))) throw refused('deactivated')
    return user
  }
  return onceMore(() => tools.em().transactional(found))
}

/** The account of a person, which is theirs from now on; undefined for somebody new where nobody new is let in. */
async function accountOf(
  em: EntityManager,
  { signUp, now }: IdentityTools,
  { orgId, issuer, subject, email, name }: Vouched,
): Promise<User | undefined> {
  const known = await em.findOne(UserIdentity, { issuer, subject })
  if (known) return em.findOneOrFail(User, { id: known.userId })
  const listed = await em.findOne(ScimUser, { orgId, email }, { orderBy: { createdAt: 'asc' } })
  const own = await em.findOne(User, listed ? { id: listed.userId } : { email })
  if (signUp === 'closed' && !(own && (await hasAccount(em, own)))) return undefined
  const user = own ?? newUser(em, email, name, now())
  em.persist(em.create(UserIdentity, { issuer, subject, userId: user.id, createdAt: now() }))
  return user
}

/** Makes a person a viewer who is none yet; false for one whom the directory of the organization has deactivated. */
async function takeIn(em: EntityManager, orgId: string, userId: string, now: Date): Promise<boolean> {
  if ((await em.count(Member, { orgId, userId })) > 0) return true
  if ((await em.count(ScimUser, { orgId, userId, deactivatedAt: { $ne: null } })) > 0) return false
  em.persist(em.create(Member, { orgId, userId, roleId: 'viewer', status: 'active', createdAt: now }))
  return true
}
