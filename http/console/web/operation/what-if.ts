/** Made from the routes by test/console/operations.ts; never by hand. */
export interface WhatIfOperations {
  'POST /what-if': {
    reply: {
      kind: 'rule'
      from: string
      to: string
      resources: number
      resourceDays: number
      before: {
        findings: number
        openDays: number
        savingsUsd: number
      }
      after: {
        findings: number
        openDays: number
        savingsUsd: number
      }
      othersUsd: number
      addedCount: number
      removedCount: number
      added: {
        cloudAccountId: string
        resourceUid: string
        resourceName: string
        resourceType: string
        ruleId: string
        days: number
        firstDay: string
        lastDay: string
        savingsUsd: number
      }[]
      removed: {
        cloudAccountId: string
        resourceUid: string
        resourceName: string
        resourceType: string
        ruleId: string
        days: number
        firstDay: string
        lastDay: string
        savingsUsd: number
      }[]
      byDay: {
        date: string
        before: {
          findings: number
          openDays: number
          savingsUsd: number
        }
        after: {
          findings: number
          openDays: number
          savingsUsd: number
        }
      }[]
      byAccount: {
        cloudAccountId: string
        before: {
          findings: number
          openDays: number
          savingsUsd: number
        }
        after: {
          findings: number
          openDays: number
          savingsUsd: number
        }
      }[]
      byResourceType: {
        resourceType: string
        before: {
          findings: number
          openDays: number
          savingsUsd: number
        }
        after: {
          findings: number
          openDays: number
          savingsUsd: number
        }
      }[]
      approximate: boolean
      reasons: string[]
      tookMs: number
    } | {
      kind: 'governance'
      from: string
      to: string
      resources: number
      resourceDays: number
      before: {
        findings: number
        openDays: number
        savingsUsd: number
      }
      after: {
        findings: number
        openDays: number
        savingsUsd: number
      }
      othersUsd: number
      addedCount: number
      removedCount: number
      added: {
        cloudAccountId: string
        resourceUid: string
        resourceName: string
        resourceType: string
        ruleId: string
        days: number
        firstDay: string
        lastDay: string
        savingsUsd: number
      }[]
      removed: {
        cloudAccountId: string
        resourceUid: string
        resourceName: string
        resourceType: string
        ruleId: string
        days: number
        firstDay: string
        lastDay: string
        savingsUsd: number
      }[]
      byDay: {
        date: string
        before: {
          findings: number
          openDays: number
          savingsUsd: number
        }
        after: {
          findings: number
          openDays: number
          savingsUsd: number
        }
      }[]
      byAccount: {
        cloudAccountId: string
        before: {
          findings: number
          openDays: number
          savingsUsd: number
        }
        after: {
          findings: number
          openDays: number
          savingsUsd: number
        }
      }[]
      byResourceType: {
        resourceType: string
        before: {
          findings: number
          openDays: number
          savingsUsd: number
        }
        after: {
          findings: number
          openDays: number
          savingsUsd: number
        }
      }[]
      approximate: boolean
      reasons: string[]
      tookMs: number
    } | {
      kind: 'anomaly'
      from: string
      to: string
      before: {
        anomalies: number
        info: number
        warning: number
        critical: number
        emergency: number
      }
      after: {
        anomalies: number
        info: number
        warning: number
        critical: number
        emergency: number
      }
      addedCount: number
      removedCount: number
      regradedCount: number
      added: ({
        date: string
        anomalyType: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
        anomalyKey: string
        severity: 'info' | 'warning' | 'critical' | 'emergency'
        actualCostUsd: number
        expectedCostUsd: number
        deviationPercent: number
      })[]
      removed: ({
        date: string
        anomalyType: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
        anomalyKey: string
        severity: 'info' | 'warning' | 'critical' | 'emergency'
        actualCostUsd: number
        expectedCostUsd: number
        deviationPercent: number
      })[]
      regraded: ({
        date: string
        anomalyType: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
        anomalyKey: string
        severity: 'info' | 'warning' | 'critical' | 'emergency'
        actualCostUsd: number
        expectedCostUsd: number
        deviationPercent: number
        severityBefore: 'info' | 'warning' | 'critical' | 'emergency'
      })[]
      byDay: {
        date: string
        before: number
        after: number
      }[]
      tookMs: number
    } | {
      kind: 'budget'
      from: string
      to: string
      before: {
        monthlyBudgetUSD: number
        alertThresholdPercent: number
        daysYellow: number
        daysRed: number
        alerts: ({
          date: string
          status: 'green' | 'yellow' | 'red'
          spendUSD: number
          percentUsed: number
        })[]
      } | null
      after: {
        monthlyBudgetUSD: number
        alertThresholdPercent: number
        daysYellow: number
        daysRed: number
        alerts: ({
          date: string
          status: 'green' | 'yellow' | 'red'
          spendUSD: number
          percentUsed: number
        })[]
      }
      byDay: ({
        date: string
        spendUSD: number
        before: 'green' | 'yellow' | 'red' | null
        after: 'green' | 'yellow' | 'red'
      })[]
      tookMs: number
    } | {
      kind: 'tagging'
      from: string
      to: string
      key: string
      resources: number
      before: {
        taggedResources: number
        taggedUSD: number
        untaggedUSD: number
        valueCount: number
        values: {
          value: string
          resources: number
          costUSD: number
        }[]
      }
      after: {
        taggedResources: number
        taggedUSD: number
        untaggedUSD: number
        valueCount: number
        values: {
          value: string
          resources: number
          costUSD: number
        }[]
      }
      goneUSD: number
      addedCount: number
      removedCount: number
      changedCount: number
      added: ({
        cloudAccountID: string
        resourceUid: string
        resourceName: string
        costUSD: number
        before: {
          value: string
          tagSource: 'cloud' | 'smart' | 'auto'
        } | null
        after: {
          value: string
          tagSource: 'cloud' | 'smart' | 'auto'
        } | null
      })[]
      removed: ({
        cloudAccountID: string
        resourceUid: string
        resourceName: string
        costUSD: number
        before: {
          value: string
          tagSource: 'cloud' | 'smart' | 'auto'
        } | null
        after: {
          value: string
          tagSource: 'cloud' | 'smart' | 'auto'
        } | null
      })[]
      changed: ({
        cloudAccountID: string
        resourceUid: string
        resourceName: string
        costUSD: number
        before: {
          value: string
          tagSource: 'cloud' | 'smart' | 'auto'
        } | null
        after: {
          value: string
          tagSource: 'cloud' | 'smart' | 'auto'
        } | null
      })[]
      byDay: {
        date: string
        before: number
        after: number
      }[]
      approximate: boolean
      reasons: string[]
      tookMs: number
    } | {
      kind: 'allocation'
      from: string
      to: string
      totalUSD: number
      movedUSD: number
      teams: ({
        teamID: string | null
        teamName: string
        beforeUSD: number
        afterUSD: number
        deltaUSD: number
      })[]
      movedResources: number
      moves: ({
        fromTeamID: string | null
        fromTeamName: string
        toTeamID: string | null
        toTeamName: string
        resources: number
        costUSD: number
      })[]
      teamsToMake: string[]
      byDay: ({
        date: string
        totalUSD: number
        movedUSD: number
        teams: ({
          teamID: string | null
          teamName: string
          beforeUSD: number
          afterUSD: number
          deltaUSD: number
        })[]
      })[]
      approximate: boolean
      reasons: string[]
      tookMs: number
    } | {
      kind: 'guardrail'
      from: string
      to: string
      asks: number
      before: {
        yes: number
        later: number
        no: number
        byCode: {
          code: string
          asks: number
        }[]
      }
      after: {
        yes: number
        later: number
        no: number
        byCode: {
          code: string
          asks: number
        }[]
      }
      changedCount: number
      changed: ({
        at: string
        jobID: string
        template: 'start' | 'stop' | 'resize' | 'set' | 'delete' | 'pause' | 'schedule' | 'manual'
        cloudAccountID: string
        resourceUid: string
        resourceType: string
        before: {
          answer: 'yes' | 'later' | 'no'
          code?: string
          message?: string
        }
        after: {
          answer: 'yes' | 'later' | 'no'
          code?: string
          message?: string
        }
      })[]
      byDay: {
        date: string
        before: {
          yes: number
          later: number
          no: number
        }
        after: {
          yes: number
          later: number
          no: number
        }
      }[]
      approximate: boolean
      reasons: string[]
      tookMs: number
    }
  }
}
