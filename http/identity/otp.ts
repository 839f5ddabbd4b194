/**
 * One-time passwords (decision G-13): six digits, good for 10 minutes and one use, five tries, the newest replaces older
 * ones, five in an hour. An address nobody has gets a row without a code: it is answered as if it had one.
 */
import { randomInt, timingSafeEqual } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/fault.ts'
import { keyedHash } from '#http/identity/secret.ts'
import type { Purpose } from '#http/identity/session-entity.ts'
import type { IdentityTools } from '#http/identity/tools.ts'

const goodMs = 10 * 60_000
const triesMax = 5
const issuedMax = 5
const hourMs = 60 * 60_000

export const tooMany = (seconds: number): Fault =>
  Fault.invalid('too_many_attempts', 'Too many attempts; try again later.', {
    retryAfter: Math.max(1, Math.ceil(seconds)),
  })

const secretPurpose = 'one-time-password'
const hashed = (secret: Buffer, email: string, purpose: Purpose, code: string): string =>
  keyedHash(secret, `${purpose}\n${email}\n${code}`)

/**
 * Makes the code of an address; undefined when it has had its five of the hour, and the newest stays. `isReal` is false
 * for an address nobody has: no code fits it.
 */
export async function issueCode(
  em: EntityManager,
  tools: IdentityTools,
  email: string,
  purpose: Purpose,
  isReal: boolean,
): Promise<string | undefined> {
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const now = tools.now()
  const over = new Date(now.getTime() - hourMs).toISOString()
  const rows = await em.execute<{ email: string }[]>(
    `insert into one_time_password as o (email, purpose, code_hash, expires_at, tries, issued, issued_since)
     values (?, ?, ?, ?, 0, 1, ?)
     on conflict (email, purpose) do update set code_hash = excluded.code_hash, expires_at = excluded.expires_at, tries = 0,
       issued = case when o.issued_since <= ? then 1 else o.issued + 1 end,
       issued_since = case when o.issued_since <= ? then excluded.issued_since else o.issued_since end
     where o.issued < ? or o.issued_since <= ?
     returning email`,
    [
      email,
      purpose,
      isReal ? hashed(tools.secretFor(secretPurpose), email, purpose, code) : null,
      new Date(now.getTime() + goodMs).toISOString(),
      now.toISOString(),
      over,
      over,
      issuedMax,
      over,
    ],
  )
  return rows.length > 0 ? code : undefined
}

/**
 * Takes a code, once. Every try counts before it is looked at, so that tries at the same time count too.
 * @throws Fault `invalid_otp`, or `too_many_attempts` after five
 */
export async function redeemCode(
  em: EntityManager,
  tools: IdentityTools,
  email: string,
  purpose: Purpose,
  code: string,
): Promise<void> {
  const now = tools.now()
  const [row] = await em.execute<{ code_hash: string | null; expires_at: string; tries: number }[]>(
    `insert into one_time_password as o (email, purpose, code_hash, expires_at, tries, issued, issued_since)
     values (?, ?, null, ?, 1, 0, ?)
     on conflict (email, purpose) do update set tries = o.tries + 1
     returning code_hash, expires_at, tries`,
    [email, purpose, new Date(now.getTime() + goodMs).toISOString(), now.toISOString()],
  )
  const { code_hash: kept, expires_at: expires, tries } = row!
  if (tries > triesMax) throw tooMany((new Date(expires).getTime() - now.getTime()) / 1000)
  const given = tools.secretsFor(secretPurpose).map((secret) => Buffer.from(hashed(secret, email, purpose, code)))
  const isRight = kept !== null && given.some((one) => timingSafeEqual(Buffer.from(kept), one))
  if (!isRight || new Date(expires) <= now) throw wrongCode()
  const taken = await em.execute<{ email: string }[]>(
    'delete from one_time_password where email = ? and purpose = ? and code_hash = ? returning email',
    [email, purpose, kept],
  )
  if (taken.length === 0) throw wrongCode()
}

const wrongCode = () => Fault.invalid('invalid_otp', 'The code is wrong or no longer good.')
