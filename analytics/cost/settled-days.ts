/** Which days are settled (decision G-115): comparisons end with them. Days are YYYY-MM-DD, UTC. */
import { addDays, daysBetween } from '#engine/value/day.ts'

/** How far the bills of an account reach; empty text for none. */
export interface AccountReach {
  id: string
  /** The first day with a line of a bill, within the days read. */
  billedSince: string
  /** The newest day with a line of a bill. */
  billedThrough: string
  /** The newest day that a later export confirmed unchanged. */
  confirmedThrough: string
  /** The newest day that its producer marked as complete. */
  closedThrough: string
}

export interface Reach {
  /** The oldest of the accounts' newest days, late accounts left out. */
  billedThrough: string
  /** Null if no account has a settled day yet. */
  settledThrough: string | null
  /** IDs of accounts whose bills end more than three days before the newest. */
  lateAccounts: string[]
}

/** A day is settled this many days after it: 48 hours after its end. */
export const settledAfterDays = 3
/** An account is late from this many days behind the newest account. */
const lateAfterDays = 3

const latest = (...days: string[]): string => days.toSorted().at(-1) ?? ''
const earliest = (...days: string[]): string => days.toSorted()[0] ?? ''

/**
 * Today is never settled. A day without lines is settled if its producer marked it as complete or a settled day follows
 * it. None if the first bill is of a day that is not settled yet.
 */
function settledThrough(account: AccountReach, today: string): string[] {
  const { billedSince, billedThrough, confirmedThrough, closedThrough } = account
  const old = earliest(billedThrough, addDays(today, -settledAfterDays))
  const day = earliest(latest(old, confirmedThrough, closedThrough), addDays(today, -1))
  return day < billedSince ? [] : [day]
}

/** Undefined if nothing was billed. */
export function reachOf(accounts: readonly AccountReach[], today: string): Reach | undefined {
  const known = accounts
    .map((account) => ({
      id: account.id,
      reaches: latest(account.billedThrough, account.closedThrough),
      settled: settledThrough(account, today),
    }))
    .filter(({ reaches }) => reaches !== '')
  const newest = latest(...known.map(({ reaches }) => reaches))
  const isLate = ({ reaches }: { reaches: string }) => daysBetween(reaches, newest) > lateAfterDays
  const counted = known.filter((one) => !isLate(one))
  if (counted.length === 0) return undefined
  return {
    billedThrough: earliest(...counted.map(({ reaches }) => reaches)),
    settledThrough: counted.flatMap(({ settled }) => settled).toSorted()[0] ?? null,
    lateAccounts: known
      .filter(isLate)
      .map(({ id }) => id)
      .toSorted(),
  }
}
