/** What a forecast needs: days with bills, and how old the newest may be. The API says the same with 422. */
export const daysNeeded = 28
const ageMax = 14

/** Days that are looked at for it, today the last. */
export const daysLooked = 35

/** Of the cost of each day, oldest first: days from the first that has any to the last, and how old that is. */
export function daysBilled(values: readonly number[]): { days: number; canTell: boolean } {
  const first = values.findIndex((value) => value !== 0)
  const last = values.findLastIndex((value) => value !== 0)
  if (first < 0) return { days: 0, canTell: false }
  const days = last - first + 1
  return { days, canTell: days >= daysNeeded && values.length - 1 - last <= ageMax }
}
