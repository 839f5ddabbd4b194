/** People who use the product through its API alone, mails included. */
import { randomUUID } from 'node:crypto'
import { hashPassword } from '#http/identity/password/password.ts'
import { Member, User } from '#http/identity/entity.ts'
import { newUser } from '#http/identity/session/login.ts'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { refreshSession, startSession } from '#http/identity/session/session.ts'
import { asService } from '#http/store/tenant.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { answerOf, dnsRecords, testProduct, until, type Answer } from '#test/harness/product.ts'

export interface Ask {
  token?: string
  orgId?: string
  body?: unknown
  headers?: Record<string, string>
}

/** One request of the running product. */
export async function ask<T = any>(method: string, path: string, how: Ask = {}): Promise<Answer<T>> {
  const { url } = await testProduct()
  const { token, orgId, body, headers = {} } = how
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(orgId !== undefined && { 'X-Org-Id': orgId }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return answerOf<T>(response)
}

export interface ReceivedMail {
  at: string
  to: string
  subject: string
  text: string
}

export const mailsTo = async (to: string): Promise<ReceivedMail[]> =>
  (await ask('GET', `/internal/sim/mails?to=${encodeURIComponent(to)}`)).body.data

/** The newest code sent to an address, once it has had `count` mails. */
export async function codeFor(email: string, count = 1): Promise<string> {
  await until(`mail ${count} to ${email}`, async () => (await mailsTo(email)).length >= count)
  return (await mailsTo(email)).flatMap(({ text }) => /\b\d{6}\b/.exec(text)?.[0] ?? []).at(-1)!
}

export const password = 'correct horse battery'

/** An address nobody has. */
export const address = (): string => `${randomUUID().slice(0, 12)}@example.com`

export interface Person {
  email: string
  accessToken: string
  refreshToken: string
  tenants: { id: string; name: string }[]
}

/** Somebody who signed up, confirmed their address by the mailed code and signed in: all of it over the API. */
export async function signedUp(email = address()): Promise<Person> {
  await ask('POST', '/auth/signup', { body: { email, password, name: 'Ana' } })
  await ask('PATCH', '/auth/email/otp/validate', { body: { email, otp: await codeFor(email) } })
  return login(email)
}

let passwordHash: Promise<string> | undefined

/**
 * Somebody with a confirmed address, signed in once with `password`: what `signedUp` leaves behind, without its requests, its mail and
 * its hashing of a password.
 */
export async function person(email = address(), name = 'Ana'): Promise<Person> {
  const identity = (await testProduct()).product.get(tokens.identity)
  const hash = await (passwordHash ??= hashPassword(password))
  const now = identity.now()
  const user = await asService(() =>
    identity.em().transactional(async (em) => {
      // An invitation has made one already, which waits for its person.
      const user = (await em.findOne(User, { email })) ?? newUser(em, email, name, now)
      return Object.assign(user, { name, passwordHash: hash, emailVerifiedAt: now })
    }),
  )
  const signedIn = await asService(() => startSession(identity, user, { method: 'email' }, machine))
  return { email, ...signedIn }
}

/** Where people of tests ask from, as the edge sees them. */
const machine = { ip: '127.0.0.1', userAgent: 'node', requestId: '' }

export async function login(email: string): Promise<Person> {
  const { status, body } = await ask('POST', '/auth/login', { body: { provider: 'email', email, password } })
  if (status !== 200) throw new Error(`cannot sign in: ${JSON.stringify(body)}`)
  return { email, ...body.data }
}

export interface Founder extends Person {
  orgId: string
  /** Their user id. */
  userId: string
}

/** Somebody with an organization of their own, active in it. Nothing of it is written down as a security event. */
export async function founder(name = 'Acme'): Promise<Founder> {
  const identity = (await testProduct()).product.get(tokens.identity)
  const { id: orgId } = await asService(() => createOrganization(identity.em(), name, identity))
  return joined(await person(), orgId, 'owner')
}

/** The same over the API: written down as a security event. */
export async function founded(name: string): Promise<Founder> {
  const who = await person()
  const made = await ask('POST', '/organisations', { token: who.accessToken, body: { name } })
  const orgId = made.body.data.id as string
  return { ...(await active(who, orgId)), orgId, userId: claimsOf(who.accessToken)['sub'] as string }
}

/** The same person as a member, active in the organization: what an invitation leaves behind that was taken up, without its mail. */
async function joined(who: Person, orgId: string, roleId: string): Promise<Founder> {
  const identity = (await testProduct()).product.get(tokens.identity)
  const userId = claimsOf(who.accessToken)['sub'] as string
  return asService(async () => {
    const em = identity.em()
    const member = { orgId, userId, roleId, status: 'active' as const, createdAt: identity.now() }
    await em.persist(em.create(Member, member)).flush()
    return { ...who, ...(await refreshSession(identity, who.refreshToken, orgId, machine)), orgId, userId }
  })
}

/** The same person, active in an organization. */
export async function active(who: Person, tenantID: string): Promise<Person> {
  const { status, body } = await ask('POST', '/auth/refresh', { body: { refreshToken: who.refreshToken, tenantID } })
  if (status !== 200) throw new Error(`cannot switch: ${JSON.stringify(body)}`)
  return { ...who, ...body.data }
}

/** A member of an organization, with a role, signed in and active there. */
export const colleague = async (of: Pick<Founder, 'orgId'>, roleID: string): Promise<Founder> =>
  joined(await person(address(), 'Ben'), of.orgId, roleID)

/** The same by an invitation over the API: mailed, and written down as a security event. */
export async function invited(of: Founder, roleID: string): Promise<Founder> {
  const email = address()
  const made = await ask('POST', '/members', { token: of.accessToken, body: { email, roleID } })
  if (made.status !== 201) throw new Error(`cannot invite: ${JSON.stringify(made.body)}`)
  const who = await active(await person(email, 'Ben'), of.orgId)
  return { ...who, orgId: of.orgId, userId: made.body.data.userID }
}

interface ShownDomain {
  domain: string
  record: { name: string; value: string }
}

/** Writes the record of an identity provider's domain into the DNS and has it looked for. */
export async function proved(
  who: Pick<Founder, 'accessToken' | 'orgId'>,
  { domain, record }: ShownDomain,
): Promise<void> {
  dnsRecords.set(record.name, [...(dnsRecords.get(record.name) ?? []), record.value])
  const path = `/organisations/${who.orgId}/saml/domains/${domain}/verify`
  const { status, body } = await ask('POST', path, { token: who.accessToken })
  if (status !== 200) throw new Error(`cannot prove ${domain}: ${JSON.stringify(body)}`)
}

/** What a token says; nothing is checked. */
export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>

/**
 * Moves the product's clock on, or sets it. Tests that do move it back when they are done. Jobs of other organizations than
 * `orgId` lose their next time: all of the run share the clock, and days of jobs of hundreds of them would take minutes.
 */
export const advance = (seconds: number, orgId = ''): Promise<Answer> => moveClock({ advanceSeconds: seconds }, orgId)
export const setClock = (now: Date, orgId = ''): Promise<Answer> => moveClock({ now: now.toISOString() }, orgId)

async function moveClock(to: object, orgId: string): Promise<Answer> {
  const { connections } = await testProduct()
  await connections.store.pool.query(`delete from reminder where kind = 'job' and org_id <> $1`, [orgId])
  return ask('POST', '/internal/clock', { body: to })
}

export const resetClock = (): Promise<Answer> =>
  ask('POST', '/internal/clock', { body: { now: new Date().toISOString() } })
