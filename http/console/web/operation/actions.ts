/** Made from the routes by test/console/operations.ts; never by hand. */
export interface ActionsOperations {
  'GET /actions/:actionID': {
    reply: {
      id: string
      resourceUID: string
      provider: 'aws' | 'gcp' | 'azure'
      cloudAccountID: string
      region: string
      action: 'start' | 'stop'
      reason: string | null
      status: 'pending' | 'running' | 'succeeded' | 'failed'
      startedAt: string | null
      completedAt: string | null
      createdAt: string
      errorMessage?: string
    }
  }
  'POST /actions': {
    reply: {
      actionID: string
      status: 'queued'
    }
  }
}
