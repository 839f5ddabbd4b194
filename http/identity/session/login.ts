/** Sign-up, sign-in with a password, and related flows. Nothing here reveals whether an address has an account. */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { recordOfUser } from '#http/identity/organization/audit.ts'
import { User } from '#http/identity/entity.ts'
import { alreadyMail, resetMail, sendMail, uninvitedMail, verifyMail } from '#http/identity/person/mail.ts'
import { blockOf } from '#http/identity/address.ts'
import { issueCode, redeemCode } from './otp.ts'
import { checkPassword } from '#http/identity/password/password-check.ts'
import { hashPassword, isOutdated, isPassword } from '#http/identity/password/password.ts'
import { enter, ownSession, provePassword, type Self } from '#http/identity/second-factor/second-factor.ts'
import { maySignUp, signUpClosed } from './sign-up.ts'
import { dropCodes, endAll, type SignedIn } from './session.ts'
import { Session } from './session-entity.ts'
import { countTry, passwordReplaced, recordSuccess } from './throttle.ts'
import type { Client, IdentityTools } from '#http/identity/tools.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { reply, type Reply } from '#http/store/reply.ts'
import { onceMore } from '#http/store/fault.ts'
import type { Mail } from '#streams/delivery/email.ts'

/** The form in which addresses are stored and compared. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

/** A mail to nobody, so that the work is the same if no mail is to be sent. */
const noMail: Mail = { to: '', subject: '', text: '' }

/**
 * Creates an account that waits for its code. Of several sign-ups, the one whose code is entered counts. The owner of a
 * confirmed address gets a notice instead, and so does a stranger if sign-up is by invitation.
 * @throws Fault `weak_password`; `sign_up_closed` for anybody
 */
export async function signUp(
  tools: IdentityTools,
  given: { email: string; password: string; name: string },
  client: Client,
): Promise<Reply<{ email: string; verificationRequired: boolean }>> {
  if (tools.signUp === 'closed') throw signUpClosed(tools.signUp)
  const email = normalizeEmail(given.email)
  checkPassword(given.password, [email, given.name], 'password')
  const passwordHash = await hashPassword(given.password)
  const now = tools.now()
  const signed = async (em: EntityManager): Promise<void> => {
    const known = await em.findOne(User, { email })
    if (known?.emailVerifiedAt) return sendMail(em, tools, alreadyMail(email))
    const said = { name: given.name.trim(), passwordHash }
    const about = { email, purpose: 'verify', block: blockOf(client.ip) } as const
    const isLetIn = await maySignUp(tools.signUp, em, known)
    const code = await issueCode(em, tools, about, isLetIn, said)
    if (!isLetIn) return sendMail(em, tools, code === undefined ? noMail : uninvitedMail(email))
    const user = known ?? newUser(em, email, given.name, now)
    // Without a new code, the one in the mailbox confirms the password it was sent for.
    if (!known || code !== undefined) Object.assign(user, { ...said, updatedAt: now })
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

const sentReply = { message: 'If the address has an account, an email is on its way.' }

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

/** Sends a code: to confirm a pending address, or to set a new password for a confirmed one. */
export function sendCode(
  tools: IdentityTools,
  given: string,
  purpose: 'verify' | 'reset',
  client: Client,
): Promise<Reply<typeof sentReply>> {
  const email = normalizeEmail(given)
  return transaction(tools.em(), async (em) => {
    const user = await em.findOne(User, { email })
    const isFor =
      purpose === 'reset'
        ? user?.emailVerifiedAt
        : user && !user.emailVerifiedAt && (await maySignUp(tools.signUp, em, user))
    const code = await issueCode(em, tools, { email, purpose, block: blockOf(client.ip) }, Boolean(isFor))
    const mail = purpose === 'reset' ? resetMail : verifyMail
    await sendMail(em, tools, !isFor || code === undefined ? noMail : mail(email, code))
    return reply(sentReply, {})
  })
}

/**
 * Confirms an address, with the sign-up that the code was sent for. @throws Fault `invalid_otp` or `too_many_attempts`
 */
export async function verifyEmail(tools: IdentityTools, given: string, otp: string, client: Client): Promise<void> {
  const email = normalizeEmail(given)
  const said = await redeemCode(tools.em(), tools, { email, purpose: 'verify', block: blockOf(client.ip) }, otp)
  const now = tools.now()
  const confirmed = { ...said, emailVerifiedAt: now, updatedAt: now }
  await tools.em().nativeUpdate(User, { email, emailVerifiedAt: null }, confirmed)
}

/** Sets a new password and ends every session. @throws Fault `weak_password`, `invalid_otp` or `too_many_attempts` */
export async function resetPassword(
  tools: IdentityTools,
  given: { email: string; otp: string; newPassword: string },
  client: Client,
): Promise<void> {
  const email = normalizeEmail(given.email)
  checkPassword(given.newPassword, [email], 'newPassword')
  await redeemCode(tools.em(), tools, { email, purpose: 'reset', block: blockOf(client.ip) }, given.otp)
  await setPassword(tools, email, given.newPassword, client)
}

/** Sets the password of a person, ends every session, and resets failed attempts. @throws Fault `missing` */
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
    await passwordReplaced(em, email, client.ip, now)
    const { principal = '' } = client
    await recordOfUser(em, user.id, { type: 'password_reset', email, principal }, client, now)
    return user.id
  })
  tools.changed({ userId })
}

/**
 * Sets a new password for a signed-in person, and ends all other sessions.
 * @throws Fault `weak_password`, `invalid_password`, `too_many_attempts`; `conflict` if the person has no password
 */
export async function changePassword(
  tools: IdentityTools,
  self: Self,
  given: { currentPassword: string; newPassword: string },
  client: Client,
): Promise<Reply<{ changed: boolean }>> {
  const { id: sessionId } = await ownSession(tools, self)
  const user = await tools.em().findOneOrFail(User, { id: self.userId })
  const { id: userId, email } = user
  if (!user.passwordHash) throw Fault.conflict('invalid_transition', 'The account has no password. Set one by email.')
  checkPassword(given.newPassword, [email, user.name], 'newPassword')
  await provePassword(tools, user, given.currentPassword, client)
  const passwordHash = await hashPassword(given.newPassword)
  const now = tools.now()
  const done = await transaction(tools.em(), async (em) => {
    await em.nativeUpdate(User, { id: userId }, { passwordHash, updatedAt: now })
    await em.nativeUpdate(Session, { userId, id: { $ne: sessionId }, revokedAt: null }, { revokedAt: now })
    await dropCodes(em, userId)
    await recordOfUser(em, userId, { type: 'password_changed', email, principal: self.principal }, client, now)
    return reply({ changed: true }, {})
  })
  tools.changed({ userId })
  return done
}

/**
 * Sign-in with a password. A password is compared whether or not the person exists.
 * @throws Fault `too_many_attempts` as for `countTry`, `invalid_credentials`, `email_not_verified`, `mfa_required`
 */
export async function logIn(
  tools: IdentityTools,
  given: { email: string; password: string },
  client: Client,
): Promise<SignedIn> {
  const email = normalizeEmail(given.email)
  const trying = { purpose: 'login', account: email, ip: client.ip } as const
  await countTry(tools, trying)
  const user = await tools.em().findOne(User, { email })
  if (!(await isPassword(user?.passwordHash ?? null, given.password)) || !user) {
    await recordFailure(tools, email, user?.id, client)
    throw invalidCredentials()
  }
  await recordSuccess(tools, trying, { isKnown: Boolean(user.emailVerifiedAt) })
  if (!user.emailVerifiedAt) {
    await recordFailure(tools, email, user.id, client)
    throw Fault.forbidden('email_not_verified', 'Confirm the email address with the code first.')
  }
  if (isOutdated(user.passwordHash ?? '')) {
    await tools.em().nativeUpdate(User, { id: user.id }, { passwordHash: await hashPassword(given.password) })
  }
  return enter(tools, user, 'email', client)
}

export const invalidCredentials = (): Fault =>
  Fault.unauthenticated('invalid_credentials', 'The email address or the password is wrong.')

const recordFailure = (
  tools: IdentityTools,
  email: string,
  userId: string | undefined,
  client: Client,
): Promise<void> =>
  tools.em().transactional((em) => {
    const happened = { type: 'login_failed', email, detail: { method: 'email' } } as const
    return recordOfUser(em, userId, happened, client, tools.now())
  })
