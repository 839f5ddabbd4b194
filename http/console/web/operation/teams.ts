/** Made from the routes by test/console/operations.ts; never by hand. */
export interface TeamsOperations {
  'DELETE /teams/:teamID': {
    reply: undefined
  }
  'DELETE /teams/:teamID/resources': {
    reply: {
      removed: number
    }
  }
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
  'GET /teams/:teamID': {
    reply: {
      id: string
      orgID: string
      name: string
      description?: string
      memberUserIDs: string[]
      resourceCount: number
      createdAt: string
      updatedAt: string
    }
  }
  'PATCH /teams/:teamID': {
    reply: {
      id: string
      orgID: string
      name: string
      description?: string
      memberUserIDs: string[]
      resourceCount: number
      createdAt: string
      updatedAt: string
    }
  }
  'POST /teams': {
    reply: {
      id: string
      orgID: string
      name: string
      description?: string
      memberUserIDs: string[]
      resourceCount: number
      createdAt: string
      updatedAt: string
    }
  }
  'POST /teams/:teamID/resources': {
    reply: {
      assigned: number
    }
  }
}
