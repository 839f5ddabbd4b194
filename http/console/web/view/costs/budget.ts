/** The budget of the team that costs are narrowed to, as a line over them. */
import { addDays, daysBetween, daysOfPeriod, lastOf } from '../../day.ts'
import { dimOf, type Chip } from '../../filter.ts'
import { cumulate, type Overlay } from '../../part/series.ts'
import type { DateRange } from '../../range.ts'
import { useReport } from '../../report.ts'
import type { CostsQuery } from './query.ts'

/** A budget is of all costs of a team. Undefined: of these there is none. */
export function teamOf(chips: readonly Chip[]): string | undefined {
  const [only] = chips
  const isOne = chips.length === 1 && only !== undefined && dimOf(only) === 'team_id' && !only.value.includes(',')
  return isOne && !['', '(none)', 'unassigned'].includes(only.value) ? only.value : undefined
}

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
  const team = teamOf(chips)
  const when = team !== undefined
  const found = useReport('GET /teams/:teamID', { params: { teamID: team ?? '' }, when }).data
  const budgets = useReport('GET /budgets', { on: ['budget.'], when }).data
  const name = when ? found?.name.toLowerCase() : undefined
  const budget = budgets?.find(
    ({ teamName, resourceGroupID }) => resourceGroupID === '' && teamName.toLowerCase() === name,
  )
  return (
    budget && budgetLine(periods, { from: period.from, to: last ?? period.to }, budget.monthlyBudgetUSD, isCumulative)
  )
}
