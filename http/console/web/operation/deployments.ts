/** Made from the routes by test/console/operations.ts; never by hand. */
export interface DeploymentsOperations {
  'GET /deployments': {
    reply: {
      items: {
        id: string
        orgID: string
        name: string
        spaceID: string
        repositoryURL: string
        branch: string
        auto_deploy: boolean
        currentRevisionID?: string
        createdAt: string
        updatedAt: string
      }[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /deployments/:deploymentID/revisions': {
    reply: {
      items: ({
        id: string
        deploymentID: string
        deliveryID: string
        commitSHA: string
        ref: string
        status: 'queued' | 'building' | 'promoted' | 'superseded' | 'failed'
        imageRef?: string
        logsURL?: string
        failureReason?: string
        createdAt: string
        completedAt?: string
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'PATCH /deployments/:deploymentID': {
    reply: {
      id: string
      orgID: string
      name: string
      spaceID: string
      repositoryURL: string
      branch: string
      auto_deploy: boolean
      currentRevisionID?: string
      createdAt: string
      updatedAt: string
    }
  }
  'POST /deployments': {
    reply: {
      id: string
      orgID: string
      name: string
      spaceID: string
      repositoryURL: string
      branch: string
      auto_deploy: boolean
      currentRevisionID?: string
      createdAt: string
      updatedAt: string
    }
  }
}
