/** Made from the routes by test/console/operations.ts; never by hand. */
export interface BudgetsOperations {
  'GET /budgets/summary': {
    reply: {
      totalBudgetUSD: number
      totalSpendUSD: number
      percentUsed: number
      budgetCount: number
      overBudgetCount: number
    }
  }
}
