/** Made from the routes by test/console/operations.ts; never by hand. */
export interface RolesOperations {
  'DELETE /roles/:roleID': {
    reply: undefined
  }
  'GET /roles': {
    reply: {
      items: ({
        id: string
        name: string
        system: boolean
        permissions: ('space.view' | 'space.create' | 'space.update' | 'space.delete' | 'provisioning.view' | 'provisioning.create' | 'provisioning.update' | 'provisioning.delete' | 'service.view' | 'service.create' | 'service.update' | 'service.delete' | 'deployment.view' | 'deployment.create' | 'deployment.update' | 'deployment.delete')[]
        reportScope: {
          all: boolean
          cloudAccountIDs: string[]
          teamIDs: string[]
        }
        createdAt: string
        updatedAt: string
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /roles/:roleID': {
    reply: {
      id: string
      name: string
      system: boolean
      permissions: ('space.view' | 'space.create' | 'space.update' | 'space.delete' | 'provisioning.view' | 'provisioning.create' | 'provisioning.update' | 'provisioning.delete' | 'service.view' | 'service.create' | 'service.update' | 'service.delete' | 'deployment.view' | 'deployment.create' | 'deployment.update' | 'deployment.delete')[]
      reportScope: {
        all: boolean
        cloudAccountIDs: string[]
        teamIDs: string[]
      }
      createdAt: string
      updatedAt: string
    }
  }
  'PATCH /roles/:roleID': {
    reply: {
      id: string
      name: string
      system: boolean
      permissions: ('space.view' | 'space.create' | 'space.update' | 'space.delete' | 'provisioning.view' | 'provisioning.create' | 'provisioning.update' | 'provisioning.delete' | 'service.view' | 'service.create' | 'service.update' | 'service.delete' | 'deployment.view' | 'deployment.create' | 'deployment.update' | 'deployment.delete')[]
      reportScope: {
        all: boolean
        cloudAccountIDs: string[]
        teamIDs: string[]
      }
      createdAt: string
      updatedAt: string
    }
  }
  'POST /roles': {
    reply: {
      id: string
      name: string
      system: boolean
      permissions: ('space.view' | 'space.create' | 'space.update' | 'space.delete' | 'provisioning.view' | 'provisioning.create' | 'provisioning.update' | 'provisioning.delete' | 'service.view' | 'service.create' | 'service.update' | 'service.delete' | 'deployment.view' | 'deployment.create' | 'deployment.update' | 'deployment.delete')[]
      reportScope: {
        all: boolean
        cloudAccountIDs: string[]
        teamIDs: string[]
      }
      createdAt: string
      updatedAt: string
    }
  }
}
