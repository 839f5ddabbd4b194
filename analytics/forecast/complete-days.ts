/** Of which settled days it is known what they cost: they are what a forecast goes by. Days are YYYY-MM-DD, UTC. */
import { addDays, days, daysBetween } from '#engine/value/day.ts'

export interface AccountDays {
  /** Days with actual lines, in order. */
  billed: readonly string[]
  /** The newest day that its producer called finished; empty for none. */
  closed: string
}

/** So many days of silence between two bills are days without cost. */
const silentDays = 7

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
