/**
 * One-time passwords (decision G-13): six digits, valid for 10 minutes and one use. Each address block has its own code
 * for an account: at most five are sent per hour, the newest replaces older ones, and it has five tries. All other
 * blocks share five tries at it, so that a stranger can only invalidate their own code, and prevents nobody from
 * requesting one. An address without an account gets a row without a code, and the same responses.
 */
import { randomInt, timingSafeEqual } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { hourMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { keyedHash } from '#http/identity/token/secret.ts'
import { MailedCode, type Purpose } from './session-entity.ts'
import { countSent, maySend, tooMany } from './throttle.ts'
import type { IdentityTools } from '#http/identity/tools.ts'

const goodMs = 10 * 60_000
const triesMax = 5
const issuedMax = 5

const secretPurpose = 'one-time-password'
const hashCode = (secret: Buffer, email: string, purpose: Purpose, code: string): string =>
  keyedHash(secret, `${purpose}\n${email}\n${code}`)

/** The address of the code, and the requesting address block. */
export interface CodeSubject {
  email: string
  purpose: Purpose
  block: string
}

/** The data of a sign-up. */
export interface SignUp {
  passwordHash: string
  name: string
}

/**
 * Creates the code of an address for a block. Undefined if the block has had its five of the hour, or if many blocks
 * together have had twenty and the last was a moment ago; the newest code then stays. `isReal` is false for an address
 * without an account: no code matches. A code that is sent again confirms the sign-up of the one before.
 */
export async function issueCode(
  em: EntityManager,
  tools: IdentityTools,
  { email, purpose, block }: CodeSubject,
  isReal: boolean,
  signUp?: SignUp,
): Promise<string | undefined> {
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const now = tools.now()
  const hourAgo = new Date(now.getTime() - hourMs)
  const isFirst =
    (await em.count(MailedCode, { email, purpose, block, issued: { $gt: 0 }, issuedSince: { $gt: hourAgo } })) === 0
  const sending = { purpose: `${purpose}-sent`, account: email, block, isFirst } as const
  if (!(await maySend(em, sending, now))) return undefined
  const over = hourAgo.toISOString()
  const rows = await em.execute<{ email: string }[]>(
    `insert into mailed_code as o
       (email, purpose, block, code_hash, expires_at, tries, issued, issued_since, password_hash, name)
     values (?, ?, ?, ?, ?, 0, 1, ?, ?, ?)
     on conflict (email, purpose, block) do update set
       code_hash = excluded.code_hash, expires_at = excluded.expires_at, tries = 0, foreign_tries = 0,
       password_hash = coalesce(excluded.password_hash, o.password_hash), name = coalesce(excluded.name, o.name),
       issued = case when o.issued_since <= ? then 1 else o.issued + 1 end,
       issued_since = case when o.issued_since <= ? then excluded.issued_since else o.issued_since end
     where o.issued < ? or o.issued_since <= ?
     returning email`,
    [
      email,
      purpose,
      block,
      isReal ? hashCode(tools.secretFor(secretPurpose), email, purpose, code) : null,
      new Date(now.getTime() + goodMs).toISOString(),
      now.toISOString(),
      signUp?.passwordHash ?? null,
      signUp?.name ?? null,
      over,
      over,
      issuedMax,
      over,
    ],
  )
  if (rows.length === 0) return undefined
  await countSent(em, sending, now)
  return code
}

interface CodeRow {
  block: string
  code_hash: string
}

/**
 * Uses up a code, and with it the others of the address. Every try is counted before it is checked, so that concurrent
 * tries count, too. Returns the sign-up that the code confirms, if any.
 * @throws Fault `invalid_otp`, or `too_many_attempts` after five
 */
export async function redeemCode(
  em: EntityManager,
  tools: IdentityTools,
  about: CodeSubject,
  code: string,
): Promise<SignUp | undefined> {
  const { email, purpose } = about
  const now = tools.now()
  const own = await triedOwn(em, about, now)
  const others = await triedOthers(em, about, now)
  const given = tools.secretsFor(secretPurpose).map((secret) => Buffer.from(hashCode(secret, email, purpose, code)))
  const isRight = ({ code_hash: kept }: CodeRow) => given.some((one) => timingSafeEqual(Buffer.from(kept), one))
  const right = [...own, ...others].find(isRight)
  if (!right) throw wrongCode()
  const taken = await em.execute<{ password_hash: string | null; name: string | null }[]>(
    'delete from mailed_code where email = ? and purpose = ? and block = ? and code_hash = ? returning password_hash, name',
    [email, purpose, right.block, right.code_hash],
  )
  if (taken.length === 0) throw wrongCode()
  await em.nativeDelete(MailedCode, { email, purpose, codeHash: { $ne: null } })
  const [{ password_hash: passwordHash, name } = { password_hash: null, name: null }] = taken
  return passwordHash === null || name === null ? undefined : { passwordHash, name }
}

/**
 * The code of the requesting block, if it is valid. A block without a code has five tries in ten minutes all the same.
 * @throws Fault `too_many_attempts`
 */
async function triedOwn(em: EntityManager, { email, purpose, block }: CodeSubject, now: Date): Promise<CodeRow[]> {
  const at = now.toISOString()
  const expires = new Date(now.getTime() + goodMs).toISOString()
  const [row] = await em.execute<{ code_hash: string | null; expires_at: string; tries: number }[]>(
    `insert into mailed_code as o (email, purpose, block, code_hash, expires_at, tries, issued, issued_since)
     values (?, ?, ?, null, ?, 1, 0, ?)
     on conflict (email, purpose, block) do update set
       tries = case when o.expires_at <= ? then 1 else o.tries + 1 end,
       code_hash = case when o.expires_at <= ? then null else o.code_hash end,
       expires_at = case when o.expires_at <= ? then excluded.expires_at else o.expires_at end
     returning code_hash, expires_at, tries`,
    [email, purpose, block, expires, at, at, at, at],
  )
  const { code_hash: kept, expires_at: until, tries } = row!
  if (tries > triesMax) throw tooMany((new Date(until).getTime() - now.getTime()) / 1000)
  return kept === null ? [] : [{ block, code_hash: kept }]
}

/** Codes requested by other blocks that others may still try. */
const triedOthers = (em: EntityManager, { email, purpose, block }: CodeSubject, now: Date): Promise<CodeRow[]> =>
  em.execute<CodeRow[]>(
    `update mailed_code set foreign_tries = foreign_tries + 1
     where email = ? and purpose = ? and block <> ? and code_hash is not null and expires_at > ? and foreign_tries < ?
     returning block, code_hash`,
    [email, purpose, block, now.toISOString(), triesMax],
  )

const wrongCode = () => Fault.invalid('invalid_otp', 'The code is wrong or has expired.')
