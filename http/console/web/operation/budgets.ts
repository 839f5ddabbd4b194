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
      forecast: {
        monthToDateUSD: number
        forecastUSD: number
        lowUSD: number | null
        highUSD: number | null
        basis: 'tested' | 'widened' | 'untested'
        heldPercent: number | null
        expectedToExceedOn: string | null
        method: 'level' | 'level_and_trend' | 'daily_median'
        settledThrough: string | null
      } | null
      createdAt: string
      updatedAt: string
    })[]
  }
  'GET /budgets/summary': {
    reply: {
      totalBudgetUSD: number
      totalSpendUSD: number
      percentUsed: number
      budgetCount: number
      overBudgetCount: number
      expectedToExceedCount: number
      forecast: {
        monthToDateUSD: number
        forecastUSD: number
        lowUSD: number | null
        highUSD: number | null
        basis: 'tested' | 'widened' | 'untested'
        heldPercent: number | null
        expectedToExceedOn: string | null
        method: 'level' | 'level_and_trend' | 'daily_median'
        settledThrough: string | null
      } | null
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
      forecast: {
        monthToDateUSD: number
        forecastUSD: number
        lowUSD: number | null
        highUSD: number | null
        basis: 'tested' | 'widened' | 'untested'
        heldPercent: number | null
        expectedToExceedOn: string | null
        method: 'level' | 'level_and_trend' | 'daily_median'
        settledThrough: string | null
      } | null
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
      forecast: {
        monthToDateUSD: number
        forecastUSD: number
        lowUSD: number | null
        highUSD: number | null
        basis: 'tested' | 'widened' | 'untested'
        heldPercent: number | null
        expectedToExceedOn: string | null
        method: 'level' | 'level_and_trend' | 'daily_median'
        settledThrough: string | null
      } | null
      createdAt: string
      updatedAt: string
    }
  }
}
