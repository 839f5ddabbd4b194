/** Which days of a bill are read. Days are YYYY-MM-DD, months YYYY-MM, all UTC. */

import { addDays, addMonths, dayOf, monthOf } from '#engine/value/day.ts'

/** The newest complete day. */
export const newestDay = (now: Date): string => addDays(dayOf(now), -1)

/** Calendar months of history (decision G-91), including that of the newest day. */
const historyMonths = 13
export const oldestMonth = (newest: string): string => addMonths(monthOf(newest), 1 - historyMonths)

/** On the first so many days of a month the month before is read, too; by then its provider has closed it. */
const closingDays = 10

/**
 * The oldest month that a run reads if the account has been read up to the day `through`: the one at which the first
 * night since then would have begun, so that late lines of a month closed during missed nights are read as well.
 */
export function firstMonth(through: string, newest: string): string {
  const today = addDays(newest, 1)
  const missed = addDays(through, 2)
  const night = missed < today ? missed : today
  const month = addMonths(monthOf(night), Number(night.slice(8)) <= closingDays ? -1 : 0)
  const oldest = oldestMonth(newest)
  return month < oldest ? oldest : month
}
