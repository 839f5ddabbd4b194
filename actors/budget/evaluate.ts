/** Compares an organization's budgets with the spend of the month so far, and notifies their actors of new levels. */
import { firstOf, monthOf } from '#engine/value/day.ts'
import type { JobWork, Tools } from '#actors/tools.ts'
import { budgetSpend } from '#analytics/budget/questions.ts'
import { budgetEvaluated, type BudgetEvaluated } from '#streams/budget.ts'
import { cents, percentOf, units } from '#streams/figure.ts'
import { watchedSql, type WatchedBudget } from './queries.ts'
import { levelOf } from './status.ts'

type EvaluationTools = Pick<Tools, 'reads' | 'ask' | 'publisher' | 'cost' | 'now'>

export function budgetEvaluation({ reads, ask, publisher, cost, now }: EvaluationTools): JobWork {
  return async (_run, { orgId }) => {
    const budgets = await reads.rows<WatchedBudget>(watchedSql, [orgId])
    if (budgets.length === 0) return
    const today = now().toISOString().slice(0, 10)
    const month = monthOf(today)
    const range = { org: orgId, cost, from: firstOf(month), to: today, ids: [], by_day: 0 }
    const rows = await ask(budgetSpend, range)
    const spends = new Map(rows.map((row) => [`${row.scope} ${row.id}`, units(row.cost_usd)]))
    for (const budget of budgets) {
      const found = evaluateBudget(budget, month, spends.get(`${budget.scope_type} ${budget.scope_id}`) ?? 0n)
      if (found.level <= toldOf(budget, month)) continue
      await publisher.publish({
        subject: budgetEvaluated,
        orgId,
        data: found,
        id: `budget/${budget.id}/${month}/${budget.revision}/${found.level}`,
      })
    }
  }
}

/** The level already notified for this month and revision. */
const toldOf = ({ told_month, told_revision, told_level, revision }: WatchedBudget, month: string): number =>
  told_month === month && told_revision === revision ? (told_level ?? 0) : 0

function evaluateBudget(budget: WatchedBudget, month: string, spend: bigint): BudgetEvaluated {
  const limit = units(budget.monthlyBudgetUsd)
  return {
    budgetId: budget.id,
    month,
    revision: budget.revision,
    level: levelOf(budget, spend),
    spendUSD: cents(spend),
    budgetUSD: Number(budget.monthlyBudgetUsd),
    percentUsed: percentOf(spend, limit),
    alertThresholdPercent: Number(budget.alertThresholdPercent),
    scope: { type: budget.scope_type, id: budget.scope_id, name: budget.scope_name },
  }
}
