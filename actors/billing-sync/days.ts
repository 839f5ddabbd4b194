/** Which days of a bill are read. Days are YYYY-MM-DD, months YYYY-MM, all UTC. */

const dayMs = 86_400_000

/** The newest day that is over. */
export const newestDay = (now: Date): string => addDays(now.toISOString().slice(0, 10), -1)

export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10)

export function addMonths(month: string, count: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7)
}

export const monthOf = (day: string): string => day.slice(0, 7)
export const firstOf = (month: string): string => `${month}-01`
export const lastOf = (month: string): string => addDays(firstOf(addMonths(month, 1)), -1)

/** Calendar months of history (decision G-91), that of the newest day included. */
export const historyMonths = 13
export const oldestMonth = (newest: string): string => addMonths(monthOf(newest), 1 - historyMonths)

/** Lines come late by so many days; those that close a month until its fifth day is over. */
const lateDays = 4
const closingDays = 5

/** The first day a run reads whose account has been read `through` a day: late lines are read, and no day is left out. */
export function firstDay(through: string, newest: string): string {
  const today = addDays(newest, 1)
  const isClosing = Number(today.slice(8)) <= closingDays
  const from = [
    addDays(newest, 1 - lateDays),
    addDays(through, 1),
    ...(isClosing ? [firstOf(addMonths(monthOf(today), -1))] : []),
  ].toSorted()[0]!
  const oldest = firstOf(oldestMonth(newest))
  return from < oldest ? oldest : from
}
