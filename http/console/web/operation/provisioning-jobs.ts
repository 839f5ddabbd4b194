/** Made from the routes by test/console/operations.ts; never by hand. */
export interface ProvisioningJobsOperations {
  'DELETE /provisioning-jobs/:jobID/connections/:connID': {
    reply: undefined
  }
  'DELETE /provisioning-jobs/:jobID/databases/:dbID/connections/:connID': {
    reply: undefined
  }
  'GET /provisioning-jobs': {
    reply: {
      items: ({
        id: string
        orgID: string
        spaceID: string
        kind: 'kubernetes' | 'datastore' | 'vm_pool' | 'network' | 'registry' | 'load_balancer' | 'component'
        name: string
        config: unknown
        tags: Record<string, string>
        phase: 'queued' | 'validating' | 'provisioning' | 'configuring' | 'verifying' | 'ready' | 'failed' | 'deleting' | 'deleted' | 'delete_failed'
        currentStep?: string
        steps: ({
          id: string
          name: string
          status: 'pending' | 'running' | 'succeeded' | 'failed' | 'skipped'
          output?: Record<string, unknown>
          error?: {
            bucket: 'user_action' | 'transient' | 'system'
            message: string
            retryable: boolean
            fixHint?: string
            consoleUrl?: string
            stepName: string
          }
          attempts: number
          startedAt?: string
          completedAt?: string
        })[]
        error?: {
          bucket: 'user_action' | 'transient' | 'system'
          message: string
          retryable: boolean
          fixHint?: string
          consoleUrl?: string
          stepName: string
        }
        attempts: number
        createdBy: string
        createdByName?: string | null
        createdAt: string
        updatedAt: string
        completedAt?: string
        expiresAt?: string
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /provisioning-jobs/:id': {
    reply: {
      id: string
      orgID: string
      spaceID: string
      kind: 'kubernetes' | 'datastore' | 'vm_pool' | 'network' | 'registry' | 'load_balancer' | 'component'
      name: string
      config: unknown
      tags: Record<string, string>
      phase: 'queued' | 'validating' | 'provisioning' | 'configuring' | 'verifying' | 'ready' | 'failed' | 'deleting' | 'deleted' | 'delete_failed'
      currentStep?: string
      steps: ({
        id: string
        name: string
        status: 'pending' | 'running' | 'succeeded' | 'failed' | 'skipped'
        output?: Record<string, unknown>
        error?: {
          bucket: 'user_action' | 'transient' | 'system'
          message: string
          retryable: boolean
          fixHint?: string
          consoleUrl?: string
          stepName: string
        }
        attempts: number
        startedAt?: string
        completedAt?: string
      })[]
      error?: {
        bucket: 'user_action' | 'transient' | 'system'
        message: string
        retryable: boolean
        fixHint?: string
        consoleUrl?: string
        stepName: string
      }
      attempts: number
      createdBy: string
      createdByName?: string | null
      createdAt: string
      updatedAt: string
      completedAt?: string
      expiresAt?: string
    }
  }
  'GET /provisioning-jobs/:id/drift': {
    reply: {
      jobID: string
      exists: boolean
      drift: {
        path: string
        wanted: unknown
        found: unknown
      }[]
    }
  }
  'GET /provisioning-jobs/:jobID/connections': {
    reply: ({
      id: string
      jobID: string
      databaseID?: string
      scope: 'job' | 'database'
      name: string
      host: string
      port: number
      user: string
      secretRef: string
      createdAt: string
    })[]
  }
  'GET /provisioning-jobs/:jobID/databases': {
    reply: ({
      id: string
      jobID: string
      name: string
      owner: string
      status: 'creating' | 'available' | 'deleting' | 'failed'
      server: string
      port: number
      secretRef: string | null
      createdAt: string
      error?: {
        bucket: 'user_action' | 'transient' | 'system'
        message: string
        retryable: boolean
        fixHint?: string
        consoleUrl?: string
        stepName: string
      }
    })[]
  }
  'GET /provisioning-jobs/:jobID/databases/:dbID/connections': {
    reply: ({
      id: string
      jobID: string
      databaseID?: string
      scope: 'job' | 'database'
      name: string
      host: string
      port: number
      user: string
      secretRef: string
      createdAt: string
    })[]
  }
  'PATCH /provisioning-jobs/:id': {
    reply: {
      id: string
      orgID: string
      spaceID: string
      kind: 'kubernetes' | 'datastore' | 'vm_pool' | 'network' | 'registry' | 'load_balancer' | 'component'
      name: string
      config: unknown
      tags: Record<string, string>
      phase: 'queued' | 'validating' | 'provisioning' | 'configuring' | 'verifying' | 'ready' | 'failed' | 'deleting' | 'deleted' | 'delete_failed'
      currentStep?: string
      steps: ({
        id: string
        name: string
        status: 'pending' | 'running' | 'succeeded' | 'failed' | 'skipped'
        output?: Record<string, unknown>
        error?: {
          bucket: 'user_action' | 'transient' | 'system'
          message: string
          retryable: boolean
          fixHint?: string
          consoleUrl?: string
          stepName: string
        }
        attempts: number
        startedAt?: string
        completedAt?: string
      })[]
      error?: {
        bucket: 'user_action' | 'transient' | 'system'
        message: string
        retryable: boolean
        fixHint?: string
        consoleUrl?: string
        stepName: string
      }
      attempts: number
      createdBy: string
      createdByName?: string | null
      createdAt: string
      updatedAt: string
      completedAt?: string
      expiresAt?: string
    }
  }
  'POST /provisioning-jobs': {
    reply: {
      id: string
      orgID: string
      spaceID: string
      kind: 'kubernetes' | 'datastore' | 'vm_pool' | 'network' | 'registry' | 'load_balancer' | 'component'
      name: string
      config: unknown
      tags: Record<string, string>
      phase: 'queued' | 'validating' | 'provisioning' | 'configuring' | 'verifying' | 'ready' | 'failed' | 'deleting' | 'deleted' | 'delete_failed'
      currentStep?: string
      steps: ({
        id: string
        name: string
        status: 'pending' | 'running' | 'succeeded' | 'failed' | 'skipped'
        output?: Record<string, unknown>
        error?: {
          bucket: 'user_action' | 'transient' | 'system'
          message: string
          retryable: boolean
          fixHint?: string
          consoleUrl?: string
          stepName: string
        }
        attempts: number
        startedAt?: string
        completedAt?: string
      })[]
      error?: {
        bucket: 'user_action' | 'transient' | 'system'
        message: string
        retryable: boolean
        fixHint?: string
        consoleUrl?: string
        stepName: string
      }
      attempts: number
      createdBy: string
      createdByName?: string | null
      createdAt: string
      updatedAt: string
      completedAt?: string
      expiresAt?: string
    }
  }
  'POST /provisioning-jobs/:jobID/connections': {
    reply: {
      id: string
      jobID: string
      databaseID?: string
      scope: 'job' | 'database'
      name: string
      host: string
      port: number
      user: string
      secretRef: string
      createdAt: string
    }
  }
  'POST /provisioning-jobs/:jobID/databases': {
    reply: {
      id: string
      jobID: string
      name: string
      owner: string
      status: 'creating' | 'available' | 'deleting' | 'failed'
      server: string
      port: number
      secretRef: string | null
      createdAt: string
      error?: {
        bucket: 'user_action' | 'transient' | 'system'
        message: string
        retryable: boolean
        fixHint?: string
        consoleUrl?: string
        stepName: string
      }
    }
  }
  'POST /provisioning-jobs/:jobID/databases/:dbID/connections': {
    reply: {
      id: string
      jobID: string
      databaseID?: string
      scope: 'job' | 'database'
      name: string
      host: string
      port: number
      user: string
      secretRef: string
      createdAt: string
    }
  }
  'POST /provisioning-jobs/estimate': {
    reply: {
      currency: 'USD'
      hourlyUSD: number
      monthlyUSD: number
      maxHourlyUSD: number
      maxMonthlyUSD: number
      items: {
        name: string
        units: number
        maxUnits: number
        unitHourlyUSD: number
        hourlyUSD: number
        monthlyUSD: number
      }[]
      unknown: string[]
    }
  }
}
