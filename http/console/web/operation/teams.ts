/** Made from the routes by test/console/operations.ts; never by hand. */
export interface TeamsOperations {
  'GET /teams': {
    reply: {
      items: {
        id: string
        orgID: string
        name: string
        description?: string
        memberUserIDs: string[]
        resourceCount: number
        createdAt: string
        updatedAt: string
      }[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
}
