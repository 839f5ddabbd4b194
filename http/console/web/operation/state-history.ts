/** Made from the routes by test/console/operations.ts; never by hand. */
export interface StateHistoryOperations {
  'GET /state-history': {
    reply: {
      items: ({
        id: string
        resourceUid: string
        state: 'running' | 'stopped' | 'failed'
        changedAt: string
        changedBy: string
        changedByName?: string | null
        scheduleId: string | null
        executionState: {
          step: 'queued' | 'cloud_call' | 'wait_state' | 'done'
          status: 'succeeded' | 'failed'
        }
        errorMessage: string | null
      })[]
      total: number
      page: number
      limit: number
    }
  }
}
