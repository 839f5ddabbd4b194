/** The budget of what costs are narrowed to, as a line over them. */
import { addDays, daysBetween, daysOfPeriod, lastOf } from '../../day.ts'
import { queryOf } from '../../filter.ts'
import { cumulate, type Overlay } from '../../part/series.ts'
import type { DateRange } from '../../range.ts'
import { useReport } from '../../report.ts'
import { isFilterOf } from '../budgets/scopes.ts'
import type { CostsQuery } from './query.ts'

const shareOf = (day: string, monthlyUSD: number): number => monthlyUSD / Number(lastOf(day.slice(0, 7)).slice(8))

/** Months have the whole budget, days and weeks their share of it: of weeks, the days that are shown. */
export function budgetLine(
  periods: readonly string[],
  shown: DateRange,
  monthlyUSD: number,
  isCumulative: boolean,
): Overlay {
  const values = periods.map((period) => {
    if (period.length === 7) return monthlyUSD
    const { from, to } = daysOfPeriod(period)
    const [first, last] = [from < shown.from ? shown.from : from, to > shown.to ? shown.to : to]
    const days = Array.from({ length: daysBetween(first, last) + 1 }, (_, at) => addDays(first, at))
    return days.reduce((sum, day) => sum + shareOf(day, monthlyUSD), 0)
  })
  return { label: 'Budget', values: isCumulative ? cumulate(values) : values, isDotted: true }
}

export function useBudget(
  periods: readonly string[],
  /** The last day that is drawn, where that is after those of the costs. */
  last: string | undefined,
  { chips, period, isCumulative }: CostsQuery,
): Overlay | undefined {
  const budgets = useReport('GET /budgets', { on: ['budget.'] }).data
  const budget = budgets?.find(({ scope }) => isFilterOf(scope, queryOf(chips)))
  return (
    budget && budgetLine(periods, { from: period.from, to: last ?? period.to }, budget.monthlyBudgetUSD, isCumulative)
  )
}
