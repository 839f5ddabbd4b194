/**
 * Tries are counted by (block of addresses, account), in PostgreSQL and so for all processes: five are free, then pauses double
 * from a second on, and after ten the block is refused for the rest of its 15 minutes (decision G-13). An account is never
 * locked: a stranger who guesses keeps himself out and nobody else. Many blocks together are braked too, but for those that
 * the account was signed in to from before.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/fault.ts'
import { blockOf } from '#http/identity/address.ts'
import { Throttle, type ThrottlePurpose } from '#http/identity/throttle-entity.ts'
import type { IdentityTools } from '#http/identity/tools.ts'

const freeTries = 5
const triesMax = 10
const windowMs = 15 * 60_000
const pauseMs = 1_000
/** A clock that is behind by more has been set back. */
const skewMs = 60_000

/** Tries of all blocks in a window, beyond which only blocks that are known are let try. */
const allMax = { login: 100, 'second-factor': 30 } as const

/** Of all blocks together. */
const everywhere = ''

export interface Trying {
  purpose: keyof typeof allMax
  /** An address, as it is kept. */
  account: string
  ip: string
}

interface Row {
  count: number
  since: string
  last: string
  known_at: string | null
}

export const tooMany = (seconds: number): Fault =>
  Fault.invalid('too_many_attempts', 'Too many attempts; try again later.', {
    retryAfter: Math.max(1, Math.ceil(seconds)),
  })

/** Counts of a row now: those of a window that is over are none. */
function current(row: Row | undefined, at: Date, lengthMs: number): { count: number; since: number } {
  const since = row ? new Date(row.since).getTime() : at.getTime()
  const age = at.getTime() - since
  const isOver = !row || age >= lengthMs || age < -skewMs
  return isOver ? { count: 0, since: at.getTime() } : { count: row.count, since }
}

/** When a block may try next, in milliseconds since 1970. */
function nextTry({ count, since }: { count: number; since: number }, last: number): number {
  if (count >= triesMax) return since + windowMs
  return count < freeTries ? 0 : Math.min(since + windowMs, last + pauseMs * 2 ** (count - freeTries))
}

/**
 * Counts a try as failed, before it is looked at, so that tries at the same time count too; `succeeded` takes it back.
 * @throws Fault `too_many_attempts`, with the seconds to wait
 */
export async function countTry(tools: IdentityTools, { purpose, account, ip }: Trying): Promise<void> {
  const at = tools.now()
  const block = blockOf(ip)
  await tools.em().transactional(async (em) => {
    const own = await heldRow(em, { purpose, account, block }, at)
    const { count, since } = current(own, at, windowMs)
    const next = nextTry({ count, since }, new Date(own.last).getTime())
    if (next > at.getTime()) throw tooMany((next - at.getTime()) / 1000)
    if (own.known_at === null) await checkAll(em, purpose, account, at)
    const now = { count: count + 1, since: new Date(since), last: at }
    await em.nativeUpdate(Throttle, { purpose, account, block }, now)
    await countOfAll(em, purpose, account, at, windowMs)
  })
}

/** The row, held until the transaction ends; a new one has counted nothing. */
async function heldRow(
  em: EntityManager,
  { purpose, account, block }: { purpose: ThrottlePurpose; account: string; block: string },
  at: Date,
): Promise<Row> {
  const now = at.toISOString()
  const [row] = await em.execute<Row[]>(
    `insert into throttle as t (purpose, account, block, count, since, last) values (?, ?, ?, 0, ?, ?)
     on conflict (purpose, account, block) do update set count = t.count returning count, since, last, known_at`,
    [purpose, account, block, now, now],
  )
  return row!
}

async function rowOfAll(em: EntityManager, purpose: ThrottlePurpose, account: string): Promise<Row | undefined> {
  const [row] = await em.execute<Row[]>(
    'select count, since, last, known_at from throttle where purpose = ? and account = ? and block = ?',
    [purpose, account, everywhere],
  )
  return row
}

/** @throws Fault `too_many_attempts` when all blocks together have tried too often */
async function checkAll(em: EntityManager, purpose: Trying['purpose'], account: string, at: Date): Promise<void> {
  const { count, since } = current(await rowOfAll(em, purpose, account), at, windowMs)
  if (count >= allMax[purpose]) throw tooMany((since + windowMs - at.getTime()) / 1000)
}

/** One more of all blocks together, in a window of `lengthMs`. */
async function countOfAll(
  em: EntityManager,
  purpose: ThrottlePurpose,
  account: string,
  at: Date,
  lengthMs: number,
): Promise<void> {
  const { count, since } = current(await heldRow(em, { purpose, account, block: everywhere }, at), at, lengthMs)
  const now = { count: count + 1, since: new Date(since), last: at }
  await em.nativeUpdate(Throttle, { purpose, account, block: everywhere }, now)
}

/** Takes back what this block has failed, and remembers the block as one of the account's unless `isKnown` is false. */
export async function succeeded(
  tools: IdentityTools,
  { purpose, account, ip }: Trying,
  { isKnown = true } = {},
): Promise<void> {
  const block = blockOf(ip)
  const knownAt = tools.now()
  const em = tools.em()
  await em.nativeUpdate(Throttle, { purpose, account, block }, { count: 0, ...(isKnown && { knownAt }) })
  await em.execute(
    'update throttle set count = greatest(0, count - 1) where purpose = ? and account = ? and block = ?',
    [purpose, account, everywhere],
  )
}

/** Forgets wrong tries at a password that is no more. The block that set the new one by a code of the mailbox is known. */
export async function passwordReplaced(em: EntityManager, account: string, ip: string, at: Date): Promise<void> {
  await em.nativeUpdate(Throttle, { purpose: 'login', account }, { count: 0 })
  if (ip === '') return
  const known = { purpose: 'login' as const, account, block: blockOf(ip) }
  await heldRow(em, known, at)
  await em.nativeUpdate(Throttle, known, { knownAt: at })
}

const hourMs = 60 * 60_000
/** Codes an hour that are sent to one address for blocks it was not signed in from before. */
const sentMax = 20

/** Whether one more code may be sent to an address: its mailbox is not to be flooded from many blocks. Blocks it was signed in from always may. */
export async function maySend(
  em: EntityManager,
  purpose: 'verify-sent' | 'reset-sent',
  account: string,
  block: string,
  at: Date,
): Promise<boolean> {
  const { count } = current(await rowOfAll(em, purpose, account), at, hourMs)
  if (count < sentMax) return true
  return (await em.count(Throttle, { purpose: 'login', account, block, knownAt: { $ne: null } })) > 0
}

/** Counts a code that was sent. */
export const countSent = (
  em: EntityManager,
  purpose: 'verify-sent' | 'reset-sent',
  account: string,
  at: Date,
): Promise<void> => countOfAll(em, purpose, account, at, hourMs)

const knownMs = 90 * 24 * hourMs

/** Deletes what has lost its meaning: counts after two hours, known blocks 90 days after the last sign-in from there. */
export async function pruneThrottles(em: EntityManager, now: Date): Promise<void> {
  await em.nativeDelete(Throttle, { last: { $lt: new Date(now.getTime() - 2 * hourMs) }, knownAt: null })
  await em.nativeDelete(Throttle, { knownAt: { $lt: new Date(now.getTime() - knownMs) } })
}
