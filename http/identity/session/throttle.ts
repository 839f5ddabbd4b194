/**
 * Counts tries by (address block, account) in PostgreSQL, so for all processes: five are free, then pauses double from
 * one second on, and after ten the block is refused for the rest of its 15 minutes (decision G-13). An account is never
 * locked: password guessing locks out only the attacker. If many blocks try the same account, their tries must be some
 * seconds apart, except those of blocks from which the account was signed in to before. A block without a failed try
 * gets the next free turn and may use it at any later time; one with failed tries gets a turn that is not reserved.
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
/** Milliseconds; a clock that is behind by more has been set back. */
const skewMs = 60_000

/**
 * Free tries of all blocks in a window, after which unknown blocks get turns `pauseMs` apart; the pause doubles with
 * every `doubledAfter` further tries, up to `pauseMaxMs`. A second factor has only a million codes, and anyone who
 * guesses one has the password already, so it is slower.
 */
const allOf = {
  login: { freeTries: 100, pauseMs: 1_000, doubledAfter: 50, pauseMaxMs: 4_000 },
  'second-factor': { freeTries: 30, pauseMs: 30_000, doubledAfter: 50, pauseMaxMs: 30_000 },
} as const
/** Maximum reserved turns that are still unused. */
const turnsMax = 10

/** All blocks together. */
const everywhere = ''

export interface Trying {
  purpose: keyof typeof allOf
  /** A normalized address. */
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

/** The current count of a row: zero if its window has ended. */
function current(row: Row | undefined, at: Date, lengthMs: number): { count: number; since: number } {
  const since = row ? new Date(row.since).getTime() : at.getTime()
  const age = at.getTime() - since
  const isOver = !row || age >= lengthMs || age < -skewMs
  return isOver ? { count: 0, since: at.getTime() } : { count: row.count, since }
}

/** When a block may try next, milliseconds since 1970. */
function nextTry({ count, since }: { count: number; since: number }, last: number): number {
  if (count >= triesMax) return since + windowMs
  return count < freeTries ? 0 : Math.min(since + windowMs, last + pauseMs * 2 ** (count - freeTries))
}

/**
 * Counts a try as failed before it is checked, so that concurrent tries count, too; `recordSuccess` undoes that.
 * @throws Fault `too_many_attempts` with the seconds to wait
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
    // A turn counts when it is assigned, so that unused ones do not add up.
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

/**
 * The last assigned turn, milliseconds since 1970; it may be in the future. If the clock was set back, it no longer
 * counts.
 */
function lastTurn(purpose: Trying['purpose'], { last }: Row, now: number): number {
  const at = new Date(last).getTime()
  return at - now > allOf[purpose].pauseMaxMs * turnsMax + skewMs ? 0 : at
}

/** Counts one more turn of all blocks together, at `turnAt`. */
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
  /** Milliseconds since 1970. */
  at: number
  /** `new`: assigned now; `kept`: assigned before and reserved; `open`: available then to whoever comes first. */
  is: 'new' | 'kept' | 'open'
}

/** When an unknown block may try. */
function turnOf(purpose: Trying['purpose'], own: Row, all: Row, at: Date): Turn {
  const { freeTries, pauseMs, doubledAfter, pauseMaxMs } = allOf[purpose]
  const now = at.getTime()
  const { count, since } = current(own, at, windowMs)
  const [began, last] = [new Date(own.since).getTime(), new Date(own.last).getTime()]
  // A block with a count of zero that was here after its window began has a reserved turn, once.
  if (own.count === 0 && since === began && last > began) return { at: last, is: 'kept' }
  const over = current(all, at, windowMs).count - freeTries
  if (over < 0) return { at: now, is: 'new' }
  const apart = Math.min(pauseMaxMs, pauseMs * 2 ** Math.floor(over / doubledAfter))
  const next = Math.max(now, lastTurn(purpose, all, now) + apart)
  const isGiven = next === now || (count === 0 && next - now <= apart * turnsMax)
  return { at: next, is: isGiven ? 'new' : 'open' }
}

/** The row, locked until the transaction ends; a new row has a count of zero. */
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

/** Resets this block's failed tries, and remembers it as one of the account's blocks unless `isKnown` is false. */
export async function recordSuccess(
  tools: IdentityTools,
  { purpose, account, ip }: Trying,
  { isKnown = true } = {},
): Promise<void> {
  const block = blockOf(ip)
  const knownAt = tools.now()
  const em = tools.em()
  // `since = last` means that no turn is reserved.
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

/**
 * Resets failed tries at a password that has been replaced. The block that set the new one with a mailed code becomes
 * known.
 */
export async function passwordReplaced(em: EntityManager, account: string, ip: string, at: Date): Promise<void> {
  await em.execute(`update throttle set count = 0, since = last where purpose = 'login' and account = ?`, [account])
  if (ip === '') return
  const known = { purpose: 'login' as const, account, block: blockOf(ip) }
  await heldRow(em, known, at)
  await em.nativeUpdate(Throttle, known, { knownAt: at })
}

/**
 * Codes per hour sent to one address without a pause. Below: the pause after that, for blocks from which the account
 * was not signed in to before.
 */
const sentMax = 20
const apartMs = { first: 20_000, again: 60_000 } as const

export interface Sending {
  purpose: 'verify-sent' | 'reset-sent'
  account: string
  block: string
  /** Whether the block was sent none in the hour: it comes before blocks that request more. */
  isFirst: boolean
}

/**
 * Whether one more code may be sent to an address. Requests from many blocks must neither flood the mailbox nor keep
 * its owner from getting a code. Blocks from which the account was signed in to before may always request one.
 * Decisions are serialized until the transaction ends.
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

/** Counts a sent code. */
export async function countSent(
  em: EntityManager,
  { purpose, account }: Pick<Sending, 'purpose' | 'account'>,
  at: Date,
): Promise<void> {
  const all = { purpose, account, block: everywhere }
  const { count, since } = current(await heldRow(em, all, at), at, hourMs)
  await em.nativeUpdate(Throttle, all, { count: count + 1, since: new Date(since), last: at })
}

/** Whose organizations are counted: those of a person, or those created from an address block. */
export type Founding = { account: string; block: '' } | { account: ''; block: string }

/**
 * Counts one more organization in a window of one day, which begins with the first. Returns the seconds to wait if
 * there were already `max`; then it is not counted. Decisions are serialized until the transaction ends.
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

/**
 * Deletes expired rows: counts after two hours, those of organizations after a day, known blocks 90 days after the last
 * sign-in from there.
 */
export async function pruneThrottles(em: EntityManager, now: Date): Promise<void> {
  const old = (ms: number) => ({ last: { $lt: new Date(now.getTime() - ms) }, knownAt: null })
  await em.nativeDelete(Throttle, { ...old(2 * hourMs), purpose: { $ne: 'organization' } })
  await em.nativeDelete(Throttle, { ...old(dayMs), purpose: 'organization' })
  await em.nativeDelete(Throttle, { knownAt: { $lt: new Date(now.getTime() - knownMs) } })
}
