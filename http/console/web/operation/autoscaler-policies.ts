/** Made from the routes by test/console/operations.ts; never by hand. */
export interface AutoscalerPoliciesOperations {
  'GET /autoscaler-policies': {
    reply: {
      items: ({
        id: string
        orgID: string
        name: string
        mode: 'monitor' | 'recommend' | 'autopilot'
        effectiveMode: 'monitor' | 'recommend' | 'autopilot'
        status: 'active' | 'paused' | 'event_hold' | 'error' | 'pending_infrastructure' | 'removed'
        statusReason?: string
        cloudAccountID: string
        provider: 'aws' | 'gcp' | 'azure'
        target: {
          type: string
          uid: string
        }
        min: number
        max: number
        targetCPUPercent: number
        cooldownSeconds: number
        triggers: ({
          preset: 'business-hours' | 'peak-hours' | 'weekend-scale-down'
          timezone: string
          days?: number[]
          start?: string
          end?: string
          minCapacity?: number
        })[]
        adoption: 'adopt' | 'replace' | null
        step?: {
          up?: number
          down?: number
        }
        maxHourlyUSD?: number
        latestRecommendation?: {
          id: string
          fromMin: number
          fromMax: number
          toMin: number
          toMax: number
          reason: string
          createdAt: string
        }
        currentTarget: {
          min: number
          max: number
          desired: number
          cpuPercent: number | null
          observedAt: string
        }
        lastWriteAt?: string
        createdAt: string
        updatedAt: string
        removedAt?: string
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /autoscaler-policies/:policyID': {
    reply: {
      id: string
      orgID: string
      name: string
      mode: 'monitor' | 'recommend' | 'autopilot'
      effectiveMode: 'monitor' | 'recommend' | 'autopilot'
      status: 'active' | 'paused' | 'event_hold' | 'error' | 'pending_infrastructure' | 'removed'
      statusReason?: string
      cloudAccountID: string
      provider: 'aws' | 'gcp' | 'azure'
      target: {
        type: string
        uid: string
      }
      min: number
      max: number
      targetCPUPercent: number
      cooldownSeconds: number
      triggers: ({
        preset: 'business-hours' | 'peak-hours' | 'weekend-scale-down'
        timezone: string
        days?: number[]
        start?: string
        end?: string
        minCapacity?: number
      })[]
      adoption: 'adopt' | 'replace' | null
      step?: {
        up?: number
        down?: number
      }
      maxHourlyUSD?: number
      latestRecommendation?: {
        id: string
        fromMin: number
        fromMax: number
        toMin: number
        toMax: number
        reason: string
        createdAt: string
      }
      currentTarget: {
        min: number
        max: number
        desired: number
        cpuPercent: number | null
        observedAt: string
      }
      lastWriteAt?: string
      createdAt: string
      updatedAt: string
      removedAt?: string
    }
  }
  'GET /autoscaler-policies/:policyID/events': {
    reply: ({
      id: string
      kind: 'recommendation' | 'apply' | 'pause' | 'resume' | 'write' | 'failure' | 'schedule' | 'mode_change' | 'event_hold' | 'remove'
      fromMin: number | null
      fromMax: number | null
      toMin: number | null
      toMax: number | null
      reason: string
      appliedBy: string | null
      createdAt: string
    })[]
  }
  'GET /autoscaler-policies/existing-policies': {
    reply: {
      policies: ({
        policyName: string
        metric: string
        target: number
        managedBy: 'tidemark' | 'customer'
      })[]
      recommendation: 'adopt' | 'replace'
    }
  }
  'GET /autoscaler-policies/infrastructure-status': {
    reply: {
      cloudAccountID: string
      status: 'not_created' | 'creating' | 'ready' | 'failed' | 'deleting'
      createdAt: string | null
      components: {
        role: string | null
        runtime: string | null
      }
      message?: string
    }
  }
  'GET /autoscaler-policies/required-permissions': {
    reply: {
      provider: 'aws' | 'gcp' | 'azure'
      permissions: string[]
    }
  }
  'GET /autoscaler-policies/smart-defaults': {
    reply: {
      min: number
      max: number
      targetCPUPercent: number
      cooldownSeconds: number
      basedOn: {
        windowDays: number
        p95CPUPercent: number | null
        peakInstances: number | null
      }
    }
  }
  'POST /autoscaler-policies': {
    reply: {
      id: string
      orgID: string
      name: string
      mode: 'monitor' | 'recommend' | 'autopilot'
      effectiveMode: 'monitor' | 'recommend' | 'autopilot'
      status: 'active' | 'paused' | 'event_hold' | 'error' | 'pending_infrastructure' | 'removed'
      statusReason?: string
      cloudAccountID: string
      provider: 'aws' | 'gcp' | 'azure'
      target: {
        type: string
        uid: string
      }
      min: number
      max: number
      targetCPUPercent: number
      cooldownSeconds: number
      triggers: ({
        preset: 'business-hours' | 'peak-hours' | 'weekend-scale-down'
        timezone: string
        days?: number[]
        start?: string
        end?: string
        minCapacity?: number
      })[]
      adoption: 'adopt' | 'replace' | null
      step?: {
        up?: number
        down?: number
      }
      maxHourlyUSD?: number
      latestRecommendation?: {
        id: string
        fromMin: number
        fromMax: number
        toMin: number
        toMax: number
        reason: string
        createdAt: string
      }
      currentTarget: {
        min: number
        max: number
        desired: number
        cpuPercent: number | null
        observedAt: string
      }
      lastWriteAt?: string
      createdAt: string
      updatedAt: string
      removedAt?: string
    }
  }
  'POST /autoscaler-policies/what-if': {
    reply: {
      writes: number
      capacityHours: number
      hoursAboveTarget: number
      costUSD: number | null
      recordedCapacityHours: number
      measuredHours: number
      points?: ({
        at: string
        cpuPercent: number | null
        recordedUnits: number | null
        units: number | null
      })[]
    }
  }
  'PUT /autoscaler-policies/:policyID': {
    reply: {
      id: string
      orgID: string
      name: string
      mode: 'monitor' | 'recommend' | 'autopilot'
      effectiveMode: 'monitor' | 'recommend' | 'autopilot'
      status: 'active' | 'paused' | 'event_hold' | 'error' | 'pending_infrastructure' | 'removed'
      statusReason?: string
      cloudAccountID: string
      provider: 'aws' | 'gcp' | 'azure'
      target: {
        type: string
        uid: string
      }
      min: number
      max: number
      targetCPUPercent: number
      cooldownSeconds: number
      triggers: ({
        preset: 'business-hours' | 'peak-hours' | 'weekend-scale-down'
        timezone: string
        days?: number[]
        start?: string
        end?: string
        minCapacity?: number
      })[]
      adoption: 'adopt' | 'replace' | null
      step?: {
        up?: number
        down?: number
      }
      maxHourlyUSD?: number
      latestRecommendation?: {
        id: string
        fromMin: number
        fromMax: number
        toMin: number
        toMax: number
        reason: string
        createdAt: string
      }
      currentTarget: {
        min: number
        max: number
        desired: number
        cpuPercent: number | null
        observedAt: string
      }
      lastWriteAt?: string
      createdAt: string
      updatedAt: string
      removedAt?: string
    }
  }
}
