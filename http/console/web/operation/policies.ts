/** Made from the routes by test/console/operations.ts; never by hand. */
export interface PoliciesOperations {
  'DELETE /policies/:policyID': {
    reply: undefined
  }
  'GET /policies': {
    reply: {
      items: {
        id: string
        orgID: string
        domain: string
        targetType: string
        targetID?: string
        name: string
        spec: unknown
        enabled: boolean
        version: number
        createdAt: string
        updatedAt: string
        pendingResources?: number
        cutResources?: number
        lastError?: string
      }[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'POST /policies': {
    reply: {
      id: string
      orgID: string
      domain: string
      targetType: string
      targetID?: string
      name: string
      spec: unknown
      enabled: boolean
      version: number
      createdAt: string
      updatedAt: string
      pendingResources?: number
      cutResources?: number
      lastError?: string
    }
  }
  'PUT /policies/:policyID': {
    reply: {
      id: string
      orgID: string
      domain: string
      targetType: string
      targetID?: string
      name: string
      spec: unknown
      enabled: boolean
      version: number
      createdAt: string
      updatedAt: string
      pendingResources?: number
      cutResources?: number
      lastError?: string
    }
  }
}
