/** What a forecast needs: complete days, and how old the newest may be. The API says the same with 422. */
export const daysNeeded = 28
const ageMax = 14
/** A day is settled 48 hours after its end. */
const wholeAfter = 3
/** Between bills so many days without any are days without cost. */
const silentMax = 7

/** Days that are looked at for it, today the last. */
export const daysLooked = 35

/**
 * Of the cost of each day, oldest first: how many are known and whole, and whether that is enough. Days of a long silence are not known.
 * One that its producer called finished, or that a later export confirmed, is settled earlier: the API knows, this waits.
 */
export function daysBilled(values: readonly number[]): { days: number; canTell: boolean } {
  const newest = values.length - 1
  const billed = values.flatMap((value, at) => (value !== 0 && at <= newest - wholeAfter ? [at] : []))
  const last = billed.at(-1)
  if (last === undefined) return { days: 0, canTell: false }
  const days = billed.reduce((sum, at, n) => sum + 1 + silentDays(at, billed[n + 1]), 0)
  return { days, canTell: days >= daysNeeded && newest - last <= ageMax }
}

/** Between two bills: those at most a week behind the one and before the other. */
function silentDays(from: number, to: number | undefined): number {
  const between = to === undefined ? 0 : to - from - 1
  return Math.max(0, Math.min(between, 2 * silentMax - between))
}
