/**
 * Bills of some days of a month, a week or yesterday: whether a new export would take days away that it says nothing of. Where its own
 * billing period is shorter than a month it is of its days alone; where nothing says so, somebody decides.
 */
import { segmentsOf, type DayRange } from './layers.ts'
import type { ShownBill } from '#actors/account/bill/bills.ts'
import type { BillDay } from '#analytics/billing/bill.ts'
import { sum } from '#engine/value/decimal.ts'
import { dayMs, firstOf, lastOf } from '#engine/value/day.ts'

/** `own`: it replaces its own days; `whole`: whole billing periods. */
export const dayChoices = ['own', 'whole'] as const
export type DayChoice = (typeof dayChoices)[number]

/** Days that show lines now, of one billing period, in order; `stored` is what is kept of the exports that are shown, by day. */
export const shownDays = (shown: ShownBill, stored: readonly BillDay[]): BillDay[] =>
  segmentsOf(shown)
    .flatMap(({ id, from, to }) => stored.filter((one) => one.export === id && from <= one.day && one.day <= to))
    .toSorted((a, b) => (a.day < b.day ? -1 : 1))

/** Of these, the days before the first and behind the last day of an export. */
export const daysLost = (shown: readonly BillDay[], { from, to }: DayRange): string[] =>
  shown.filter(({ day, lines }) => lines > 0 && (day < from || day > to)).map(({ day }) => day)

/** How much is shown on the days of an export. */
export function amountWithin(shown: readonly BillDay[], { from, to }: DayRange) {
  const own = shown.filter(({ day }) => from <= day && day <= to)
  return {
    lines: own.reduce((lines, day) => lines + day.lines, 0),
    billed: sum(own.map(({ billed }) => billed)),
    effective: sum(own.map(({ effective }) => effective)),
  }
}

/**
 * Whether lines themselves say that they are of less than a month: `to` is the end that they name, which is not in it, or the last day. A
 * billing period may go from the middle of a month to the middle of the next.
 */
export function isOfSomeDays(period: string, from: string, to: string): boolean {
  const isShifted = to > lastOf(period) && Date.parse(to) - Date.parse(from) >= shortestMonthMs
  return !isShifted && (from > firstOf(period) || to < lastOf(period))
}

/** From the first day to the last. */
const shortestMonthMs = 27 * dayMs

const daysTold = 5

/** The first few days, and how many more. */
export const toldDays = (days: readonly string[]): string =>
  days.length > daysTold ? `${days.slice(0, daysTold).join(', ')} and ${days.length - daysTold} more` : days.join(', ')
