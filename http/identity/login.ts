/** Sign-up, sign-in by password, and what goes with them. Nothing here tells whether an address has an account. */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/fault.ts'
import { recordOfUser } from '#http/identity/audit.ts'
import { User } from '#http/identity/entity.ts'
import { alreadyMail, resetMail, sendMail, verifyMail } from '#http/identity/mail.ts'
import { issueCode, redeemCode, tooMany } from '#http/identity/otp.ts'
import { hashPassword, isOutdated, isPassword } from '#http/identity/password.ts'
import { endAll, startSession, type SignedIn } from '#http/identity/session.ts'
import { LoginFailure } from '#http/identity/session-entity.ts'
import type { Client, IdentityTools } from '#http/identity/tools.ts'
import { transaction } from '#http/store/keyed.ts'
import { reply, type Reply } from '#http/store/reply.ts'
import { onceMore } from '#http/store/fault.ts'
import type { Mail } from '#streams/delivery/email.ts'

/** As addresses are kept and compared. */
export const normalized = (email: string): string => email.trim().toLowerCase()

const failuresMax = 10
const failuresMs = 15 * 60_000

/** A mail that nobody gets, so that the work is the same where nobody is to get one. */
const noMail: Mail = { to: '', subject: '', text: '' }

/**
 * Makes an account that waits for its code. Of two sign-ups the newer one counts until the address is confirmed; the owner
 * of a confirmed one is told instead.
 */
export async function signUp(
  tools: IdentityTools,
  given: { email: string; password: string; name: string },
): Promise<Reply<{ email: string; verificationRequired: boolean }>> {
  const email = normalized(given.email)
  const passwordHash = await hashPassword(given.password)
  const now = tools.now()
  const signed = async (em: EntityManager): Promise<void> => {
    const known = await em.findOne(User, { email })
    if (known?.emailVerifiedAt) return sendMail(em, tools, alreadyMail(email))
    const code = await issueCode(em, tools, email, 'verify', true)
    const user = known ?? newUser(em, email, given.name, now)
    // Without a new code the one in the mailbox confirms the password it was sent for.
    if (!known || code !== undefined) Object.assign(user, { name: given.name.trim(), passwordHash, updatedAt: now })
    await em.flush()
    return sendMail(em, tools, code === undefined ? noMail : verifyMail(email, code))
  }
  return onceMore(() =>
    transaction(tools.em(), async (em) => {
      await signed(em)
      return reply({ email: given.email, verificationRequired: true }, {})
    }),
  )
}

const sent = { message: 'If the address has an account, a mail is on its way.' }

export function newUser(em: EntityManager, email: string, name: string, now: Date): User {
  const user = em.create(User, {
    id: randomUUID(),
    email,
    name: name.trim(),
    passwordHash: null,
    emailVerifiedAt: null,
    createdAt: now,
    updatedAt: now,
  })
  em.persist(user)
  return user
}

/** Sends a code: to confirm an address that waits for it, or to set a new password for one that is confirmed. */
export function sendCode(
  tools: IdentityTools,
  given: string,
  purpose: 'verify' | 'reset',
): Promise<Reply<typeof sent>> {
  const email = normalized(given)
  return transaction(tools.em(), async (em) => {
    const user = await em.findOne(User, { email })
    const isFor = purpose === 'reset' ? user?.emailVerifiedAt : user && !user.emailVerifiedAt
    const code = await issueCode(em, tools, email, purpose, Boolean(isFor))
    const mail = purpose === 'reset' ? resetMail : verifyMail
    await sendMail(em, tools, !isFor || code === undefined ? noMail : mail(email, code))
    return reply(sent, {})
  })
}

/** Confirms an address. @throws Fault `invalid_otp` or `too_many_attempts` */
export async function verifyEmail(tools: IdentityTools, given: string, otp: string): Promise<void> {
  const email = normalized(given)
  await redeemCode(tools.em(), tools, email, 'verify', otp)
  const now = tools.now()
  await tools.em().nativeUpdate(User, { email, emailVerifiedAt: null }, { emailVerifiedAt: now, updatedAt: now })
}

/** Sets a new password and ends every session. @throws Fault `invalid_otp` or `too_many_attempts` */
export async function resetPassword(
  tools: IdentityTools,
  given: { email: string; otp: string; newPassword: string },
  client: Client,
): Promise<void> {
  const email = normalized(given.email)
  await redeemCode(tools.em(), tools, email, 'reset', given.otp)
  await setPassword(tools, email, given.newPassword, client)
}

/** Sets the password of a person, ends every session and forgets wrong tries. @throws Fault `missing` */
export async function setPassword(
  tools: IdentityTools,
  email: string,
  password: string,
  client: Client & { principal?: string },
): Promise<void> {
  const passwordHash = await hashPassword(password)
  const now = tools.now()
  const userId = await tools.em().transactional(async (em) => {
    const user = await em.findOne(User, { email })
    if (!user) throw Fault.missing('user', email)
    Object.assign(user, { passwordHash, emailVerifiedAt: user.emailVerifiedAt ?? now, updatedAt: now })
    await endAll(em, user.id, now)
    await em.nativeDelete(LoginFailure, { email })
    const { principal = '' } = client
    await recordOfUser(em, user.id, { type: 'password_reset', email, principal }, client, now)
    return user.id
  })
  tools.changed({ userId })
}

/**
 * Sign-in by password. The password is compared whether there is such a person or not.
 * @throws Fault `too_many_attempts` after ten wrong ones in 15 minutes, `invalid_credentials`, `email_not_verified`
 */
export async function logIn(
  tools: IdentityTools,
  given: { email: string; password: string },
  client: Client,
): Promise<SignedIn> {
  const email = normalized(given.email)
  await countTry(tools, email)
  const user = await tools.em().findOne(User, { email })
  if (!(await isPassword(user?.passwordHash ?? null, given.password)) || !user) {
    await failed(tools, email, user?.id, client)
    throw invalidCredentials()
  }
  await tools.em().nativeDelete(LoginFailure, { email })
  if (!user.emailVerifiedAt) {
    await failed(tools, email, user.id, client)
    throw Fault.forbidden('email_not_verified', 'Confirm the address with the code first.')
  }
  if (isOutdated(user.passwordHash ?? '')) {
    await tools.em().nativeUpdate(User, { id: user.id }, { passwordHash: await hashPassword(given.password) })
  }
  return startSession(tools, user, { method: 'email' }, client)
}

export const invalidCredentials = (): Fault =>
  Fault.unauthenticated('invalid_credentials', 'The address and the password do not go together.')

/** A try counts as failed until it succeeds, so that tries at the same time count too. */
async function countTry(tools: IdentityTools, email: string): Promise<void> {
  const at = tools.now()
  const since = new Date(at.getTime() - failuresMs)
  await tools.em().transactional(async (em) => {
    await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`login ${email}`])
    const failures = await em.find(LoginFailure, { email, at: { $gt: since } }, { orderBy: { at: 'desc' } })
    const oldest = failures[failuresMax - 1]
    if (oldest) throw tooMany((oldest.at.getTime() + failuresMs - at.getTime()) / 1000)
    em.persist(em.create(LoginFailure, { id: randomUUID(), email, at }))
  })
}

const failed = (tools: IdentityTools, email: string, userId: string | undefined, client: Client): Promise<void> =>
  tools.em().transactional((em) => {
    const happened = { type: 'login_failed', email, detail: { method: 'email' } } as const
    return recordOfUser(em, userId, happened, client, tools.now())
  })
