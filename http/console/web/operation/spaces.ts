/** Made from the routes by test/console/operations.ts; never by hand. */
export interface SpacesOperations {
  'GET /spaces': {
    reply: {
      items: ({
        id: string
        orgID: string
        name: string
        cloudAccountID: string
        provider: 'aws' | 'gcp' | 'azure'
        region: string
        kind: 'account_region' | 'cluster'
        clusterUid?: string
        status: 'active' | 'disabled'
        createdAt: string
        updatedAt: string
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'POST /spaces': {
    reply: {
      id: string
      orgID: string
      name: string
      cloudAccountID: string
      provider: 'aws' | 'gcp' | 'azure'
      region: string
      kind: 'account_region' | 'cluster'
      clusterUid?: string
      status: 'active' | 'disabled'
      createdAt: string
      updatedAt: string
    }
  }
}
