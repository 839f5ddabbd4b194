/** Made from the routes by test/console/operations.ts; never by hand. */
export interface RecommendationsOperations {
  'GET /recommendations': {
    reply: {
      items: ({
        id: string
        resourceUid: string
        resourceName: string
        resourceType: string
        ruleId: string
        title: string
        titleParams?: {
          from: string
          to: string
        }
        description: string
        remediation: string
        currentCostUsd: number
        optimizedCostUsd: number
        savingsUsd: number
        grossSavingsUsd: number
        confidence: number
        priority: number
        status: 'open' | 'applied' | 'dismissed' | 'optimised' | 'rule_retired'
        severity: 'critical' | 'high' | 'medium' | 'low' | 'info'
        category: 'idle' | 'rightsizing' | 'schedule' | 'orphan' | 'compliance' | 'discount' | 'governance'
        consoleUrl: string
        provider: 'aws' | 'gcp' | 'azure'
        cloudAccountId: string
        cloudAccountName: string
        actionType: 'stop' | 'pause' | 'schedule' | 'delete' | 'resize' | 'change_type' | 'modify' | 'configure' | 'upgrade' | 'purchase' | 'tag' | 'none'
        evidence: Record<string, unknown>
        heldBackBy?: string
        snoozedUntil?: string
        stillFires?: true
        staleSince?: string
        generatedAt: string
        updatedAt: string
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /recommendations/:recID/detail': {
    reply: {
      id: string
      resourceUid: string
      resourceName: string
      resourceType: string
      ruleId: string
      title: string
      titleParams?: {
        from: string
        to: string
      }
      description: string
      remediation: string
      currentCostUsd: number
      optimizedCostUsd: number
      savingsUsd: number
      grossSavingsUsd: number
      confidence: number
      priority: number
      status: 'open' | 'applied' | 'dismissed' | 'optimised' | 'rule_retired'
      severity: 'critical' | 'high' | 'medium' | 'low' | 'info'
      category: 'idle' | 'rightsizing' | 'schedule' | 'orphan' | 'compliance' | 'discount' | 'governance'
      consoleUrl: string
      provider: 'aws' | 'gcp' | 'azure'
      cloudAccountId: string
      cloudAccountName: string
      actionType: 'stop' | 'pause' | 'schedule' | 'delete' | 'resize' | 'change_type' | 'modify' | 'configure' | 'upgrade' | 'purchase' | 'tag' | 'none'
      evidence: Record<string, unknown>
      heldBackBy?: string
      snoozedUntil?: string
      stillFires?: true
      staleSince?: string
      generatedAt: string
      updatedAt: string
      specs?: Record<string, string>
      targetSpec?: Record<string, unknown>
      region?: string
      resourceGroup?: string
      resourceTags?: Record<string, string>
      tierRates?: Record<string, number>
      metrics: {
        name: string
        unit: string
        windowDays: number
        avg: number
        p95: number
        max: number
        points: {
          t: string
          v: number
        }[]
      }[]
      remediationSteps: {
        order: number
        text: string
        command?: string
      }[]
    }
  }
  'GET /recommendations/:recID/history': {
    reply: ({
      id: string
      event: 'generated' | 'viewed' | 'applied' | 'dismissed' | 'reopened' | 'closed'
      actor: string
      actorType: 'user' | 'system'
      createdAt: string
      note?: string
    })[]
  }
  'GET /recommendations/:recID/workflow': {
    reply: {
      recommendationID: string
      template: 'start' | 'stop' | 'resize' | 'set' | 'delete' | 'pause' | 'schedule' | 'manual'
      templateRevision: number
      operation: string
      steps: ({
        id: string
        name: string
        kind: 'precondition' | 'approval' | 'execute' | 'pause_service' | 'validate'
        approvals?: number
        expiresHours?: number
        timeoutMinutes?: number
        reversible: boolean
      })[]
      targetSpec?: Record<string, unknown>
      planHash: string
      was?: {
        exists: boolean
        status?: 'running' | 'stopped'
        instanceType?: string
      }
      approvalRequired: boolean
      underWay?: {
        jobID: string
        planHash: string
        changes: ('template' | 'subject' | 'resource' | 'operations' | 'policies' | 'figures')[]
      }
    }
  }
  'GET /recommendations/filter-fields': {
    reply: {
      statuses: ('open' | 'applied' | 'dismissed' | 'optimised' | 'rule_retired')[]
      severities: ('critical' | 'high' | 'medium' | 'low' | 'info')[]
      categories: ('idle' | 'rightsizing' | 'schedule' | 'orphan' | 'compliance' | 'discount' | 'governance')[]
      providers: ('aws' | 'gcp' | 'azure')[]
    }
  }
  'GET /recommendations/resources': {
    reply: {
      items: ({
        resourceUid: string
        resourceName: string
        resourceType: string
        provider: 'aws' | 'gcp' | 'azure'
        cloudAccountId: string
        cloudAccountName: string
        recommendationCount: number
        openCount: number
        totalSavingsUsd: number
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /recommendations/rule-catalog': {
    reply: {
      items: ({
        ruleId: string
        title: string
        provider: 'aws' | 'gcp' | 'azure' | 'any'
        category: 'idle' | 'rightsizing' | 'schedule' | 'orphan' | 'compliance' | 'discount' | 'governance'
        titleTemplate: string
        description: string
        remediation: string
        resourceTypes: string[]
        severity?: 'critical' | 'high' | 'medium' | 'low' | 'info'
        confidence: 'high' | 'medium' | 'low'
        actionType: 'stop' | 'pause' | 'schedule' | 'delete' | 'resize' | 'change_type' | 'modify' | 'configure' | 'upgrade' | 'purchase' | 'tag' | 'none'
        effect: 'none' | 'online' | 'restart' | 'outage' | 'data_loss' | 'irreversible'
        destructive: boolean
        automation: 'executor' | 'pause_service' | 'api' | 'manual'
        params: Record<string, number | string>
        metrics: string[]
        predicate: unknown
        savings: unknown
        overridden: boolean
        retired: boolean
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
      counts: {
        aws: number
        gcp: number
        azure: number
        any: number
        total: number
      }
    }
  }
  'GET /recommendations/rules': {
    reply: {
      items: ({
        ruleId: string
        title: string
        category: 'idle' | 'rightsizing' | 'schedule' | 'orphan' | 'compliance' | 'discount' | 'governance'
        severity: 'critical' | 'high' | 'medium' | 'low' | 'info'
        resourceCount: number
        openCount: number
        totalSavingsUsd: number
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /recommendations/summary': {
    reply: {
      totalOpen: number
      totalOpenCost: number
      totalSavings: number
      criticalCount: number
      highCount: number
      resourceCount: number
      awsResources: number
      gcpResources: number
      azureResources: number
      appliedCount: number
      dismissedCount: number
      optimisedCount: number
      ruleRetiredCount: number
    }
  }
  'PATCH /recommendations/:recommendationID': {
    reply: {
      id: string
      resourceUid: string
      resourceName: string
      resourceType: string
      ruleId: string
      title: string
      titleParams?: {
        from: string
        to: string
      }
      description: string
      remediation: string
      currentCostUsd: number
      optimizedCostUsd: number
      savingsUsd: number
      grossSavingsUsd: number
      confidence: number
      priority: number
      status: 'open' | 'applied' | 'dismissed' | 'optimised' | 'rule_retired'
      severity: 'critical' | 'high' | 'medium' | 'low' | 'info'
      category: 'idle' | 'rightsizing' | 'schedule' | 'orphan' | 'compliance' | 'discount' | 'governance'
      consoleUrl: string
      provider: 'aws' | 'gcp' | 'azure'
      cloudAccountId: string
      cloudAccountName: string
      actionType: 'stop' | 'pause' | 'schedule' | 'delete' | 'resize' | 'change_type' | 'modify' | 'configure' | 'upgrade' | 'purchase' | 'tag' | 'none'
      evidence: Record<string, unknown>
      heldBackBy?: string
      snoozedUntil?: string
      stillFires?: true
      staleSince?: string
      generatedAt: string
      updatedAt: string
    }
  }
  'POST /recommendations/:recID/viewed': {
    reply: undefined
  }
}
