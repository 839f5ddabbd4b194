/**
 * The status of a budget. Amounts are exact counts of 10^-14 US dollars; only output is rounded, half away from zero.
 */
import { cents, percentOf, units } from '#streams/figure.ts'
import type { Budget } from './entity.ts'

/** By level: below the alert threshold, at or above it, at or above the budget. */
export const budgetStatuses = ['green', 'yellow', 'red'] as const

export type Limits = Pick<Budget, 'monthlyBudgetUsd' | 'alertThresholdPercent'>

/** 0 to 2, by exact amounts. */
export function levelOf({ monthlyBudgetUsd, alertThresholdPercent }: Limits, spend: bigint): number {
  const budget = units(monthlyBudgetUsd)
  if (spend >= budget) return 2
  return spend * 100n * units(1) >= budget * units(alertThresholdPercent) ? 1 : 0
}

/** As budgets are shown: the remainder is the budget minus the displayed spend. */
export function toBudgetStatus(limits: Limits, spend: bigint) {
  const budget = units(limits.monthlyBudgetUsd)
  const currentSpendUSD = cents(spend)
  return {
    currentSpendUSD,
    remainingUSD: cents(budget - units(currentSpendUSD)),
    percentUsed: percentOf(spend, budget),
    status: budgetStatuses[levelOf(limits, spend)]!,
  }
}
