/** Where a budget is at the end of the month. Days are YYYY-MM-DD, UTC; amounts are counts of 10^-14 US dollars unless they say otherwise. */
import type { MonthEnd } from '#analytics/forecast/month-end.ts'
import { days, firstOf, lastOf, monthOf } from '#engine/value/day.ts'
import { units } from '#streams/figure.ts'

export interface BudgetMonthEnd {
  /** Through yesterday. */
  monthToDate: bigint
  forecast: bigint
  /** Null where nothing was tested. */
  low: bigint | null
  high: bigint | null
  /** The first day of the month on which the line of spend and forecast reaches the budget. */
  exceededOn: string | null
}

const ofCents = (count: number): bigint => BigInt(count) * (units(1) / 100n)

/**
 * The line is what was billed of complete days, and what is expected of the others; it never lies below what was spent by then, which
 * may be known of days that are not complete.
 * @param spent of each day of the month until today that cost anything
 */
export function budgetMonthEnd(
  end: MonthEnd,
  spent: ReadonlyMap<string, bigint>,
  budget: bigint,
  today: string,
): BudgetMonthEnd {
  let [billed, expected, line, monthToDate] = [0n, ofCents(end.settled), 0n, 0n]
  let exceededOn: string | null = null
  for (const day of days(firstOf(monthOf(today)), lastOf(monthOf(today)))) {
    if (day <= today) billed += spent.get(day) ?? 0n
    if (day < today) monthToDate = billed
    if (day > end.through) expected += ofCents(end.days.get(day) ?? 0)
    line = day <= end.through ? billed : larger(expected, billed)
    if (line >= budget) exceededOn ??= day
  }
  const bound = (cents: number | null) => (cents === null ? null : larger(ofCents(end.settled + cents), billed))
  return { monthToDate, forecast: line, low: bound(end.low), high: bound(end.high), exceededOn }
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
