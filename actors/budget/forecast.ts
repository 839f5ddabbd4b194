/** What a month will come to. Days are YYYY-MM-DD, UTC; amounts are counts of 10^-14 US dollars. */
import { addDays, firstOf, lastOf, monthOf } from '#engine/day.ts'
import { divided } from '#streams/figure.ts'

/** Complete days that are looked back at: four of each weekday. */
export const historyDays = 28
const weekDays = 7

export const forecastMethods = ['weekday_mean', 'daily_mean'] as const

export interface Forecast {
  /** Through the last complete day. */
  monthToDate: bigint
  forecast: bigint
  /** The first day of the month on which the line of spend and forecast reaches the budget. */
  exceededOn: string | null
  method: (typeof forecastMethods)[number]
}

/** The days a forecast of `today` is made from; today, which is not over, is one of those it is for. */
export const historyFrom = (today: string): string =>
  [firstOf(monthOf(today)), addDays(today, -historyDays)].toSorted()[0]!

/** `byDay` is what each day from `historyFrom` on cost; a day that is not in it cost nothing. */
export function forecast(byDay: ReadonlyMap<string, bigint>, budget: bigint, today: string): Forecast {
  const { method, expected } = expectation(byDay, today)
  const last = lastOf(monthOf(today))
  let sum = 0n
  let monthToDate = 0n
  let exceededOn: string | null = null
  for (let day = firstOf(monthOf(today)); day <= last; day = addDays(day, 1)) {
    sum += day < today ? (byDay.get(day) ?? 0n) : expected(day)
    if (day < today) monthToDate = sum
    if (sum >= budget) exceededOn ??= day
  }
  return { monthToDate, forecast: sum, exceededOn, method }
}

/** What a day to come will cost, by the last complete days from the first with cost on. */
function expectation(byDay: ReadonlyMap<string, bigint>, today: string) {
  const window = Array.from({ length: historyDays }, (_, i) => addDays(today, i - historyDays))
  const first = window.findIndex((day) => (byDay.get(day) ?? 0n) !== 0n)
  const history = first === -1 ? [] : window.slice(first)
  if (history.length < weekDays) {
    const mean = meanOf(history, byDay)
    return { method: 'daily_mean' as const, expected: () => mean }
  }
  const means = new Map([...Map.groupBy(history, weekDay)].map(([number, days]) => [number, meanOf(days, byDay)]))
  return { method: 'weekday_mean' as const, expected: (day: string) => means.get(weekDay(day)) ?? 0n }
}

const meanOf = (days: readonly string[], byDay: ReadonlyMap<string, bigint>): bigint =>
  days.length === 0
    ? 0n
    : divided(
        days.reduce((sum, day) => sum + (byDay.get(day) ?? 0n), 0n),
        BigInt(days.length),
      )

const weekDay = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay()
