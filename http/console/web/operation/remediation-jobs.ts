/** Made from the routes by test/console/operations.ts; never by hand. */
export interface RemediationJobsOperations {
  'GET /remediation-jobs': {
    reply: {
      items: ({
        id: string
        orgID: string
        recommendationID: string
        subjectType: 'resource' | 'resource_group'
        subjectID: string
        resourceUid: string
        cloudAccountID: string
        template: 'start' | 'stop' | 'resize' | 'set' | 'delete' | 'pause' | 'schedule' | 'manual'
        templateRevision: number
        title: string
        status: 'pending' | 'running' | 'awaiting_user' | 'succeeded' | 'failed' | 'cancelled'
        currentStep: string | null
        steps: ({
          id: string
          name: string
          kind: 'precondition' | 'approval' | 'execute' | 'pause_service' | 'validate'
          approvals?: number
          expiresHours?: number
          timeoutMinutes?: number
          reversible: boolean
          status: 'pending' | 'running' | 'awaiting_user' | 'succeeded' | 'failed' | 'rejected' | 'skipped'
          startedAt?: string
          completedAt?: string
          output?: Record<string, unknown>
          errorMessage?: string
        })[]
        reason?: string
        planHash: string
        createdBy: string
        createdAt: string
        updatedAt: string
        completedAt?: string
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /remediation-jobs/:jobID': {
    reply: {
      id: string
      orgID: string
      recommendationID: string
      subjectType: 'resource' | 'resource_group'
      subjectID: string
      resourceUid: string
      cloudAccountID: string
      template: 'start' | 'stop' | 'resize' | 'set' | 'delete' | 'pause' | 'schedule' | 'manual'
      templateRevision: number
      title: string
      status: 'pending' | 'running' | 'awaiting_user' | 'succeeded' | 'failed' | 'cancelled'
      currentStep: string | null
      steps: ({
        id: string
        name: string
        kind: 'precondition' | 'approval' | 'execute' | 'pause_service' | 'validate'
        approvals?: number
        expiresHours?: number
        timeoutMinutes?: number
        reversible: boolean
        status: 'pending' | 'running' | 'awaiting_user' | 'succeeded' | 'failed' | 'rejected' | 'skipped'
        startedAt?: string
        completedAt?: string
        output?: Record<string, unknown>
        errorMessage?: string
      })[]
      reason?: string
      planHash: string
      createdBy: string
      createdAt: string
      updatedAt: string
      completedAt?: string
      plan: {
        title: string
        operation: string
        ruleId: string
        actionType: string
        resource: {
          uid: string
          name: string
          type: string
          provider: 'aws' | 'gcp' | 'azure'
          region: string
        }
        operations: ({
          kind: 'start' | 'stop' | 'pause' | 'resize' | 'set' | 'snapshot' | 'delete' | 'schedule'
          size?: string
          specs?: Record<string, unknown>
        })[]
        targetSpec?: Record<string, unknown>
        was?: {
          exists: boolean
          status?: 'running' | 'stopped'
          instanceType?: string
        }
        instruction?: string
        estimate: {
          costUsd: number
          savingsUsd: number
        }
        fourEyes: boolean
        windows: {
          days: number[]
          from: string
          to: string
          timezone: string
        }[]
        policies: string[]
      }
      audit: ({
        stepName: string
        eventType: 'created' | 'approved' | 'rejected' | 'completed' | 'failed'
        actor: string
        reason?: string
        createdAt: string
      })[]
    }
  }
  'GET /remediation-jobs/:jobID/audit': {
    reply: ({
      stepName: string
      eventType: 'created' | 'approved' | 'rejected' | 'completed' | 'failed'
      actor: string
      reason?: string
      createdAt: string
    })[]
  }
  'POST /remediation-jobs': {
    reply: {
      id: string
      orgID: string
      recommendationID: string
      subjectType: 'resource' | 'resource_group'
      subjectID: string
      resourceUid: string
      cloudAccountID: string
      template: 'start' | 'stop' | 'resize' | 'set' | 'delete' | 'pause' | 'schedule' | 'manual'
      templateRevision: number
      title: string
      status: 'pending' | 'running' | 'awaiting_user' | 'succeeded' | 'failed' | 'cancelled'
      currentStep: string | null
      steps: ({
        id: string
        name: string
        kind: 'precondition' | 'approval' | 'execute' | 'pause_service' | 'validate'
        approvals?: number
        expiresHours?: number
        timeoutMinutes?: number
        reversible: boolean
        status: 'pending' | 'running' | 'awaiting_user' | 'succeeded' | 'failed' | 'rejected' | 'skipped'
        startedAt?: string
        completedAt?: string
        output?: Record<string, unknown>
        errorMessage?: string
      })[]
      reason?: string
      planHash: string
      createdBy: string
      createdAt: string
      updatedAt: string
      completedAt?: string
      plan: {
        title: string
        operation: string
        ruleId: string
        actionType: string
        resource: {
          uid: string
          name: string
          type: string
          provider: 'aws' | 'gcp' | 'azure'
          region: string
        }
        operations: ({
          kind: 'start' | 'stop' | 'pause' | 'resize' | 'set' | 'snapshot' | 'delete' | 'schedule'
          size?: string
          specs?: Record<string, unknown>
        })[]
        targetSpec?: Record<string, unknown>
        was?: {
          exists: boolean
          status?: 'running' | 'stopped'
          instanceType?: string
        }
        instruction?: string
        estimate: {
          costUsd: number
          savingsUsd: number
        }
        fourEyes: boolean
        windows: {
          days: number[]
          from: string
          to: string
          timezone: string
        }[]
        policies: string[]
      }
      audit: ({
        stepName: string
        eventType: 'created' | 'approved' | 'rejected' | 'completed' | 'failed'
        actor: string
        reason?: string
        createdAt: string
      })[]
    }
  }
  'POST /remediation-jobs/:jobID/cancel': {
    reply: {
      id: string
      orgID: string
      recommendationID: string
      subjectType: 'resource' | 'resource_group'
      subjectID: string
      resourceUid: string
      cloudAccountID: string
      template: 'start' | 'stop' | 'resize' | 'set' | 'delete' | 'pause' | 'schedule' | 'manual'
      templateRevision: number
      title: string
      status: 'pending' | 'running' | 'awaiting_user' | 'succeeded' | 'failed' | 'cancelled'
      currentStep: string | null
      steps: ({
        id: string
        name: string
        kind: 'precondition' | 'approval' | 'execute' | 'pause_service' | 'validate'
        approvals?: number
        expiresHours?: number
        timeoutMinutes?: number
        reversible: boolean
        status: 'pending' | 'running' | 'awaiting_user' | 'succeeded' | 'failed' | 'rejected' | 'skipped'
        startedAt?: string
        completedAt?: string
        output?: Record<string, unknown>
        errorMessage?: string
      })[]
      reason?: string
      planHash: string
      createdBy: string
      createdAt: string
      updatedAt: string
      completedAt?: string
      plan: {
        title: string
        operation: string
        ruleId: string
        actionType: string
        resource: {
          uid: string
          name: string
          type: string
          provider: 'aws' | 'gcp' | 'azure'
          region: string
        }
        operations: ({
          kind: 'start' | 'stop' | 'pause' | 'resize' | 'set' | 'snapshot' | 'delete' | 'schedule'
          size?: string
          specs?: Record<string, unknown>
        })[]
        targetSpec?: Record<string, unknown>
        was?: {
          exists: boolean
          status?: 'running' | 'stopped'
          instanceType?: string
        }
        instruction?: string
        estimate: {
          costUsd: number
          savingsUsd: number
        }
        fourEyes: boolean
        windows: {
          days: number[]
          from: string
          to: string
          timezone: string
        }[]
        policies: string[]
      }
      audit: ({
        stepName: string
        eventType: 'created' | 'approved' | 'rejected' | 'completed' | 'failed'
        actor: string
        reason?: string
        createdAt: string
      })[]
    }
  }
  'POST /remediation-jobs/:jobID/steps-by-id/:stepID/approve': {
    reply: {
      id: string
      orgID: string
      recommendationID: string
      subjectType: 'resource' | 'resource_group'
      subjectID: string
      resourceUid: string
      cloudAccountID: string
      template: 'start' | 'stop' | 'resize' | 'set' | 'delete' | 'pause' | 'schedule' | 'manual'
      templateRevision: number
      title: string
      status: 'pending' | 'running' | 'awaiting_user' | 'succeeded' | 'failed' | 'cancelled'
      currentStep: string | null
      steps: ({
        id: string
        name: string
        kind: 'precondition' | 'approval' | 'execute' | 'pause_service' | 'validate'
        approvals?: number
        expiresHours?: number
        timeoutMinutes?: number
        reversible: boolean
        status: 'pending' | 'running' | 'awaiting_user' | 'succeeded' | 'failed' | 'rejected' | 'skipped'
        startedAt?: string
        completedAt?: string
        output?: Record<string, unknown>
        errorMessage?: string
      })[]
      reason?: string
      planHash: string
      createdBy: string
      createdAt: string
      updatedAt: string
      completedAt?: string
      plan: {
        title: string
        operation: string
        ruleId: string
        actionType: string
        resource: {
          uid: string
          name: string
          type: string
          provider: 'aws' | 'gcp' | 'azure'
          region: string
        }
        operations: ({
          kind: 'start' | 'stop' | 'pause' | 'resize' | 'set' | 'snapshot' | 'delete' | 'schedule'
          size?: string
          specs?: Record<string, unknown>
        })[]
        targetSpec?: Record<string, unknown>
        was?: {
          exists: boolean
          status?: 'running' | 'stopped'
          instanceType?: string
        }
        instruction?: string
        estimate: {
          costUsd: number
          savingsUsd: number
        }
        fourEyes: boolean
        windows: {
          days: number[]
          from: string
          to: string
          timezone: string
        }[]
        policies: string[]
      }
      audit: ({
        stepName: string
        eventType: 'created' | 'approved' | 'rejected' | 'completed' | 'failed'
        actor: string
        reason?: string
        createdAt: string
      })[]
    }
  }
  'POST /remediation-jobs/:jobID/steps-by-id/:stepID/reject': {
    reply: {
      id: string
      orgID: string
      recommendationID: string
      subjectType: 'resource' | 'resource_group'
      subjectID: string
      resourceUid: string
      cloudAccountID: string
      template: 'start' | 'stop' | 'resize' | 'set' | 'delete' | 'pause' | 'schedule' | 'manual'
      templateRevision: number
      title: string
      status: 'pending' | 'running' | 'awaiting_user' | 'succeeded' | 'failed' | 'cancelled'
      currentStep: string | null
      steps: ({
        id: string
        name: string
        kind: 'precondition' | 'approval' | 'execute' | 'pause_service' | 'validate'
        approvals?: number
        expiresHours?: number
        timeoutMinutes?: number
        reversible: boolean
        status: 'pending' | 'running' | 'awaiting_user' | 'succeeded' | 'failed' | 'rejected' | 'skipped'
        startedAt?: string
        completedAt?: string
        output?: Record<string, unknown>
        errorMessage?: string
      })[]
      reason?: string
      planHash: string
      createdBy: string
      createdAt: string
      updatedAt: string
      completedAt?: string
      plan: {
        title: string
        operation: string
        ruleId: string
        actionType: string
        resource: {
          uid: string
          name: string
          type: string
          provider: 'aws' | 'gcp' | 'azure'
          region: string
        }
        operations: ({
          kind: 'start' | 'stop' | 'pause' | 'resize' | 'set' | 'snapshot' | 'delete' | 'schedule'
          size?: string
          specs?: Record<string, unknown>
        })[]
        targetSpec?: Record<string, unknown>
        was?: {
          exists: boolean
          status?: 'running' | 'stopped'
          instanceType?: string
        }
        instruction?: string
        estimate: {
          costUsd: number
          savingsUsd: number
        }
        fourEyes: boolean
        windows: {
          days: number[]
          from: string
          to: string
          timezone: string
        }[]
        policies: string[]
      }
      audit: ({
        stepName: string
        eventType: 'created' | 'approved' | 'rejected' | 'completed' | 'failed'
        actor: string
        reason?: string
        createdAt: string
      })[]
    }
  }
}
