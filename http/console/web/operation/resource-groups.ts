/** Made from the routes by test/console/operations.ts; never by hand. */
export interface ResourceGroupsOperations {
  'GET /resource-groups': {
    reply: {
      items: {
        id: string
        orgID: string
        name: string
        description?: string
        members: {
          resourceUID: string
          tier: number
          order: number
        }[]
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
