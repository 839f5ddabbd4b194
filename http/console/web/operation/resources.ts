/** Made from the routes by test/console/operations.ts; never by hand. */
export interface ResourcesOperations {
  'GET /resources/filter-fields': {
    reply: {
      types: string[]
      providers: ('aws' | 'gcp' | 'azure')[]
      regions: string[]
      statuses: ('running' | 'stopped' | 'starting' | 'stopping' | 'pending')[]
    }
  }
  'GET /resources/refresh/status': {
    reply: {
      id: string | null
      status: 'queued' | 'running' | 'canceling' | 'completed' | 'partial' | 'failed' | 'cancelled' | 'skipped' | 'idle'
      discovered: number
      startedAt: string | null
      completedAt: string | null
    }
  }
  'POST /resources/refresh': {
    reply: {
      refreshID: string
      status: 'queued' | 'running' | 'canceling' | 'completed' | 'partial' | 'failed' | 'cancelled' | 'skipped' | 'idle'
    }
  }
}
