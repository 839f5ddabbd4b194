/** Made from the routes by test/console/operations.ts; never by hand. */
export interface WorkflowsOperations {
  'GET /workflows/pending-approval': {
    reply: {
      jobID: string
      stepID: string
      stepName: string
      recommendationID: string
      resourceUid: string
      title: string
      operation: string
      instruction?: string
      currentCostUsd: number
      savingsUsd: number
      requestedAt: string
      expiresAt: string
      approvalsGiven: number
      approvalsNeeded: number
    }[]
  }
}
