/**
 * Who an organization's own provider means, whatever it speaks. A person is known by what the provider calls them, never by their
 * address; the address says whether the organization may vouch for them at all.
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

/** A person as a provider tells of them. */
export interface VouchedPerson {
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

export const domainOf = (email: string): string => normalizeEmail(email).split('@')[1] ?? ''

const mail = new RegExp(mailAddress)
/** The Kelvin sign, in small letters a k, and what stands for a sign that could not be read: somebody else's address would be read. */
const misread = /[\u212A\uFFFD]/

/** An address that a provider gives, as addresses are kept; undefined for what is none, or is more than one. */
export function addressOf(given: unknown): string | undefined {
  const text = typeof given === 'string' ? given.trim() : ''
  const isOne = text.length <= addressLengthMax && text.isWellFormed() && mail.test(text) && !misread.test(text)
  return isOne ? normalizeEmail(text) : undefined
}

/** Both standards allow no more; an index of PostgreSQL holds it with the longest issuer, whatever its letters. */
const subjectMax = 256

/** Whether it can be what a provider calls a person. */
export const isSubject = (given: unknown): given is string =>
  typeof given === 'string' && given !== '' && given.length <= subjectMax && given.isWellFormed() && !hasHidden(given)

const nameMax = 100

/** The name that a provider gives, as names are kept; the address without one. */
export const nameOf = (given: unknown, email: string): string =>
  (typeof given === 'string' && withoutHidden(given).trim().slice(0, nameMax).toWellFormed()) || email

export const isProved = async (em: EntityManager, orgId: string, email: string): Promise<boolean> =>
  (await em.count(ProviderDomain, { domain: domainOf(email), orgId, verifiedAt: { $ne: null } })) > 0

/** The user that a provider names; made, or made a viewer of the organization, when it is the first time. */
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

/** Makes a person a viewer who is none yet; false for one whom the directory of the organization has deactivated. */
async function takeIn(em: EntityManager, orgId: string, userId: string, now: Date): Promise<boolean> {
  if ((await em.count(Member, { orgId, userId })) > 0) return true
  if ((await em.count(ScimUser, { orgId, userId, deactivatedAt: { $ne: null } })) > 0) return false
  em.persist(em.create(Member, { orgId, userId, roleId: 'viewer', status: 'active', createdAt: now }))
  return true
}
