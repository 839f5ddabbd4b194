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
}
