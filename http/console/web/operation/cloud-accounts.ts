/** Made from the routes by test/console/operations.ts; never by hand. */
export interface CloudAccountsOperations {
  'DELETE /cloud-accounts/:cloudAccountID': {
    reply: undefined
  }
  'GET /cloud-accounts': {
    reply: {
      items: ({
        id: string
        orgID: string
        name: string
        provider: string
        externalID: string
        driver: 'simulated' | 'real' | 'none'
        regions: string[]
        status: 'pending' | 'connected' | 'degraded' | 'error' | 'disabled' | 'deleted'
        permissionVerdict: 'unknown' | 'none' | 'read_only' | 'read_write'
        missingPermissions: string[]
        billingExport?: {
          kind: string
          location: string
          acceptShrink?: boolean
        }
        organization?: {
          roleName?: string
          parent?: string
          include?: {
            paths?: string[]
            tags?: Record<string, string[]>
            pattern?: string
          }
          exclude?: {
            paths?: string[]
            tags?: Record<string, string[]>
            pattern?: string
          }
          listedAccounts: number
          lastListedAt: string | null
          message?: string
        }
        membership?: {
          managedBy: string
          path: string
          tags: Record<string, string>
          status: 'active' | 'suspended' | 'left'
          isManaged: boolean
        }
        message?: string
        lastVerifiedAt: string | null
        lastSyncedAt: string | null
        createdAt: string
        updatedAt: string
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /cloud-accounts/:cloudAccountID': {
    reply: {
      id: string
      orgID: string
      name: string
      provider: string
      externalID: string
      driver: 'simulated' | 'real' | 'none'
      regions: string[]
      status: 'pending' | 'connected' | 'degraded' | 'error' | 'disabled' | 'deleted'
      permissionVerdict: 'unknown' | 'none' | 'read_only' | 'read_write'
      missingPermissions: string[]
      billingExport?: {
        kind: string
        location: string
        acceptShrink?: boolean
      }
      organization?: {
        roleName?: string
        parent?: string
        include?: {
          paths?: string[]
          tags?: Record<string, string[]>
          pattern?: string
        }
        exclude?: {
          paths?: string[]
          tags?: Record<string, string[]>
          pattern?: string
        }
        listedAccounts: number
        lastListedAt: string | null
        message?: string
      }
      membership?: {
        managedBy: string
        path: string
        tags: Record<string, string>
        status: 'active' | 'suspended' | 'left'
        isManaged: boolean
      }
      message?: string
      lastVerifiedAt: string | null
      lastSyncedAt: string | null
      createdAt: string
      updatedAt: string
    }
  }
  'GET /cloud-accounts/guide': {
    reply: {
      provider: 'aws'
      externalID: string
      principal: string | null
      drivers: {
        aws: 'simulated' | 'real' | 'none'
        gcp: 'simulated' | 'real' | 'none'
        azure: 'simulated' | 'real' | 'none'
      }
      roleName: string
      trustPolicy: Record<string, unknown>
      permissionPolicy: Record<string, unknown>
      commands: string[]
      clusterRole: string
      clusterCommands: string[]
      organization?: {
        stackSet: Record<string, unknown>
        policy: Record<string, unknown>
        commands: string[]
      }
    }
  }
  'POST /cloud-accounts': {
    reply: {
      id: string
      orgID: string
      name: string
      provider: string
      externalID: string
      driver: 'simulated' | 'real' | 'none'
      regions: string[]
      status: 'pending' | 'connected' | 'degraded' | 'error' | 'disabled' | 'deleted'
      permissionVerdict: 'unknown' | 'none' | 'read_only' | 'read_write'
      missingPermissions: string[]
      billingExport?: {
        kind: string
        location: string
        acceptShrink?: boolean
      }
      organization?: {
        roleName?: string
        parent?: string
        include?: {
          paths?: string[]
          tags?: Record<string, string[]>
          pattern?: string
        }
        exclude?: {
          paths?: string[]
          tags?: Record<string, string[]>
          pattern?: string
        }
        listedAccounts: number
        lastListedAt: string | null
        message?: string
      }
      membership?: {
        managedBy: string
        path: string
        tags: Record<string, string>
        status: 'active' | 'suspended' | 'left'
        isManaged: boolean
      }
      message?: string
      lastVerifiedAt: string | null
      lastSyncedAt: string | null
      createdAt: string
      updatedAt: string
    }
  }
  'POST /cloud-accounts/:cloudAccountID/check': {
    reply: {
      cloudAccountID: string
      verdict: 'unknown' | 'none' | 'read_only' | 'read_write'
      message: string | null
      permissions: ({
        name: string
        access: 'read' | 'write'
        state: 'granted' | 'missing' | 'unknown'
        lost: string[]
        statement: Record<string, unknown>
      })[]
    }
  }
}
