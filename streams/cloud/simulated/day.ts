const dayMs = 86_400_000

/** The UTC day of a moment, YYYY-MM-DD. */
export const dayOf = (at: Date | number): string => new Date(at).toISOString().slice(0, 10)

/** Midnight UTC at the beginning of `day`, milliseconds since 1970. */
export const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

export const addDays = (day: string, count: number): string => dayOf(startOf(day) + count * dayMs)

/** Whole days from `from` to `to`; negative when `to` comes first. */
export const daysBetween = (from: string, to: string): number => Math.round((startOf(to) - startOf(from)) / dayMs)

/** The days `from` to `to`, both included; none when `to` comes first. */
export function* days(from: string, to: string): Generator<string> {
  for (let day = from; day <= to; day = addDays(day, 1)) yield day
}

/** The first day of the month of `day`, moved by `months`. */
export function monthOf(day: string, months = 0): string {
  const [year = 0, month = 0] = day.split('-').map(Number)
  return dayOf(Date.UTC(year, month - 1 + months, 1))
}

export const isWeekend = (at: number): boolean => [0, 6].includes(new Date(at).getUTCDay())
