/** On which day of each month a charge comes. Days are YYYY-MM-DD, UTC. */
import { addDays, firstOf, isWeekend, lastOf, monthOf, monthsBetween, startOf } from '#engine/value/day.ts'

/** A day of the month, or its last day where the month is shorter: 31 is the last day of every month. Holidays are working days. */
export type Due = number | 'first_working_day'

const monthDays = Array.from({ length: 31 }, (_, at) => at + 1)
/** Months in a row in which a charge must have come to be expected in the next. */
const monthsMin = 2

/** @param month YYYY-MM */
export const dueDay = (month: string, due: Due): string =>
  due === 'first_working_day' ? firstWorkingDay(month) : dayOrLast(month, due, lastOf(month))

const dayOrLast = (month: string, due: number, last: string): string => {
  const day = `${month}-${String(due).padStart(2, '0')}`
  return day < last ? day : last
}

function firstWorkingDay(month: string): string {
  let day = firstOf(month)
  while (isWeekend(startOf(day))) day = addDays(day, 1)
  return day
}

export const isDue = (day: string, due: Due): boolean => dueDay(monthOf(day), due) === day

/** The days of a range on which a charge of each kind was due, oldest first; kinds in order of preference. */
export type Calendar = readonly { due: Due; days: readonly string[] }[]

export function calendarOf(first: string, through: string): Calendar {
  const months = monthsBetween(monthOf(first), monthOf(through)).map((month) => ({ month, last: lastOf(month) }))
  const within = (day: string) => day >= first && day <= through
  return [
    ...monthDays.map((due) => ({
      due,
      days: months.map(({ month, last }) => dayOrLast(month, due, last)).filter(within),
    })),
    { due: 'first_working_day', days: months.map(({ month }) => firstWorkingDay(month)).filter(within) },
  ]
}

/**
 * What explains the most months in a row, up to the newest, in which a charge came on its day; undefined where none explains two. A charge
 * of the first of every month has come on first working days too, but for months that begin on a weekend.
 */
export function dueOf(calendar: Calendar, came: { has: (day: string) => boolean }): Calendar[number] | undefined {
  let [best, most]: [Calendar[number] | undefined, number] = [undefined, monthsMin - 1]
  for (const one of calendar) {
    const months = one.days.length - 1 - one.days.findLastIndex((day) => !came.has(day))
    if (months > most) [best, most] = [one, months]
  }
  return best
}
