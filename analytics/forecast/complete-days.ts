/** Which days are complete: they are what a forecast goes by, and what it counts as settled. Days are YYYY-MM-DD, UTC. */
import { addDays, days, daysBetween } from '#engine/value/day.ts'

export interface AccountDays {
  /** Days with actual lines, in order. */
  billed: readonly string[]
  /** The newest day that its producer called finished; empty for none. */
  closed: string
}

/** Days that an account may be silent and still be waited for; so long a silence between bills is days without cost. */
const silentDays = 7
/** Bills of a day that nobody calls finished are taken to be whole from the day after the next on. */
const wholeAfterDays = 2

/**
 * The newest complete day before `today`: each account that was billed in the week before it has closed it, or has bills that reach it.
 * Undefined where nothing was billed.
 */
export function settledThrough(accounts: readonly AccountDays[], today: string): string | undefined {
  const newest = accounts
    .flatMap(({ billed }) => billed.at(-1) ?? [])
    .toSorted()
    .at(-1)
  const oldest = accounts.flatMap(({ billed }) => billed[0] ?? []).toSorted()[0]
  if (newest === undefined || oldest === undefined) return undefined
  let day = [addDays(newest, silentDays), addDays(today, -1)].toSorted()[0]!
  for (; day >= oldest; day = addDays(day, -1)) if (isComplete(accounts, day, today)) return day
  return undefined
}

function isComplete(accounts: readonly AccountDays[], day: string, today: string): boolean {
  const active = accounts.filter(({ billed }) => billed.some((one) => one <= day && one >= addDays(day, -silentDays)))
  const isOld = day <= addDays(today, -wholeAfterDays)
  const reaches = ({ billed, closed }: AccountDays) => closed >= day || (isOld && billed.at(-1)! >= day)
  return active.length > 0 && active.every(reaches)
}

/**
 * Of which days until `through` it is known what they cost: those with bills of any of the accounts, and those without any that an
 * account was billed around, at most a week before and a week after. Nothing is known of the others.
 */
export function knownDays(accounts: readonly AccountDays[], through: string): ReadonlySet<string> {
  const known = new Set<string>()
  for (const { billed, closed } of accounts) {
    const until = closed < through ? closed : through
    const marks = [...billed.filter((day) => day <= through), ...(until > (billed.at(-1) ?? until) ? [until] : [])]
    for (const [at, mark] of marks.entries()) {
      const next = marks[at + 1]
      known.add(mark)
      if (next === undefined) continue
      for (const day of days(addDays(mark, 1), addDays(next, -1)))
        if (daysBetween(mark, day) <= silentDays && daysBetween(day, next) <= silentDays) known.add(day)
    }
  }
  return known
}
