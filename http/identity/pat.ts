/** Personal access tokens: made once, shown once, and looked up by their hash on each request. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/fault.ts'
import { Organization, PersonalAccessToken } from '#http/identity/entity.ts'
import { granted, type Role } from '#http/identity/role.ts'
import type { Caller } from '#http/route.ts'

const shape = /^svc_pat_[A-Za-z0-9_-]{43}$/
const nameLengthMax = 100
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export interface TokenRequest {
  role: Role
  name: string
  /** Null or left out: it does not expire. */
  expiresAt?: Date | null
  /** Whose token it is; a new user where it is left out. */
  userId?: string
}

/** @throws Fault `invalid` when the name is not 1 to 100 characters */
export async function createOrganization(em: EntityManager, name: string, now = new Date()): Promise<Organization> {
  const organization = em.create(Organization, { id: randomUUID(), name: named(name), createdAt: now })
  await em.persist(organization).flush()
  return organization
}

/** The token and its secret, which cannot be had again. @throws Fault `missing` without such an organization */
export async function createToken(
  em: EntityManager,
  orgId: string,
  { role, name, expiresAt = null, userId = randomUUID() }: TokenRequest,
  now = new Date(),
): Promise<{ token: PersonalAccessToken; secret: string }> {
  if (!uuid.test(orgId) || !(await em.findOne(Organization, { id: orgId }))) throw Fault.missing('organization', orgId)
  const secret = `svc_pat_${randomBytes(32).toString('base64url')}`
  const token = em.create(PersonalAccessToken, {
    id: randomUUID(),
    orgId,
    userId,
    name: named(name),
    role,
    hash: hashOf(secret),
    lastFour: secret.slice(-4),
    createdAt: now,
    expiresAt,
    lastUsedAt: null,
    revokedAt: null,
  })
  await em.persist(token).flush()
  return { token, secret }
}

/** Ends a token; the processes that have it cached follow within five seconds. @throws Fault `missing` */
export async function revokeToken(em: EntityManager, orgId: string, id: string, now = new Date()): Promise<void> {
  const token = await em.findOne(PersonalAccessToken, { orgId, id })
  if (!token) throw Fault.missing('token', id)
  token.revokedAt ??= now
  await em.flush()
}

function named(name: string): string {
  const trimmed = name.trim()
  if (trimmed.length >= 1 && trimmed.length <= nameLengthMax) return trimmed
  throw Fault.invalid('validation_failed', `A name has 1 to ${nameLengthMax} characters.`)
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** The part of a token row that decides about a request. */
export type Known = Pick<PersonalAccessToken, 'id' | 'orgId' | 'userId' | 'role' | 'expiresAt' | 'revokedAt'>

/** Where tokens are kept, as far as a request needs it. */
export interface TokenStore {
  /** The token of this hash, noted as used now. */
  use(hash: string, now: Date): Promise<Known | null>
}

const noteEveryMs = 60_000

/** Tokens in PostgreSQL. Their `lastUsedAt` is written at most once a minute. `fork` gives a fresh entity manager. */
export const tokenStore = (fork: () => EntityManager): TokenStore => ({
  async use(hash, now) {
    const em = fork()
    const token = await em.findOne(PersonalAccessToken, { hash })
    if (token && now.getTime() - (token.lastUsedAt?.getTime() ?? 0) >= noteEveryMs) {
      await em.nativeUpdate(PersonalAccessToken, { id: token.id }, { lastUsedAt: now })
    }
    return token
  },
})

const cachedMs = 5_000
const cachedMax = 10_000

/** Says who a request is from, by its `Authorization` and `X-Org-Id` headers. */
export type Authenticate = (authorization: string | undefined, orgId?: string) => Promise<Caller>

/** Look-ups are kept for five seconds of `now`. @throws (the result) Fault `unauthenticated` or `forbidden` */
export function authenticator(store: TokenStore, now: () => Date): Authenticate {
  const cache = new Map<string, { until: number; found: Promise<Known | null> }>()

  const lookUp = (hash: string): Promise<Known | null> => {
    const at = now().getTime()
    const kept = cache.get(hash)
    if (kept && at < kept.until) return kept.found
    const found = store.use(hash, now())
    cache.delete(hash)
    cache.set(hash, { until: at + cachedMs, found })
    if (cache.size > cachedMax) cache.delete(cache.keys().next().value!)
    void found.then(
      (token) => !token && cache.delete(hash),
      () => cache.delete(hash),
    )
    return found
  }

  return async (authorization, orgId) => {
    const token = await lookUp(hashOf(secretOf(authorization)))
    const over = token?.expiresAt && token.expiresAt.getTime() <= now().getTime()
    if (!token || token.revokedAt || over) throw invalidToken()
    if (orgId !== undefined && orgId !== '' && orgId !== token.orgId) {
      throw Fault.forbidden('not_a_member', 'This token belongs to another organization than X-Org-Id names.')
    }
    const { role, userId } = token
    return { orgId: token.orgId, userId, role, permissions: granted[role], principal: `pat:${token.id}` }
  }
}

function secretOf(authorization: string | undefined): string {
  const [, scheme, credentials] = /^\s*(\S+)\s+(\S+)\s*$/.exec(authorization ?? '') ?? []
  if (scheme?.toLowerCase() !== 'bearer') {
    throw Fault.unauthenticated('unauthenticated', 'Send a personal access token as Authorization: Bearer.')
  }
  if (!credentials || !shape.test(credentials)) throw invalidToken()
  return credentials
}

const invalidToken = () => Fault.unauthenticated('invalid_token', 'The token is unknown, expired or revoked.')
