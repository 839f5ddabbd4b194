/** Compares an organization's budgets with the spend of the month so far, and notifies their actors of new levels. */
import { firstOf, monthOf } from '#engine/value/day.ts'
import type { JobWork, Tools } from '#actors/tools.ts'
import { budgetSpend, scopeKey, scopeParams, spendByScope } from '#analytics/budget/questions.ts'
import { budgetEvaluated, type BudgetEvaluated, type BudgetScope } from '#streams/budget.ts'
import { cents, percentOf, units } from '#streams/figure.ts'
import { watchedSql, type WatchedBudget } from './queries.ts'
import { levelOf } from './status.ts'
import { keyOf, reachedThresholds } from './threshold.ts'

type EvaluationTools = Pick<Tools, 'reads' | 'ask' | 'publisher' | 'cost' | 'now' | 'budgetForecasts'>

export function budgetEvaluation({ reads, ask, publisher, cost, now, budgetForecasts }: EvaluationTools): JobWork {
  return async (_run, { orgId }) => {
    const budgets = await reads.rows<WatchedBudget>(watchedSql, [orgId])
    if (budgets.length === 0) return
    const today = now().toISOString().slice(0, 10)
    const month = monthOf(today)
    const range = { org: orgId, cost, from: firstOf(month), to: today, by_day: 0 }
    const rows = await ask(budgetSpend, { ...range, ...scopeParams(budgets.map(scopeOf)) })
    const spends = spendByScope(rows)
    const foreseen = budgets.filter(({ thresholds }) => thresholds.some((one) => one.of === 'forecast'))
    const scopes = foreseen.map((budget) => ({ id: budget.id, scope: scopeOf(budget) }))
    const forecasts = scopes.length > 0 ? await budgetForecasts(orgId, scopes) : new Map<string, number>()
    for (const budget of budgets) {
      const spend = spends.get(scopeKey(scopeOf(budget))) ?? 0n
      const found = evaluateBudget(budget, month, spend, forecasts.get(budget.id))
      const told = toldOf(budget, month)
      const added = found.reached!.map(keyOf).filter((key) => !told.thresholds.includes(key))
      if (found.level <= told.level && added.length === 0) continue
      await publisher.publish({
        subject: budgetEvaluated,
        orgId,
        data: found,
        id: ['budget', budget.id, month, budget.revision, found.level, ...added].join('/'),
      })
    }
  }
}

const scopeOf = (budget: WatchedBudget): BudgetScope => ({
  type: budget.scope_type,
  id: budget.scope_id,
  name: budget.scope_name,
})

/** What was already notified for this month and revision. */
const toldOf = (budget: WatchedBudget, month: string): { level: number; thresholds: readonly string[] } => {
  const isOfNow = budget.told_month === month && budget.told_revision === budget.revision
  return { level: (isOfNow && budget.told_level) || 0, thresholds: (isOfNow && budget.told_thresholds) || [] }
}

function evaluateBudget(
  budget: WatchedBudget,
  month: string,
  spend: bigint,
  forecastUSD: number | undefined,
): BudgetEvaluated {
  const limit = units(budget.monthlyBudgetUsd)
  const forecast = forecastUSD === undefined ? undefined : units(forecastUSD)
  return {
    budgetId: budget.id,
    month,
    revision: budget.revision,
    level: levelOf(budget, spend),
    spendUSD: cents(spend),
    budgetUSD: Number(budget.monthlyBudgetUsd),
    percentUsed: percentOf(spend, limit),
    alertThresholdPercent: Number(budget.alertThresholdPercent),
    reached: reachedThresholds(budget.thresholds, limit, { spend, forecast }),
    ...(forecastUSD !== undefined && { forecastUSD }),
    scope: scopeOf(budget),
  }
}
