/** Replays the alerts of a budget day by day, with the rule of real budgets. Nothing is stored. */
import { days, monthOf } from '#engine/value/day.ts'
import { cents, percentOf, units } from '#streams/figure.ts'
import { budgetStatuses, levelOf, type Limits } from './status.ts'

export interface BudgetDay {
  date: string
  /** Since the first of its month, exact: a count of 10^-14 US dollars. */
  spend: bigint
}

/** `byDay` contains the exact amount of each day that has any, from the first of a month on. */
export function monthToDate(byDay: ReadonlyMap<string, bigint>, from: string, to: string): BudgetDay[] {
  const found: BudgetDay[] = []
  let spend = 0n
  for (const date of days(from, to)) {
    if (date.endsWith('-01')) spend = 0n
    spend += byDay.get(date) ?? 0n
    found.push({ date, spend })
  }
  return found
}

interface BudgetAlerted {
  date: string
  status: (typeof budgetStatuses)[number]
  spendUSD: number
  percentUsed: number
}

/** By whole days: an alert is on the day on which its level was reached, once per month and level. */
export function budgetReplayed(limits: Limits, spent: readonly BudgetDay[]) {
  const statuses = spent.map(({ date, spend }) => ({ date, status: budgetStatuses[levelOf(limits, spend)]! }))
  const alerts: BudgetAlerted[] = []
  let [month, told] = ['', 0]
  for (const { date, spend } of spent) {
    if (monthOf(date) !== month) [month, told] = [monthOf(date), 0]
    const level = levelOf(limits, spend)
    if (level <= told) continue
    told = level
    const percentUsed = percentOf(spend, units(limits.monthlyBudgetUsd))
    alerts.push({ date, status: budgetStatuses[level]!, spendUSD: cents(spend), percentUsed })
  }
  return { statuses, alerts }
}
