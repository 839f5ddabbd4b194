/** Made from the routes by test/console/operations.ts; never by hand. */
export interface EventReadinessOperations {
  'GET /event-readiness': {
    reply: {
      items: ({
        id: string
        orgId: string
        name: string
        description: string | null
        eventStart: string
        eventEnd: string
        preScaleMinutes: number
        postEventMinutes: number
        expectedMultiplier: number
        timezone: string
        status: 'draft' | 'scheduling' | 'scheduled' | 'scaling_up' | 'active' | 'scaling_down' | 'completed' | 'failed' | 'cancelled'
        targets: {
          policyId: string
          originalMin?: number
          originalMax?: number
          originalDesired?: number
        }[]
        createdAt: string
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /event-readiness/:eventID': {
    reply: {
      id: string
      orgId: string
      name: string
      description: string | null
      eventStart: string
      eventEnd: string
      preScaleMinutes: number
      postEventMinutes: number
      expectedMultiplier: number
      timezone: string
      status: 'draft' | 'scheduling' | 'scheduled' | 'scaling_up' | 'active' | 'scaling_down' | 'completed' | 'failed' | 'cancelled'
      targets: {
        policyId: string
        originalMin?: number
        originalMax?: number
        originalDesired?: number
      }[]
      createdAt: string
    }
  }
  'GET /event-readiness/:eventID/cost-estimate': {
    reply: {
      currency: 'USD'
      estimatedExtraCost: number
      perTarget: {
        policyId: string
        extraCost: number
      }[]
      warnings?: string[]
    }
  }
  'GET /event-readiness/:eventID/logs': {
    reply: {
      items: ({
        id: string
        kind: 'transition' | 'callback' | 'intent'
        from?: 'draft' | 'scheduling' | 'scheduled' | 'scaling_up' | 'active' | 'scaling_down' | 'completed' | 'failed' | 'cancelled'
        to?: 'draft' | 'scheduling' | 'scheduled' | 'scaling_up' | 'active' | 'scaling_down' | 'completed' | 'failed' | 'cancelled'
        message: string
        actor: string
        policyId?: string
        createdAt: string
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /event-readiness/:eventID/readiness-check': {
    reply: {
      ready: boolean
      checks: ({
        name: 'capacity' | 'credentials' | 'executor_queue'
        status: 'pass' | 'warn' | 'fail'
        message: string
        policyId?: string
      })[]
    }
  }
  'PATCH /event-readiness/:eventID': {
    reply: {
      id: string
      orgId: string
      name: string
      description: string | null
      eventStart: string
      eventEnd: string
      preScaleMinutes: number
      postEventMinutes: number
      expectedMultiplier: number
      timezone: string
      status: 'draft' | 'scheduling' | 'scheduled' | 'scaling_up' | 'active' | 'scaling_down' | 'completed' | 'failed' | 'cancelled'
      targets: {
        policyId: string
        originalMin?: number
        originalMax?: number
        originalDesired?: number
      }[]
      createdAt: string
    }
  }
  'POST /event-readiness': {
    reply: {
      id: string
      orgId: string
      name: string
      description: string | null
      eventStart: string
      eventEnd: string
      preScaleMinutes: number
      postEventMinutes: number
      expectedMultiplier: number
      timezone: string
      status: 'draft' | 'scheduling' | 'scheduled' | 'scaling_up' | 'active' | 'scaling_down' | 'completed' | 'failed' | 'cancelled'
      targets: {
        policyId: string
        originalMin?: number
        originalMax?: number
        originalDesired?: number
      }[]
      createdAt: string
    }
  }
  'POST /event-readiness/cost-preview': {
    reply: {
      currency: 'USD'
      estimatedExtraCost: number
      perTarget: {
        policyId: string
        extraCost: number
      }[]
      warnings?: string[]
    }
  }
  'POST /event-readiness/preview-readiness': {
    reply: {
      scaleUpAt: string
      rollbackAt: string
      targets: {
        policyId: string
        currentMin: number
        currentMax: number
        currentDesired: number
        scaledMin: number
        scaledMax: number
        scaledDesired: number
        isEstimated: boolean
      }[]
      warnings: string[]
    }
  }
}
