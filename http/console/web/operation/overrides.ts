/** Made from the routes by test/console/operations.ts; never by hand. */
export interface OverridesOperations {
  'DELETE /overrides/:overrideID': {
    reply: undefined
  }
  'GET /overrides': {
    reply: ({
      id: string
      orgID: string
      scopeType: 'resource' | 'resource_group'
      scopeID: string
      desiredState: 'running' | 'stopped'
      expiresAt: string
      reason?: string
      status: 'active' | 'expired' | 'cancelled'
      userID: string
      createdAt: string
      updatedAt: string
      endedAt: string | null
    })[]
  }
  'POST /overrides': {
    reply: {
      id: string
      orgID: string
      scopeType: 'resource' | 'resource_group'
      scopeID: string
      desiredState: 'running' | 'stopped'
      expiresAt: string
      reason?: string
      status: 'active' | 'expired' | 'cancelled'
      userID: string
      createdAt: string
      updatedAt: string
      endedAt: string | null
    }
  }
}
