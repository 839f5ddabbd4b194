/** What a forecast needs: complete days, and how old the newest may be. The API says the same with 422. */
export const daysNeeded = 28
const ageMax = 14
/** Bills of a day are taken to be whole from the day after the next on. */
const wholeAfter = 2
/** Between bills so many days without any are days without cost. */
const silentMax = 7

/** Days that are looked at for it, today the last. */
export const daysLooked = 35

/**
 * Of the cost of each day, oldest first: how many are known and whole, and whether that is enough. Days of a long silence are not known.
 * One that its producer called finished is whole a day earlier: the API knows, this waits for the day.
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
