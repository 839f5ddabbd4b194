import type { Reply } from '../api.ts'

type Summary = Reply<'GET /budgets/summary'>

/** The figures that stand for all budgets: those of the organization's budget; otherwise sums, unless budgets overlap. */
export function totalOf({ organization, overlaps, totalBudgetUSD, totalSpendUSD, percentUsed, forecast }: Summary) {
  if (organization) return { ...organization, isOrganization: true }
  if (overlaps) return undefined
  return { budgetUSD: totalBudgetUSD, spendUSD: totalSpendUSD, percentUsed, forecast, isOrganization: false }
}

export const shareLabel = (isOrganization: boolean): string =>
  isOrganization ? 'Share of the organization’s budget used' : 'Share of all budgets used'
