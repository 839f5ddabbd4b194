/**
 * Sessions (decision G-10): an access token of 15 minutes and an opaque refresh token, which is valid for one use, for
 * 30 days after the last use and 90 days in all. Reusing a refresh token ends the session, except right after its use:
 * a client that lost the response gets the same successor again.
 */
import { dayMs } from '#engine/value/day.ts'
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { invalidToken } from '#http/identity/token/access-token.ts'
import { recordEvent, recordOfUser } from '#http/identity/organization/audit.ts'
import { Member, Organization, User } from '#http/identity/entity.ts'
import { isActive, reasonOf } from '#http/identity/organization/invitation.ts'
import { LoginCode } from '#http/identity/provider/entity.ts'
import { hashOf, keyedHash, newSecret } from '#http/identity/token/secret.ts'
import { amrOf, RefreshToken, Session, type Method } from './session-entity.ts'
import type { Client, IdentityTools } from '#http/identity/tools.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { Reply, reply } from '#http/store/reply.ts'

const slidingMs = 30 * dayMs
const absoluteMs = 90 * dayMs
/** Milliseconds within which a repeat gets the same response. */
const graceMs = 10_000

const shape = /^[A-Za-z0-9_-]{43}$/

export interface Pair {
  accessToken: string
  refreshToken: string
}

export interface SignedIn extends Pair {
  tenants: { id: string; name: string }[]
  user: { email: string; name: string }
}

/** How a session starts. */
export interface Beginning {
  method: Method
  boundTo?: string | null
  secondFactor?: boolean
  /** The organization it starts in, if the person is active there; otherwise the oldest one. */
  orgId?: string
  /** Uses up the proof of identity, in the session's transaction. */
  proof?: (em: EntityManager) => Promise<void>
}

const userAgentMax = 200

/** Starts a session of a person whose identity is proven. Only the organization it starts in is notified. */
export async function startSession(
  tools: IdentityTools,
  user: User,
  { method, boundTo = null, secondFactor = false, orgId: wanted, proof }: Beginning,
  client: Client,
): Promise<SignedIn> {
  const now = tools.now()
  const token = newSecret()
  await warm(tools)
  const { payload } = await transaction(tools.em(), async (em) => {
    await proof?.(em)
    const found = await membershipsOf(em, { userId: user.id, boundTo })
    const { orgId = '' } = (await enterOrganization(em, user, found, { boundTo, orgId: wanted })) ?? {}
    const made = em.create(Session, {
      id: randomUUID(),
      userId: user.id,
      orgId,
      boundTo,
      method,
      ip: client.ip,
      userAgent: client.userAgent.slice(0, userAgentMax),
      secondFactor,
      amr: [...amrOf[method]],
      createdAt: now,
      expiresAt: new Date(now.getTime() + absoluteMs),
      revokedAt: null,
    })
    em.persist([made, refreshRow(em, made, token, now)])
    const happened = { type: 'login', principal: `session:${made.id}`, email: user.email, detail: { method } } as const
    await recordEvent(em, { ...happened, orgId: boundTo ?? orgId, userId: user.id }, client, now)
    const tenants = await toTenants(em, found)
    const accessToken = await accessTokenOf(tools, user, made, found)
    const shown = { email: user.email, name: user.name }
    return reply({ accessToken, refreshToken: token, tenants, user: shown }, {})
  })
  tools.changed({ userId: user.id })
  return payload
}

/**
 * The organization in which a session starts: the requested one, the oldest one, or one whose invitation the sign-in
 * accepts.
 */
async function enterOrganization(
  em: EntityManager,
  user: User,
  members: readonly Member[],
  { boundTo, orgId }: { boundTo: string | null; orgId: string | undefined },
): Promise<Member | undefined> {
  const active = members.filter(isActive)
  const own = active.find((member) => member.orgId === orgId) ?? active[0]
  const first = boundTo === null ? (own ?? (await reasonOf(em, user, members))) : members[0]
  if (first) first.status = 'active'
  return first
}

/** The organizations of a session, as shown at sign-in. */
export const tenantsOf = async (em: EntityManager, session: Session): Promise<{ id: string; name: string }[]> =>
  toTenants(em, await membershipsOf(em, session))

/** Loads the signing key: inside a transaction this would take a second connection, which may not be available. */
const warm = ({ keys }: IdentityTools): Promise<unknown> => keys.signer()

/** In the order of `members`. */
async function toTenants(em: EntityManager, members: readonly Member[]): Promise<{ id: string; name: string }[]> {
  const found = await em.find(Organization, { id: members.map((member) => member.orgId) })
  const names = new Map(found.map(({ id, name }) => [id, name]))
  return members.map(({ orgId: id }) => ({ id, name: names.get(id) ?? '' }))
}

function refreshRow(em: EntityManager, session: Session, token: string, now: Date): RefreshToken {
  const end = Math.min(now.getTime() + slidingMs, session.expiresAt.getTime())
  const row = { hash: hashOf(token), sessionId: session.id, createdAt: now, expiresAt: new Date(end), usedAt: null }
  return em.create(RefreshToken, row)
}

function accessTokenOf(
  { tokens }: IdentityTools,
  { id, email, name }: User,
  { id: sid, orgId, method, amr, secondFactor }: Session,
  members: readonly Member[],
): Promise<string> {
  const role = members.find((member) => member.orgId === orgId)?.roleId
  const begun = amr.length > 0 ? amr : amrOf[method]
  const shownAmr = secondFactor ? [...begun, 'otp', 'mfa'] : begun
  const active = role === undefined ? {} : { 'tenant-id': orgId, org_id: orgId, role }
  return tokens.sign({ sub: id, sid, email, name, amr: shownAmr, ...active })
}

type Outcome = { session: Session; user: User; members: Member[]; successor: string } | { reused: Session }

/**
 * A new pair for an unused refresh token. `tenantId` becomes the active organization; without it, that does not change.
 * @throws Fault `invalid_token`; Fault `not_a_member`, which leaves the token unused
 */
export async function refreshSession(
  tools: IdentityTools,
  token: string,
  tenantId: string | undefined,
  client: Client,
): Promise<Pair> {
  if (!shape.test(token)) throw invalidToken()
  await warm(tools)
  const outcome = await transaction(tools.em(), async (em) => {
    const made = await rotateToken(em, tools, token, tenantId)
    if ('reused' in made) return made
    const { session, user, members, successor } = made
    return reply({ accessToken: await accessTokenOf(tools, user, session, members), refreshToken: successor }, {})
  })
  if (outcome instanceof Reply) return outcome.payload
  await end(tools, outcome.reused, 'refresh_reused', client)
  throw invalidToken()
}

/** Serialized by a lock on the session's row. */
async function rotateToken(
  em: EntityManager,
  tools: IdentityTools,
  token: string,
  tenantId?: string,
): Promise<Outcome> {
  const now = tools.now()
  const hash = hashOf(token)
  const { sessionId } = (await em.findOne(RefreshToken, { hash })) ?? {}
  if (sessionId === undefined) throw invalidToken()
  await em.execute('select from session where id = ? for update', [sessionId])
  const session = await em.findOneOrFail(Session, { id: sessionId })
  const given = await em.findOneOrFail(RefreshToken, { hash }, { refresh: true })
  if (session.revokedAt || session.expiresAt <= now || given.expiresAt <= now) throw invalidToken()
  const [fresh, ...before] = tools.secretsFor('refresh-token').map((secret) => keyedHash(secret, token))
  const successor = given.usedAt ? await findSuccessor(em, given, [fresh!, ...before], now) : fresh
  if (successor === undefined) return { reused: session }
  const user = await em.findOneOrFail(User, { id: session.userId })
  const members = await membershipsOf(em, session)
  switchTo(session, tenantId, members)
  if (given.usedAt === null) {
    given.usedAt = now
    em.persist(refreshRow(em, session, successor, now))
  }
  return { session, user, members, successor }
}

/**
 * The successor of a used token, if it comes back only because its response was lost: soon, and before the successor
 * was used.
 */
async function findSuccessor(
  em: EntityManager,
  given: RefreshToken,
  successors: readonly string[],
  now: Date,
): Promise<string | undefined> {
  if (now.getTime() - (given.usedAt?.getTime() ?? 0) >= graceMs) return undefined
  const [row] = await em.find(RefreshToken, { hash: successors.map(hashOf), usedAt: null })
  return row && successors.find((one) => hashOf(one) === row.hash)
}

/** Naming an organization accepts its invitation. @throws Fault `forbidden` `not_a_member` */
function switchTo(session: Session, tenantId: string | undefined, members: readonly Member[]): void {
  const wanted = members.find(({ orgId }) => orgId === (tenantId || session.orgId))
  if (tenantId) {
    if (!wanted) throw notAMember()
    wanted.status = 'active'
  }
  session.orgId = (wanted && isActive(wanted) ? wanted : members.find(isActive))?.orgId ?? ''
}

/** `who`: the refused caller, as far as the token tells; for the audit trail, never for the response. */
export const notAMember = (who?: RefusedCaller): Fault =>
  new Fault(
    'forbidden',
    'not_a_member',
    'You are not a member of this organization, or the token is for another one.',
    {
      ...(who && { who }),
    },
  )

/** A caller who was refused when only the token was known. */
export interface RefusedCaller {
  /** The organization of the token, where the refusal is recorded. */
  orgId: string
  userId: string
  principal: string
}

/** The organizations that a session may be active in, oldest first, and those that have invited its person. */
async function membershipsOf(
  em: EntityManager,
  { userId, boundTo = null }: Pick<Session, 'userId' | 'boundTo'>,
): Promise<Member[]> {
  const own = { userId, ...(boundTo === null ? {} : { orgId: boundTo }) } satisfies Partial<Member>
  return em.find(Member, own, { orderBy: { createdAt: 'asc', orgId: 'asc' } })
}

/** Ends a session: its refresh tokens and access tokens are refused from now on. */
async function end(
  tools: IdentityTools,
  { id, userId, boundTo = null }: Pick<Session, 'id' | 'userId' | 'boundTo'>,
  type: 'logout' | 'refresh_reused',
  client: Client,
): Promise<void> {
  const now = tools.now()
  await tools.em().transactional(async (em) => {
    await em.nativeUpdate(Session, { id, revokedAt: null }, { revokedAt: now })
    const happened = { type, principal: `session:${id}` }
    if (boundTo === null) await recordOfUser(em, userId, happened, client, now)
    else await recordEvent(em, { ...happened, orgId: boundTo, userId }, client, now)
  })
  tools.changed({ sessionId: id })
}

/** The session of a refresh token, used or not. */
export async function sessionOf(em: EntityManager, token: string): Promise<Session | null> {
  const known = shape.test(token) ? await em.findOne(RefreshToken, { hash: hashOf(token) }) : null
  return known && em.findOne(Session, { id: known.sessionId })
}

export async function logout(tools: IdentityTools, sessionId: string, client: Client): Promise<void> {
  const session = await tools.em().findOne(Session, { id: sessionId })
  if (session) await end(tools, session, 'logout', client)
}

/** Revokes whatever could start a session of a person: links and pending codes. */
export const dropCodes = (em: EntityManager, userId: string): Promise<number> => em.nativeDelete(LoginCode, { userId })

/**
 * Ends every session of a person, and revokes whatever could start one, in the transaction of `em`; the caller notifies
 * the processes.
 */
export async function endAll(em: EntityManager, userId: string, now: Date): Promise<void> {
  await dropCodes(em, userId)
  await em.nativeUpdate(Session, { userId, revokedAt: null }, { revokedAt: now })
}
