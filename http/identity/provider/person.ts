/**
 * The user that an organization's own provider means, with any protocol. People are identified by the provider's id for
 * them, never by address; the address decides whether the organization may vouch for them at all.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Member, User, UserIdentity } from '#http/identity/entity.ts'
import { newUser, normalizeEmail } from '#http/identity/session/login.ts'
import { ProviderDomain } from './entity.ts'
import { hasAccount } from '#http/identity/session/sign-up.ts'
import { ScimUser } from './scim-entity.ts'
import type { IdentityTools } from '#http/identity/tools.ts'
import { onceMore } from '#http/store/fault.ts'
import { addressLengthMax, hasHidden, mailAddress, withoutHidden } from '#streams/text.ts'

/** A person as a provider describes them. */
export interface VouchedPerson {
  orgId: string
  /** Whose id `subject` is. */
  issuer: string
  subject: string
  /** Lower case. */
  email: string
  name: string
}

/** Why an organization cannot vouch for a person. */
export type NotVouched = 'another domain' | 'a person of another domain' | 'deactivated' | 'no new people'

export const domainOf = (email: string): string => normalizeEmail(email).split('@')[1] ?? ''

const mail = new RegExp(mailAddress)
/**
 * The Kelvin sign, whose lower case is k, and the replacement character: with these another person's address would be
 * read.
 */
const misread = /[\u212A\uFFFD]/

/** An address from a provider, normalized; undefined if it is not exactly one address. */
export function addressOf(given: unknown): string | undefined {
  const text = typeof given === 'string' ? given.trim() : ''
  const isOne = text.length <= addressLengthMax && text.isWellFormed() && mail.test(text) && !misread.test(text)
  return isOne ? normalizeEmail(text) : undefined
}

/** Both standards allow at most 256 characters; with the longest issuer it still fits into a PostgreSQL index. */
const subjectMax = 256

/** Whether it can be a provider's id for a person. */
export const isSubject = (given: unknown): given is string =>
  typeof given === 'string' && given !== '' && given.length <= subjectMax && given.isWellFormed() && !hasHidden(given)

const nameMax = 100

/** The name from a provider, normalized; the address if there is none. */
export const nameOf = (given: unknown, email: string): string =>
  (typeof given === 'string' && withoutHidden(given).trim().slice(0, nameMax).toWellFormed()) || email

export const isProved = async (em: EntityManager, orgId: string, email: string): Promise<boolean> =>
  (await em.count(ProviderDomain, { domain: domainOf(email), orgId, verifiedAt: { $ne: null } })) > 0

/** The user that a provider names. The first time, the user is created, or becomes a viewer of the organization. */
export async function userVouchedFor(
  tools: IdentityTools,
  vouched: VouchedPerson,
  refused: (why: NotVouched) => Error,
): Promise<User> {
  const { orgId, email } = vouched
  const now = tools.now()
  const found = async (em: EntityManager) => {
    if (!(await isProved(em, orgId, email))) throw refused('another domain')
    const user = await accountOf(em, tools, vouched)
    if (!user) throw refused('no new people')
    // The user may be from before the domains were proved, or from former domains: the organization can only vouch for
    // its own people.
    if (!(await isProved(em, orgId, user.email))) throw refused('a person of another domain')
    if (!(await takeIn(em, orgId, user.id, now))) throw refused('deactivated')
    return user
  }
  return onceMore(() => tools.em().transactional(found))
}

/**
 * The account of a person, which is linked to them from now on; undefined for a new person if new people are not
 * accepted.
 */
async function accountOf(
  em: EntityManager,
  { signUp, now }: IdentityTools,
  { orgId, issuer, subject, email, name }: VouchedPerson,
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

/** Makes a person a viewer if they have no role yet; false if the organization's directory has deactivated them. */
async function takeIn(em: EntityManager, orgId: string, userId: string, now: Date): Promise<boolean> {
  if ((await em.count(Member, { orgId, userId })) > 0) return true
  if ((await em.count(ScimUser, { orgId, userId, deactivatedAt: { $ne: null } })) > 0) return false
  em.persist(em.create(Member, { orgId, userId, roleId: 'viewer', status: 'active', createdAt: now }))
  return true
}
