/** Made from the routes by test/console/operations.ts; never by hand. */
export interface ResourcesOperations {
  'GET /resources': {
    reply: ({
      id: string
      name: string
      uid: string
      type: string
      instanceType: string
      sizeGB: number | null
      unitCount: number | null
      region: string
      status: 'running' | 'stopped' | 'starting' | 'stopping' | 'pending'
      cloudAccountID: string
      cloudAccountName: string
      cloudAccountDriver: 'simulated' | 'real' | 'none'
      provider: 'aws' | 'gcp' | 'azure'
      parentUID: string
      childCount: number
      schedulable: boolean
      tags: Record<string, string>
      team?: {
        id: string
        name: string
      }
      inReportScope?: boolean
      createdAt: string
      updatedAt: string
    })[]
  }
  'GET /resources/:resourceID/access': {
    reply: {
      accessible: boolean
      principal: string
      network?: {
        reachable: boolean
        reason?: 'egress_config_error' | 'private' | 'ip_not_allowlisted'
        publicAccess: boolean
        ourIps: string[]
        ourIp?: string
      }
    }
  }
  'GET /resources/:resourceID/context': {
    reply: {
      id: string
      uid: string
      team: {
        id: string
        name: string
      }
      teamGivenBy: 'hand' | 'rule' | 'nobody'
      groups: {
        id: string
        name: string
      }[]
      tags: ({
        key: string
        value: string
        source: 'cloud' | 'smart' | 'auto'
      })[]
      hourlyRateUSD: number | null
      power: {
        isPossible: boolean
        code?: string
        reason?: string
      }
    }
  }
  'GET /resources/:resourceID/specs': {
    reply: {
      id: string
      uid: string
      type: string
      specs: Record<string, unknown>
      observedAt: string
    }
  }
  'GET /resources/by-uids': {
    reply: ({
      id: string
      name: string
      uid: string
      type: string
      instanceType: string
      sizeGB: number | null
      unitCount: number | null
      region: string
      status: 'running' | 'stopped' | 'starting' | 'stopping' | 'pending'
      cloudAccountID: string
      cloudAccountName: string
      cloudAccountDriver: 'simulated' | 'real' | 'none'
      provider: 'aws' | 'gcp' | 'azure'
      parentUID: string
      childCount: number
      schedulable: boolean
      tags: Record<string, string>
      team?: {
        id: string
        name: string
      }
      inReportScope?: boolean
      createdAt: string
      updatedAt: string
    })[]
  }
  'GET /resources/discovery-summary': {
    reply: {
      totalResources: number
      schedulableResources: number
      providers: ({
        provider: 'aws' | 'gcp' | 'azure'
        resources: number
        lastSyncedAt: string | null
      })[]
    }
  }
  'GET /resources/filter-fields': {
    reply: {
      types: string[]
      providers: ('aws' | 'gcp' | 'azure')[]
      regions: string[]
      statuses: ('running' | 'stopped' | 'starting' | 'stopping' | 'pending')[]
    }
  }
  'GET /resources/last-synced': {
    reply: ({
      cloudAccountID: string
      provider: 'aws' | 'gcp' | 'azure'
      lastSyncedAt: string
    })[]
  }
  'GET /resources/refresh/status': {
    reply: {
      id: string | null
      status: 'queued' | 'running' | 'canceling' | 'completed' | 'partial' | 'failed' | 'cancelled' | 'skipped' | 'idle'
      discovered: number
      startedAt: string | null
      completedAt: string | null
    }
  }
  'POST /resources/by-uids': {
    reply: ({
      id: string
      name: string
      uid: string
      type: string
      instanceType: string
      sizeGB: number | null
      unitCount: number | null
      region: string
      status: 'running' | 'stopped' | 'starting' | 'stopping' | 'pending'
      cloudAccountID: string
      cloudAccountName: string
      cloudAccountDriver: 'simulated' | 'real' | 'none'
      provider: 'aws' | 'gcp' | 'azure'
      parentUID: string
      childCount: number
      schedulable: boolean
      tags: Record<string, string>
      team?: {
        id: string
        name: string
      }
      inReportScope?: boolean
      createdAt: string
      updatedAt: string
    })[]
  }
  'POST /resources/refresh': {
    reply: {
      refreshID: string
      status: 'queued' | 'running' | 'canceling' | 'completed' | 'partial' | 'failed' | 'cancelled' | 'skipped' | 'idle'
    }
  }
}
