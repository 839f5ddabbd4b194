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

/** Days of a month on which the one before it is read too: by then its provider has closed it. */
const closingDays = 10

/**
 * The oldest month a run reads whose account has been read `through` a day: the one that the first night since then would
 * have begun with, so that late lines of a month that was closed in missed nights are read as well.
 */
export function firstMonth(through: string, newest: string): string {
  const today = addDays(newest, 1)
  const missed = addDays(through, 2)
  const night = missed < today ? missed : today
  const month = addMonths(monthOf(night), Number(night.slice(8)) <= closingDays ? -1 : 0)
  const oldest = oldestMonth(newest)
  return month < oldest ? oldest : month
}

/** Both included, oldest first. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = []
  for (let month = first; month <= last; month = addMonths(month, 1)) months.push(month)
  return months
}

export function daysBetween(first: string, last: string): string[] {
  const days: string[] = []
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day)
  return days
}
