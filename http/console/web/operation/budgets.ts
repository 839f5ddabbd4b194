/** Made from the routes by test/console/operations.ts; never by hand. */
export interface BudgetsOperations {
  'DELETE /budgets/:budgetID': {
    reply: undefined
  }
  'GET /budgets': {
    reply: ({
      id: string
      teamName: string
      resourceGroupID: string
      monthlyBudgetUSD: number
      alertThresholdPercent: number
      currentSpendUSD: number
      remainingUSD: number
      percentUsed: number
      status: 'green' | 'yellow' | 'red'
      createdAt: string
      updatedAt: string
    })[]
  }
  'GET /budgets/:budgetID/forecast': {
    reply: {
      budgetID: string
      month: string
      monthToDateUSD: number
      forecastUSD: number
      expectedToExceedOn: string | null
      method: 'weekday_mean' | 'daily_mean'
    }
  }
  'GET /budgets/summary': {
    reply: {
      totalBudgetUSD: number
      totalSpendUSD: number
      percentUsed: number
      budgetCount: number
      overBudgetCount: number
    }
  }
  'POST /budgets': {
    reply: {
      id: string
      teamName: string
      resourceGroupID: string
      monthlyBudgetUSD: number
      alertThresholdPercent: number
      currentSpendUSD: number
      remainingUSD: number
      percentUsed: number
      status: 'green' | 'yellow' | 'red'
      createdAt: string
      updatedAt: string
    }
  }
  'PUT /budgets/:budgetID': {
    reply: {
      id: string
      teamName: string
      resourceGroupID: string
      monthlyBudgetUSD: number
      alertThresholdPercent: number
      currentSpendUSD: number
      remainingUSD: number
      percentUsed: number
      status: 'green' | 'yellow' | 'red'
      createdAt: string
      updatedAt: string
    }
  }
}
