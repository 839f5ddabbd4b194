/**
 * A second factor: TOTP (RFC 6238, SHA-1, six digits, 30 seconds), with ten recovery codes for a lost device. A code is
 * valid once; the secret is sealed. Signing in returns `mfa_required` with a challenge, which a code turns into a
 * session.
 */
import { randomBytes } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { generateSecret, generateURI, verifySync } from 'otplib'
import { Fault } from '#engine/value/fault.ts'
import { recordOfUser } from '#http/identity/organization/audit.ts'
import { User } from '#http/identity/entity.ts'
import { isPassword } from '#http/identity/password/password.ts'
import { RecoveryCode, SecondFactor, SecondFactorChallenge } from './entity.ts'
import { hashOf, newSecret } from '#http/identity/token/secret.ts'
import { Session, type Method } from '#http/identity/session/session-entity.ts'
import { startSession, type Beginning, type SignedIn } from '#http/identity/session/session.ts'
import { countTry, recordSuccess } from '#http/identity/session/throttle.ts'
import type { Client, IdentityTools } from '#http/identity/tools.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { reply, type Reply } from '#http/store/reply.ts'
import { secondFactorSealed } from '#http/identity/sealed-columns.ts'

const stepSeconds = 30
const challengeMs = 5 * 60_000
/** Maximum codes tried for one challenge; after that the password is required again. */
const challengeTries = 5
const recoveryCodes = 10
/**
 * Maximum age of a session that may enroll for an account without a password, because nothing else proves the person.
 */
const freshMs = 5 * 60_000
/** Characters of a recovery code: 80 bits. */
const recoveryLength = 16

/** Encrypts the secret; below, decrypts it. Only used here. */
const sealSecret = (tools: IdentityTools, secret: string): string =>
  tools.seal(secondFactorSealed, '', { totp: secret })
const openSecret = (tools: IdentityTools, row: SecondFactor): string =>
  (tools.open(secondFactorSealed, '', row.sealed) as { totp: string }).totp

/** A signed-in person, in a session. */
export interface Self {
  userId: string
  sessionId?: string
  principal: string
}

export interface SecondFactorState {
  enabled: boolean
  enabledAt: string | null
  recoveryCodesLeft: number
}

export async function secondFactorOf(tools: IdentityTools, userId: string): Promise<SecondFactorState> {
  const em = tools.em()
  const { confirmedAt = null } = (await em.findOne(SecondFactor, { userId })) ?? {}
  const left = confirmedAt === null ? 0 : await em.count(RecoveryCode, { userId, usedAt: null })
  return { enabled: confirmedAt !== null, enabledAt: confirmedAt?.toISOString() ?? null, recoveryCodesLeft: left }
}

/** Whether a person must enter a second factor. */
export const hasSecondFactor = async (em: EntityManager, userId: string): Promise<boolean> =>
  (await em.count(SecondFactor, { userId, confirmedAt: { $ne: null } })) > 0

/**
 * @throws Fault `forbidden` for a session through an organization's own provider, which must not change the person's
 * account
 */
export async function ownSession(tools: IdentityTools, { sessionId }: Self): Promise<Session> {
  const session = await tools.em().findOneOrFail(Session, { id: sessionId ?? '' })
  if (session.boundTo === null) return session
  throw Fault.forbidden('forbidden', 'A session through an identity provider is limited to its organization.')
}

/**
 * Checks the password of a signed-in person; a person without one needs none. Wrong ones count like those of a sign-in.
 * @throws Fault `invalid_password`, `too_many_attempts`
 */
export async function provePassword(
  tools: IdentityTools,
  user: User,
  password: string | undefined,
  client: Client,
): Promise<void> {
  if (user.passwordHash === null || user.passwordHash === undefined) return
  const trying = { purpose: 'login', account: user.email, ip: client.ip } as const
  await countTry(tools, trying)
  if (!(await isPassword(user.passwordHash, password ?? ''))) {
    throw Fault.forbidden('invalid_password', 'The password is wrong.')
  }
  await recordSuccess(tools, trying, { isKnown: false })
}

/** @throws Fault `fresh_sign_in_required` */
function checkFresh({ createdAt }: Session, now: Date): void {
  if (now.getTime() - createdAt.getTime() <= freshMs) return
  throw Fault.forbidden(
    'fresh_sign_in_required',
    'The account has no password. Sign in again, then enroll within five minutes.',
  )
}

/**
 * Starts to enroll: the secret has no effect until a code of it is entered. A newer one replaces it.
 * @throws Fault `conflict` if there is a second factor; `fresh_sign_in_required` without a password; those of
 * `provePassword`
 */
export async function beginSecondFactor(
  tools: IdentityTools,
  self: Self,
  password: string | undefined,
  client: Client,
): Promise<Reply<{ secret: string; otpauthURL: string }>> {
  const session = await ownSession(tools, self)
  const { userId } = self
  const user = await tools.em().findOneOrFail(User, { id: userId })
  if (!user.passwordHash) checkFresh(session, tools.now())
  await provePassword(tools, user, password, client)
  const secret = generateSecret()
  const createdAt = tools.now()
  return transaction(tools.em(), async (em) => {
    const rows = await em.execute<object[]>(
      `insert into second_factor as f (user_id, sealed, last_step, confirmed_at, created_at) values (?, ?, 0, null, ?)
       on conflict (user_id) do update set sealed = excluded.sealed, created_at = excluded.created_at
       where f.confirmed_at is null returning user_id`,
      [userId, sealSecret(tools, secret), createdAt.toISOString()],
    )
    if (rows.length === 0)
      throw Fault.conflict('already_exists', 'Two-factor authentication is already enabled. Disable it first.')
    const otpauthURL = generateURI({ issuer: 'Tidemark', label: user.email, secret })
    return reply({ secret, otpauthURL }, { headers: { 'Cache-Control': 'no-store' } })
  })
}

/**
 * Enables it with a first code; the session counts as having used it. Returns the recovery codes, which are shown only
 * here.
 * @throws Fault `invalid_otp`, `too_many_attempts`, `conflict` if it was not started or is enabled
 */
export async function confirmSecondFactor(
  tools: IdentityTools,
  self: Self,
  code: string,
  client: Client,
): Promise<Reply<{ recoveryCodes: string[] }>> {
  const session = await ownSession(tools, self)
  const { userId } = self
  const user = await tools.em().findOneOrFail(User, { id: userId })
  const trying = { purpose: 'second-factor', account: user.email, ip: client.ip } as const
  await countTry(tools, trying)
  const now = tools.now()
  const codes = Array.from({ length: recoveryCodes }, newRecoveryCode)
  const made = await transaction(tools.em(), async (em) => {
    await em.execute('select from second_factor where user_id = ? for update', [userId])
    const row = await em.findOne(SecondFactor, { userId })
    if (!row || row.confirmedAt)
      throw Fault.conflict('invalid_transition', 'There is no pending two-factor enrollment to confirm.')
    if (!(await takeCode(em, tools, row, code))) throw wrongCode()
    await em.nativeUpdate(SecondFactor, { userId }, { confirmedAt: now })
    await em.nativeDelete(RecoveryCode, { userId })
    for (const one of codes) await em.insert(RecoveryCode, { userId, hash: recoveryHash(userId, one) })
    await em.nativeUpdate(Session, { id: session.id }, { secondFactor: true })
    await recordOfUser(em, userId, { type: 'second_factor_enabled', ...about(self, user) }, client, now)
    return reply({ recoveryCodes: codes }, { headers: { 'Cache-Control': 'no-store' } })
  })
  await recordSuccess(tools, trying, { isKnown: false })
  tools.changed({ userId })
  return made
}

const about = ({ principal }: Pick<Self, 'principal'>, { email }: User) => ({ principal, email })

/**
 * Disables it, with the password and a code of it or a recovery code.
 * @throws Fault as `provePassword` and `confirmSecondFactor`
 */
export async function disableSecondFactor(
  tools: IdentityTools,
  self: Self,
  { password, code }: { password?: string; code: string },
  client: Client,
): Promise<void> {
  await ownSession(tools, self)
  const user = await tools.em().findOneOrFail(User, { id: self.userId })
  await provePassword(tools, user, password, client)
  const trying = { purpose: 'second-factor', account: user.email, ip: client.ip } as const
  await countTry(tools, trying)
  await transaction(tools.em(), async (em) => {
    const row = await em.findOne(SecondFactor, { userId: user.id, confirmedAt: { $ne: null } })
    if (!row) throw Fault.conflict('invalid_transition', 'Two-factor authentication is not enabled.')
    if (!(await takeCode(em, tools, row, code))) throw wrongCode()
    await removeFactor(em, user, self.principal, client, tools.now())
    return reply(undefined, {})
  })
  await recordSuccess(tools, trying, { isKnown: false })
  tools.changed({ userId: user.id })
}

/**
 * For operators: removes the second factor of a person who has lost it. False if there was none.
 * @throws Fault `missing`
 */
export async function resetSecondFactor(
  tools: IdentityTools,
  email: string,
  client: Client & { principal: string },
): Promise<boolean> {
  const user = await tools.em().findOne(User, { email })
  if (!user) throw Fault.missing('user', email)
  const was = await tools.em().transactional(async (em) => {
    if (!(await hasSecondFactor(em, user.id))) return false
    await removeFactor(em, user, client.principal, client, tools.now())
    return true
  })
  tools.changed({ userId: user.id })
  return was
}

async function removeFactor(em: EntityManager, user: User, principal: string, client: Client, at: Date): Promise<void> {
  const userId = user.id
  await em.nativeDelete(SecondFactor, { userId })
  await em.nativeDelete(RecoveryCode, { userId })
  await em.nativeDelete(SecondFactorChallenge, { userId })
  await em.nativeUpdate(Session, { userId, revokedAt: null }, { secondFactor: false })
  await recordOfUser(em, userId, { type: 'second_factor_disabled', principal, email: user.email }, client, at)
}

/**
 * Starts the session of a person whose identity is proven, or requires the second factor first.
 * @throws Fault `forbidden` `mfa_required`, with the challenge for `answerChallenge`
 */
export async function enter(
  tools: IdentityTools,
  user: User,
  method: Method,
  client: Client,
  beginning: Pick<Beginning, 'orgId' | 'proof'> = {},
): Promise<SignedIn> {
  const { id: userId } = user
  if (!(await hasSecondFactor(tools.em(), userId))) return startSession(tools, user, { ...beginning, method }, client)
  const challenge = newSecret()
  const expiresAt = new Date(tools.now().getTime() + challengeMs)
  await tools.em().transactional(async (em) => {
    await beginning.proof?.(em)
    await em.insert(SecondFactorChallenge, { hash: hashOf(challenge), userId, method, expiresAt })
  })
  throw new Fault('forbidden', 'mfa_required', 'Send the challenge together with a two-factor code.', {
    members: { challenge, expiresAt: expiresAt.toISOString() },
    isSecret: true,
  })
}

/**
 * Turns a challenge into a session, with a code of the second factor or a recovery code.
 * @throws Fault `invalid_challenge` if it is not valid any more, `invalid_otp`, `too_many_attempts`
 */
export async function answerChallenge(
  tools: IdentityTools,
  given: { challenge: string; code: string },
  client: Client,
): Promise<SignedIn> {
  const hash = hashOf(given.challenge)
  const [waiting] = await tools.em().execute<{ user_id: string; method: Method; email: string }[]>(
    `update second_factor_challenge c set tries = c.tries + 1 from app_user u
       where c.hash = ? and c.expires_at > ? and c.tries < ? and u.id = c.user_id returning c.user_id, c.method, u.email`,
    [hash, tools.now().toISOString(), challengeTries],
  )
  if (!waiting) throw noChallenge()
  const { user_id: userId, method, email } = waiting
  const trying = { purpose: 'second-factor', account: email, ip: client.ip } as const
  await countTry(tools, trying)
  const user = await tools.em().findOneOrFail(User, { id: userId })
  const proof = (em: EntityManager) => takeChallenge(em, tools, { hash, user, code: given.code }, client)
  const signedIn = await startSession(tools, user, { method, secondFactor: true, proof }, client).catch(
    async (error: unknown) => {
      if (error instanceof Fault && error.code === wrongCode().code) await recordFailure(tools, user, client)
      throw error
    },
  )
  await recordSuccess(tools, trying)
  return signedIn
}

/** Uses up the challenge and the code, in the transaction of the session. */
async function takeChallenge(
  em: EntityManager,
  tools: IdentityTools,
  { hash, user, code }: { hash: string; user: User; code: string },
  client: Client,
): Promise<void> {
  const row = await em.findOne(SecondFactor, { userId: user.id, confirmedAt: { $ne: null } })
  if (!row || (await em.nativeDelete(SecondFactorChallenge, { hash })) === 0) throw noChallenge()
  const taken = await takeCode(em, tools, row, code)
  if (!taken) throw wrongCode()
  if (taken === 'recovery') {
    await recordOfUser(em, user.id, { type: 'recovery_code_used', email: user.email }, client, tools.now())
  }
}

const recordFailure = (tools: IdentityTools, { id, email }: User, client: Client): Promise<void> =>
  tools.em().transactional((em) => {
    const happened = { type: 'login_failed', email, detail: { method: 'second_factor' } } as const
    return recordOfUser(em, id, happened, client, tools.now())
  })

/**
 * Uses up a code: one from the device, of the current step or one step before or after it and newer than the last one
 * used, or a recovery code.
 */
async function takeCode(
  em: EntityManager,
  tools: IdentityTools,
  row: SecondFactor,
  code: string,
): Promise<'device' | 'recovery' | undefined> {
  const { userId } = row
  if (!/^[0-9]{6}$/.test(code)) {
    // A second factor that was never confirmed has no recovery codes.
    const hash = recoveryHash(userId, code)
    const used = await em.nativeUpdate(RecoveryCode, { userId, hash, usedAt: null }, { usedAt: tools.now() })
    return used === 1 ? 'recovery' : undefined
  }
  const epoch = Math.floor(tools.now().getTime() / 1000)
  const found = verifySync({ secret: openSecret(tools, row), token: code, epoch, epochTolerance: stepSeconds })
  if (!found.valid || !('timeStep' in found)) return undefined
  // Of two requests with the same code, one finds it unused.
  const lastStep = found.timeStep
  const taken = await em.nativeUpdate(SecondFactor, { userId, lastStep: { $lt: lastStep } }, { lastStep })
  return taken === 1 ? 'device' : undefined
}

/** 32 characters that people do not confuse: five bits each. */
const letters = 'abcdefghijkmnpqrstuvwxyz23456789'

/** Four groups of four characters. */
const newRecoveryCode = (): string =>
  [...randomBytes(recoveryLength)]
    .map((byte) => letters[byte % letters.length]!)
    .join('')
    .replaceAll(/(.{4})(?=.)/g, '$1-')

/** Ignores how it is typed. A fast hash is safe for 80 random bits, and stays valid when keys are rotated. */
const recoveryHash = (userId: string, code: string): string =>
  hashOf(`${userId}\n${code.toLowerCase().replaceAll(/[\s-]/g, '')}`)

const wrongCode = () => Fault.invalid('invalid_otp', 'The code is wrong or has expired.')
const noChallenge = () => Fault.unauthenticated('invalid_challenge', 'The challenge has expired. Sign in again.')
