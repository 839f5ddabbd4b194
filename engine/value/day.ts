/** Dates of bills: days are `YYYY-MM-DD` and months `YYYY-MM`, all UTC. */

export const secondMs = 1000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** The UTC day of a moment; a number is milliseconds since 1970. */
export const dayOf = (at: Date | number): string => new Date(at).toISOString().slice(0, 10)

/** Midnight at the start of `day`, milliseconds since 1970. */
export const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

export const addDays = (day: string, count: number): string => dayOf(startOf(day) + count * dayMs)

/** Whole days from `from` to `to`; negative if `to` is earlier. */
export const daysBetween = (from: string, to: string): number => Math.round((startOf(to) - startOf(from)) / dayMs)

/** The days `from` to `to`, both included, oldest first; none if `to` is earlier. */
export function* days(from: string, to: string): Generator<string> {
  for (let day = from; day <= to; day = addDays(day, 1)) yield day
}

export const isWeekend = (at: number): boolean => [0, 6].includes(new Date(at).getUTCDay())

/** The Monday of the day's week. */
export const mondayOf = (day: string): string => addDays(day, -((new Date(startOf(day)).getUTCDay() + 6) % 7))

/** The ISO week, such as 2026-W05. A week belongs to the year of its Thursday. */
export function weekOf(day: string): string {
  const thursday = addDays(mondayOf(day), 3)
  const year = thursday.slice(0, 4)
  const week = 1 + Math.floor(daysBetween(`${year}-01-01`, thursday) / 7)
  return `${year}-W${String(week).padStart(2, '0')}`
}

export const monthOf = (day: string): string => day.slice(0, 7)
export const firstOf = (month: string): string => `${month}-01`
export const lastOf = (month: string): string => addDays(firstOf(addMonths(month, 1)), -1)

export function addMonths(month: string, count: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7)
}

/** Both included, oldest first. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = []
  for (let month = first; month <= last; month = addMonths(month, 1)) months.push(month)
  return months
}
