/** Made from the routes by test/console/operations.ts; never by hand. */
export interface AutotaggingOperations {
  'GET /autotagging': {
    reply: {
      items: ({
        id: string
        orgId: string
        resourceUid: string
        resourceName: string
        resourceType: string
        provider: 'aws' | 'gcp' | 'azure'
        cloudAccountId: string
        predictedEnv: 'prod' | 'staging' | 'dev' | ''
        predictedNoStop: boolean
        extraTags: Record<string, string>
        confidence: number
        reason: string
        acceptedAt: string | null
        rejectedAt: string | null
        createdAt: string
        updatedAt: string
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /autotagging/count': {
    reply: {
      count: number
    }
  }
  'POST /autotagging/accept': {
    reply: {
      id: string
      orgId: string
      resourceUid: string
      resourceName: string
      resourceType: string
      provider: 'aws' | 'gcp' | 'azure'
      cloudAccountId: string
      predictedEnv: 'prod' | 'staging' | 'dev' | ''
      predictedNoStop: boolean
      extraTags: Record<string, string>
      confidence: number
      reason: string
      acceptedAt: string | null
      rejectedAt: string | null
      createdAt: string
      updatedAt: string
    }
  }
  'POST /autotagging/reject': {
    reply: {
      id: string
      orgId: string
      resourceUid: string
      resourceName: string
      resourceType: string
      provider: 'aws' | 'gcp' | 'azure'
      cloudAccountId: string
      predictedEnv: 'prod' | 'staging' | 'dev' | ''
      predictedNoStop: boolean
      extraTags: Record<string, string>
      confidence: number
      reason: string
      acceptedAt: string | null
      rejectedAt: string | null
      createdAt: string
      updatedAt: string
    }
  }
}
