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
      provider: 'aws' | 'gcp' | 'azure'
      parentUID: string
      childCount: number
      schedulable: boolean
      tags: Record<string, string>
      createdAt: string
      updatedAt: string
    })[]
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
      provider: 'aws' | 'gcp' | 'azure'
      parentUID: string
      childCount: number
      schedulable: boolean
      tags: Record<string, string>
      createdAt: string
      updatedAt: string
    })[]
  }
  'GET /resources/filter-fields': {
    reply: {
      types: string[]
      providers: ('aws' | 'gcp' | 'azure')[]
      regions: string[]
      statuses: ('running' | 'stopped' | 'starting' | 'stopping' | 'pending')[]
    }
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
      provider: 'aws' | 'gcp' | 'azure'
      parentUID: string
      childCount: number
      schedulable: boolean
      tags: Record<string, string>
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
