/**
 * Tries are counted by (block of addresses, account), in PostgreSQL and so for all processes: five are free, then pauses double
 * from a second on, and after ten the block is refused for the rest of its 15 minutes (decision G-13). An account is never
 * locked: a stranger who guesses keeps himself out and nobody else. Many blocks together are braked too, but for those that
 * the account was signed in to from before: the others take turns, seconds apart. A block that has failed nothing yet is given
 * the next turn that is free and may come for it whenever it likes; one that has failed gets a turn that nobody waits for.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { dayMs, hourMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { blockOf } from '#http/identity/address.ts'
import { Throttle, type ThrottlePurpose } from './throttle-entity.ts'
import type { IdentityTools } from '#http/identity/tools.ts'

const freeTries = 5
const triesMax = 10
const windowMs = 15 * 60_000
const pauseMs = 1_000
/** A clock that is behind by more has been set back. */
const skewMs = 60_000

/**
 * Tries of all blocks in a window beyond which those that are not known take turns, and how far apart: twice as far with every
 * `doubledAfter` more, up to `pauseMaxMs`. A second factor is a million codes, and who guesses at one has the password: slower.
 */
const allOf = {
  login: { freeTries: 100, pauseMs: 1_000, doubledAfter: 50, pauseMaxMs: 4_000 },
  'second-factor': { freeTries: 30, pauseMs: 30_000, doubledAfter: 50, pauseMaxMs: 30_000 },
} as const
/** Turns that may wait to be come for. */
const turnsMax = 10

/** Of all blocks together. */
const everywhere = ''

export interface Trying {
  purpose: keyof typeof allOf
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
  Fault.invalid('too_many_attempts', 'Too many attempts. Try again later.', {
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
  const now = at.getTime()
  const waitMs = await tools.em().transactional(async (em) => {
    const own = await heldRow(em, { purpose, account, block }, at)
    const { count, since } = current(own, at, windowMs)
    const next = nextTry({ count, since }, new Date(own.last).getTime())
    if (next > now) return next - now
    const all = await heldRow(em, { purpose, account, block: everywhere }, at)
    const turn = own.known_at === null ? turnOf(purpose, own, all, at) : { at: now, is: 'new' as const }
    // A turn counts when it is given: those that nobody came for must not add up.
    if (turn.is === 'new') await countTurn(em, { purpose, account }, all, turn.at, at)
    if (turn.at > now) {
      const isGiven = turn.is === 'new'
      const waiting = { count: 0, since: at, last: new Date(turn.at) }
      if (isGiven) await em.nativeUpdate(Throttle, { purpose, account, block }, waiting)
      return turn.at - now
    }
    const tried = { count: count + 1, since: new Date(since), last: at }
    await em.nativeUpdate(Throttle, { purpose, account, block }, tried)
    return 0
  })
  if (waitMs > 0) throw tooMany(waitMs / 1000)
}

/** The last turn that was given, in milliseconds since 1970; it may be ahead. A clock that was set back ends it. */
function lastTurn(purpose: Trying['purpose'], { last }: Row, now: number): number {
  const at = new Date(last).getTime()
  return at - now > allOf[purpose].pauseMaxMs * turnsMax + skewMs ? 0 : at
}

/** One more turn of all blocks together, at `turnAt`. */
async function countTurn(
  em: EntityManager,
  { purpose, account }: Pick<Trying, 'purpose' | 'account'>,
  all: Row,
  turnAt: number,
  at: Date,
): Promise<void> {
  const { count, since } = current(all, at, windowMs)
  const last = new Date(Math.max(turnAt, lastTurn(purpose, all, at.getTime())))
  const now = { count: count + 1, since: new Date(since), last }
  await em.nativeUpdate(Throttle, { purpose, account, block: everywhere }, now)
}

interface Turn {
  /** In milliseconds since 1970. */
  at: number
  /** Given now, given before and waited for, or to be had then by who comes first. */
  is: 'new' | 'kept' | 'open'
}

/** When a block that is not known may try. */
function turnOf(purpose: Trying['purpose'], own: Row, all: Row, at: Date): Turn {
  const { freeTries, pauseMs, doubledAfter, pauseMaxMs } = allOf[purpose]
  const now = at.getTime()
  const { count, since } = current(own, at, windowMs)
  const [began, last] = [new Date(own.since).getTime(), new Date(own.last).getTime()]
  // A block that has counted nothing and yet was here after its window began has a turn, once.
  if (own.count === 0 && since === began && last > began) return { at: last, is: 'kept' }
  const over = current(all, at, windowMs).count - freeTries
  if (over < 0) return { at: now, is: 'new' }
  const apart = Math.min(pauseMaxMs, pauseMs * 2 ** Math.floor(over / doubledAfter))
  const next = Math.max(now, lastTurn(purpose, all, now) + apart)
  const isGiven = next === now || (count === 0 && next - now <= apart * turnsMax)
  return { at: next, is: isGiven ? 'new' : 'open' }
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

/** Takes back what this block has failed, and remembers the block as one of the account's unless `isKnown` is false. */
export async function recordSuccess(
  tools: IdentityTools,
  { purpose, account, ip }: Trying,
  { isKnown = true } = {},
): Promise<void> {
  const block = blockOf(ip)
  const knownAt = tools.now()
  const em = tools.em()
  // `since` at `last`: no turn waits to be come for.
  await em.execute(
    `update throttle set count = 0, since = last, known_at = coalesce(?, known_at)
     where purpose = ? and account = ? and block = ?`,
    [isKnown ? knownAt.toISOString() : null, purpose, account, block],
  )
  await em.execute(
    'update throttle set count = greatest(0, count - 1) where purpose = ? and account = ? and block = ?',
    [purpose, account, everywhere],
  )
}

/** Forgets wrong tries at a password that is no more. The block that set the new one by a code of the mailbox is known. */
export async function passwordReplaced(em: EntityManager, account: string, ip: string, at: Date): Promise<void> {
  await em.execute(`update throttle set count = 0, since = last where purpose = 'login' and account = ?`, [account])
  if (ip === '') return
  const known = { purpose: 'login' as const, account, block: blockOf(ip) }
  await heldRow(em, known, at)
  await em.nativeUpdate(Throttle, known, { knownAt: at })
}

/** Codes an hour that are sent to one address as they are asked for; beyond, those for blocks it was not signed in from are this far apart. */
const sentMax = 20
const apartMs = { first: 20_000, again: 60_000 } as const

export interface Sending {
  purpose: 'verify-sent' | 'reset-sent'
  account: string
  block: string
  /** Whether the block was sent none in the hour: somebody who waits for a code comes before who asks for more of them. */
  isFirst: boolean
}

/**
 * Whether one more code may be sent to an address: its mailbox is not to be flooded from many blocks, nor its owner kept from a
 * code. Blocks it was signed in from always may. What is answered is decided one at a time, until the transaction ends.
 */
export async function maySend(
  em: EntityManager,
  { purpose, account, block, isFirst }: Sending,
  at: Date,
): Promise<boolean> {
  const row = await heldRow(em, { purpose, account, block: everywhere }, at)
  if (current(row, at, hourMs).count < sentMax) return true
  const sinceMs = Math.abs(at.getTime() - new Date(row.last).getTime())
  if (sinceMs >= apartMs[isFirst ? 'first' : 'again']) return true
  return (await em.count(Throttle, { purpose: 'login', account, block, knownAt: { $ne: null } })) > 0
}

/** Counts a code that was sent. */
export async function countSent(
  em: EntityManager,
  { purpose, account }: Pick<Sending, 'purpose' | 'account'>,
  at: Date,
): Promise<void> {
  const all = { purpose, account, block: everywhere }
  const { count, since } = current(await heldRow(em, all, at), at, hourMs)
  await em.nativeUpdate(Throttle, all, { count: count + 1, since: new Date(since), last: at })
}

/** Whose organizations are counted: those of a person, or those made from a block of addresses. */
export type Founding = { account: string; block: '' } | { account: ''; block: string }

/**
 * Counts one more organization of a day, which begins with the first of it. Seconds to wait where there were `max` already: then it is not
 * counted. What is answered is decided one at a time, until the transaction ends.
 */
export async function countFounded(em: EntityManager, of: Founding, max: number, at: Date): Promise<number> {
  const row = await heldRow(em, { purpose: 'organization', ...of }, at)
  const { count, since } = current(row, at, dayMs)
  if (count >= max) return Math.max(1, Math.ceil((since + dayMs - at.getTime()) / 1000))
  const counted = { count: count + 1, since: new Date(since), last: at }
  await em.nativeUpdate(Throttle, { purpose: 'organization', ...of }, counted)
  return 0
}

const knownMs = 90 * 24 * hourMs

/** Deletes what has lost its meaning: counts after two hours, those of organizations after a day, known blocks 90 days after the last sign-in from there. */
export async function pruneThrottles(em: EntityManager, now: Date): Promise<void> {
  const old = (ms: number) => ({ last: { $lt: new Date(now.getTime() - ms) }, knownAt: null })
  await em.nativeDelete(Throttle, { ...old(2 * hourMs), purpose: { $ne: 'organization' } })
  await em.nativeDelete(Throttle, { ...old(dayMs), purpose: 'organization' })
  await em.nativeDelete(Throttle, { knownAt: { $lt: new Date(now.getTime() - knownMs) } })
}
