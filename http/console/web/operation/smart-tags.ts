/** Made from the routes by test/console/operations.ts; never by hand. */
export interface SmartTagsOperations {
  'GET /smart-tags': {
    reply: {
      items: ({
        resourceUid: string
        resourceName: string
        resourceType: string
        provider: 'aws' | 'gcp' | 'azure'
        cloudAccountId: string
        derived: Record<string, string>
        accepted: Record<string, string>
        pending: Record<string, string>
      })[]
      hasMore: boolean
      limit: number
      counts: {
        pending: number
        accepted: number
      }
    }
  }
  'GET /smart-tags/accept-all/:runID': {
    reply: {
      id: string
      status: 'queued' | 'completed' | 'failed'
      resources: number
      startedAt: string
      endedAt: string | null
      failure?: string
    }
  }
  'PATCH /smart-tags': {
    reply: {
      resourceUid: string
      resourceName: string
      resourceType: string
      provider: 'aws' | 'gcp' | 'azure'
      cloudAccountId: string
      derived: Record<string, string>
      accepted: Record<string, string>
      pending: Record<string, string>
    }
  }
  'POST /smart-tags/accept-all': {
    reply: {
      id: string
      status: 'queued' | 'completed' | 'failed'
    }
  }
}
