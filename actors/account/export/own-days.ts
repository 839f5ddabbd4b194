/**
 * Bills of some days of a month, such as a week or a day: whether a new export would remove days that it does not
 * contain. If its own billing period is shorter than a month, it replaces only its own days. If nothing says so, a
 * person decides.
 */
import { segmentsOf, type DayRange } from './layers.ts'
import type { ShownBill } from '#actors/account/bill/bills.ts'
import type { BillDay } from '#analytics/billing/bill.ts'
import { sum } from '#engine/value/decimal.ts'
import { dayMs, firstOf, lastOf } from '#engine/value/day.ts'

/** `own`: it replaces only its own days; `whole`: whole billing periods. */
export const dayChoices = ['own', 'whole'] as const
export type DayChoice = (typeof dayChoices)[number]

/**
 * Days of one billing period that show lines now, oldest first. `stored`: what is stored of the shown exports, by day.
 */
export const shownDays = (shown: ShownBill, stored: readonly BillDay[]): BillDay[] =>
  segmentsOf(shown)
    .flatMap(({ id, from, to }) => stored.filter((one) => one.export === id && from <= one.day && one.day <= to))
    .toSorted((a, b) => (a.day < b.day ? -1 : 1))

/** The shown days before the first and after the last day of an export. */
export const daysLost = (shown: readonly BillDay[], { from, to }: DayRange): string[] =>
  shown.filter(({ day, lines }) => lines > 0 && (day < from || day > to)).map(({ day }) => day)

/** Size of what is shown on the days of an export. */
export function amountWithin(shown: readonly BillDay[], { from, to }: DayRange) {
  const own = shown.filter(({ day }) => from <= day && day <= to)
  return {
    lines: own.reduce((lines, day) => lines + day.lines, 0),
    billed: sum(own.map(({ billed }) => billed)),
    effective: sum(own.map(({ effective }) => effective)),
  }
}

/**
 * Whether the billing period that lines name is shorter than a month. `to` is the end that they name (exclusive), or
 * the last day. A billing period may also last from the middle of one month to the middle of the next.
 */
export function isOfSomeDays(period: string, from: string, to: string): boolean {
  const isShifted = to > lastOf(period) && Date.parse(to) - Date.parse(from) >= shortestMonthMs
  return !isShifted && (from > firstOf(period) || to < lastOf(period))
}

/** Milliseconds from the first to the last day of the shortest month. */
const shortestMonthMs = 27 * dayMs

const daysTold = 5

/** The first few days as text, and how many more there are. */
export const toldDays = (days: readonly string[]): string =>
  days.length > daysTold ? `${days.slice(0, daysTold).join(', ')} and ${days.length - daysTold} more` : days.join(', ')
