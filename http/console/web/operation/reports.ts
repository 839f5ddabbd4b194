/** Made from the routes by test/console/operations.ts; never by hand. */
export interface ReportsOperations {
  'DELETE /reports/anomalies/:anomalyID/review': {
    reply: undefined
  }
  'GET /reports/anomalies': {
    reply: {
      items: ({
        id: string
        orgId: string
        date: string
        anomalyType: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
        anomalyKey: string
        label: string
        cloudAccountID?: string
        teamID?: string
        severity: 'info' | 'warning' | 'critical' | 'emergency'
        method: string
        actualCostUsd: number
        expectedCostUsd: number
        excessUsd: number
        deviationPercent: number
        rootCause: string
        suppressed: boolean
        recurring: boolean
        recurrence?: string
        notified: boolean
        notifiedAt: string | null
        createdAt: string
        review?: {
          state: 'acknowledged' | 'expected'
          by: string
          at: string
          until?: string
          note?: string
        }
        storyKey?: string
        folded?: string[]
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /reports/anomalies/:anomalyID': {
    reply: {
      id: string
      orgId: string
      date: string
      anomalyType: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
      anomalyKey: string
      label: string
      cloudAccountID?: string
      teamID?: string
      severity: 'info' | 'warning' | 'critical' | 'emergency'
      method: string
      actualCostUsd: number
      expectedCostUsd: number
      excessUsd: number
      deviationPercent: number
      rootCause: string
      suppressed: boolean
      recurring: boolean
      recurrence?: string
      notified: boolean
      notifiedAt: string | null
      createdAt: string
      review?: {
        state: 'acknowledged' | 'expected'
        by: string
        at: string
        until?: string
        note?: string
      }
      cost: 'billed' | 'effective' | 'contracted' | 'list'
      explained: {
        cause: string
        usd: number
      }[]
      topResources: {
        resourceUid: string
        resourceName: string
        costUSD: number
        deltaUSD: number
      }[]
      restUsd: number
      story: ({
        id: string
        anomalyType: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
        anomalyKey: string
        label: string
        severity: 'info' | 'warning' | 'critical' | 'emergency'
        excessUsd: number
        deviationPercent: number
      })[]
      series: ({
        date: string
        actualUsd: number | null
        expectedUsd: number | null
        warningUsd: number | null
        criticalUsd: number | null
        emergencyUsd: number | null
      })[]
      schedules: {
        resourceUid: string
        scheduleID: string
      }[]
      activity: ({
        id: string
        at: string
        kind: 'state_transition' | 'scheduler_event' | 'action_submission' | 'configuration_change'
        resourceUid: string
        summary: string
        actor: string
        actorName?: string | null
        details: Record<string, unknown>
      })[]
      told: ({
        id: string
        channelID: string
        kind: 'event' | 'digest' | 'test' | 'share'
        eventID: string
        eventType: string
        category: 'resource' | 'budget' | 'cost_anomaly'
        severity?: string
        title: string
        scope: {
          type: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
          id: string
        }
        status: 'pending' | 'held' | 'delivered' | 'failed' | 'folded'
        hold?: 'quiet' | 'digest' | 'circuit'
        tries: number
        responseStatus?: number
        message?: string
        createdAt: string
        nextTryAt?: string
        endedAt?: string
        foldedInto?: string
      })[]
    }
  }
  'GET /reports/bill-overlaps': {
    reply: {
      items: {
        month: string
        subAccountID: string
        subAccountName: string
        usageAccountID: string
        bills: {
          cloudAccountID: string
          cloudAccountName: string
          days: number
          countedUSD: number
          leftOutUSD: number
          leftOutLines: number
        }[]
        isDouble: boolean
      }[]
    }
  }
  'GET /reports/commitments': {
    reply: {
      groupBy: 'commitment' | 'account' | 'type'
      items: ({
        commitmentId: string
        name: string
        type: string
        category: string
        provider: string
        cloudAccountId: string | null
        usedByAccounts: number
        region: string | null
        serviceName: string | null
        committedUSD: string
        usedUSD: string
        unusedUSD: string
        utilization: number | null
        onDemandEquivalentUSD: string
        netSavingsUSD: string
        firstDay: string
        lastDay: string
        expiresOn: string | null
        daysLeft: number | null
        expiryFrom: 'inventory' | 'bill' | 'observed' | null
        status: 'active' | 'expired' | 'unknown'
      } | {
        key: string
        committedUSD: string
        usedUSD: string
        unusedUSD: string
        utilization: number | null
        onDemandEquivalentUSD: string
        netSavingsUSD: string
        eligibleUSD: string
        coverage: number | null
        coveredHours: string
        eligibleHours: string
        coverageOfHours: number | null
        commitments: number
        expired: number
        expiringWithin90Days: number
        withoutKnownEnd: number
      })[]
      totals: {
        committedUSD: string
        usedUSD: string
        unusedUSD: string
        utilization: number | null
        onDemandEquivalentUSD: string
        netSavingsUSD: string
        eligibleUSD: string
        coverage: number | null
        coveredHours: string
        eligibleHours: string
        coverageOfHours: number | null
        commitments: number
        expired: number
        expiringWithin90Days: number
        withoutKnownEnd: number
      }
    }
  }
  'GET /reports/cost-history': {
    reply: {
      granularity: 'daily' | 'weekly' | 'monthly'
      items: ({
        period: string
        costUSD: number
        previousUSD?: number | null
        deltaUSD?: number | null
        deltaPercent?: number | null
        savingsUSD: number
      })[]
    }
  }
  'GET /reports/costs/breakdown': {
    reply: {
      nodes: ({
        id: string
        dim: string
        label?: string
        valueUSD: number
        previousUSD?: number | null
        deltaUSD?: number | null
        deltaPercent?: number | null
      })[]
      links: ({
        source: string
        target: string
        valueUSD: number
        previousUSD?: number | null
        deltaUSD?: number | null
        deltaPercent?: number | null
      })[]
      totalUSD: number
      previousUSD?: number | null
      deltaUSD?: number | null
      deltaPercent?: number | null
    }
  }
  'GET /reports/costs/resources': {
    reply: {
      items: {
        date: string
        resourceUid: string
        resourceName: string
        resourceType: string
        provider: string
        cloudAccountId: string
        region: string
        purchaseType: string
        costUSD: number
        savingsUSD: number
      }[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    } | {
      items: ({
        key: string
        label: string
        costUSD: number
        previousUSD?: number | null
        deltaUSD?: number | null
        deltaPercent?: number | null
        savingsUSD: number
        resourceCount: number
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /reports/costs/series': {
    reply: {
      granularity: 'daily' | 'weekly' | 'monthly'
      periods: string[]
      series: ({
        key: Record<string, string>
        label: string
        costUSD: number
        previousUSD?: number | null
        deltaUSD?: number | null
        deltaPercent?: number | null
        values: number[]
      })[]
      other: {
        count: number
        costUSD: number
        previousUSD?: number | null
        deltaUSD?: number | null
        deltaPercent?: number | null
        values: number[]
      } | null
      total: {
        costUSD: number
        previousUSD?: number | null
        deltaUSD?: number | null
        deltaPercent?: number | null
        values: number[]
        previousValues?: (number | null)[]
        estimatedUSD?: number[]
      }
    }
  }
  'GET /reports/drivers': {
    reply: {
      total: {
        costUSD: number
        previousUSD: number
        deltaUSD: number
        deltaPercent: number | null
        usageUSD: number | null
        priceUSD: number | null
        otherUSD: number
        anomaly: {
          id: string
          orgId: string
          date: string
          anomalyType: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
          anomalyKey: string
          label: string
          cloudAccountID?: string
          teamID?: string
          severity: 'info' | 'warning' | 'critical' | 'emergency'
          method: string
          actualCostUsd: number
          expectedCostUsd: number
          excessUsd: number
          deviationPercent: number
          rootCause: string
          suppressed: boolean
          recurring: boolean
          recurrence?: string
          notified: boolean
          notifiedAt: string | null
          createdAt: string
          review?: {
            state: 'acknowledged' | 'expected'
            by: string
            at: string
            until?: string
            note?: string
          }
          storyKey?: string
          folded?: string[]
        } | null
      }
      dimensions: ({
        dimension: 'service_name' | 'cloud_account_id' | 'sub_account' | 'region' | 'resource_type' | 'resource_uid'
        rises: ({
          key: string
          label: string
          costUSD: number
          previousUSD: number
          deltaUSD: number
          deltaPercent: number | null
          usageUSD: number | null
          priceUSD: number | null
          otherUSD: number
          state: 'new' | 'gone' | 'changed'
          anomaly: {
            id: string
            orgId: string
            date: string
            anomalyType: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
            anomalyKey: string
            label: string
            cloudAccountID?: string
            teamID?: string
            severity: 'info' | 'warning' | 'critical' | 'emergency'
            method: string
            actualCostUsd: number
            expectedCostUsd: number
            excessUsd: number
            deviationPercent: number
            rootCause: string
            suppressed: boolean
            recurring: boolean
            recurrence?: string
            notified: boolean
            notifiedAt: string | null
            createdAt: string
            review?: {
              state: 'acknowledged' | 'expected'
              by: string
              at: string
              until?: string
              note?: string
            }
            storyKey?: string
            folded?: string[]
          } | null
        })[]
        falls: ({
          key: string
          label: string
          costUSD: number
          previousUSD: number
          deltaUSD: number
          deltaPercent: number | null
          usageUSD: number | null
          priceUSD: number | null
          otherUSD: number
          state: 'new' | 'gone' | 'changed'
          anomaly: {
            id: string
            orgId: string
            date: string
            anomalyType: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
            anomalyKey: string
            label: string
            cloudAccountID?: string
            teamID?: string
            severity: 'info' | 'warning' | 'critical' | 'emergency'
            method: string
            actualCostUsd: number
            expectedCostUsd: number
            excessUsd: number
            deviationPercent: number
            rootCause: string
            suppressed: boolean
            recurring: boolean
            recurrence?: string
            notified: boolean
            notifiedAt: string | null
            createdAt: string
            review?: {
              state: 'acknowledged' | 'expected'
              by: string
              at: string
              until?: string
              note?: string
            }
            storyKey?: string
            folded?: string[]
          } | null
        })[]
        rest: {
          rises: number
          falls: number
          deltaUSD: number
        }
      })[]
    }
  }
  'GET /reports/forecast': {
    reply: {
      settledThrough: string
      historyFrom: string
      completeDays: number
      month: {
        period: string
        settledUSD: number
        restUSD: number
        expectedUSD: number
        lowUSD: number | null
        highUSD: number | null
        basis: 'tested' | 'widened' | 'untested'
        settled: {
          usageUSD: number
          commitmentsUSD: number
          monthlyChargesUSD: number
          creditsUSD: number
        }
        rest: {
          usageUSD: number
          commitmentsUSD: number
          monthlyChargesUSD: number
          creditsUSD: number
        }
      }
      days: ({
        date: string
        expectedUSD: number
        lowUSD: number | null
        highUSD: number | null
        basis: 'tested' | 'widened' | 'untested'
        components: {
          usageUSD: number
          commitmentsUSD: number
          monthlyChargesUSD: number
          creditsUSD: number
        }
      })[]
      months: ({
        period: string
        expectedUSD: number
        lowUSD: number | null
        highUSD: number | null
        basis: 'tested' | 'widened' | 'untested'
        components: {
          usageUSD: number
          commitmentsUSD: number
          monthlyChargesUSD: number
          creditsUSD: number
        }
      })[]
      method: 'level' | 'level_and_trend'
      trendUSDPerDay: number
      test: {
        origins: number
        meanAbsoluteErrorUSD: {
          level: number | null
          levelAndTrend: number | null
          lastMonth: number | null
          straightLine: number | null
          meanOf28Days: number | null
        }
        days: {
          bands: number
          heldPercent: number | null
        }
        rest: {
          bands: number
          heldPercent: number | null
        }
      }
      monthlyCharges: ({
        serviceName: string
        component: 'usage' | 'commitments' | 'monthlyCharges' | 'credits'
        lastOn: string
        nextOn: string
        amountUSD: number
      })[]
      once: {
        date: string
        serviceName: string
        chargeCategory: string
        amountUSD: number
      }[]
    }
  }
  'GET /reports/kubernetes': {
    reply: {
      items: ({
        kind: 'workload' | 'idle' | 'overhead' | 'unmeasured'
        label: string
        clusterUID?: string
        clusterName?: string
        namespace?: string
        controllerKind?: string
        controllerName?: string
        pod?: string
        node?: string
        labelValue?: string
        costUSD: string
        cpuUSD: string
        memoryUSD: string
        gpuUSD: string
        storageUSD: string
        loadBalancerUSD: string
        networkUSD: string
        idleUSD: string
        estimatedUSD: string
        cpuCoreHours: {
          requested: number
          used: number
          allocated: number
          measured: number
        }
        memoryGibHours: {
          requested: number
          used: number
          allocated: number
          measured: number
        }
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
      totals: {
        costUSD: string
        workloadUSD: string
        idleUSD: string
        overheadUSD: string
        unmeasuredUSD: string
        estimatedUSD: string
        itemsUSD: string
      }
      gaps: {
        clusterUID: string
        clusterName: string
        cloudAccountID: string
        hoursMissing: number
        lastToldAt: string
      }[]
    }
  }
  'GET /reports/kubernetes/labels': {
    reply: {
      items: {
        key: string
        values: number
        costUSD: string
      }[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /reports/kubernetes/receipt': {
    reply: {
      items: ({
        date: string
        cloudAccountId: string
        resourceUid: string
        provider: string
        serviceName: string
        region: string
        purchaseType: string
        chargeCategory: string
        kind: 'workload' | 'idle' | 'overhead' | 'unmeasured'
        component: string
        node: string
        namespace: string
        controllerKind: string
        controllerName: string
        pod: string
        isEstimated: boolean
        costUSD: string
        lineCostUSD: string
        share: number
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
      totalUSD: string
    }
  }
  'GET /reports/providers/summary': {
    reply: Record<string, {
        count: number
        costUSD: number
        previousUSD?: number | null
        deltaUSD?: number | null
        deltaPercent?: number | null
      }>
  }
  'GET /reports/receipt': {
    reply: {
      items: ({
        lineId: string
        date: string
        cloudAccountId: string
        billingAccountId: string
        subAccountId: string
        subAccountName: string
        provider: string
        serviceProvider: string
        serviceName: string
        region: string
        resourceUid: string
        resourceType: string
        purchaseType: string
        chargeCategory: string
        description: string
        quantity: string | null
        unit: string
        invoiceId: string
        source: 'estimate' | 'actual'
        exportedAt: string
        exportId: string
        costUSD: string
        share?: string
        lineCostUSD?: string
        billingCurrency?: string
        usdRate?: string
        usdRateFrom?: 'bill' | 'given'
        otherColumns?: Record<string, string>
        tags: ({
          key: string
          value: string
          origin: 'cloud' | 'smart' | 'auto' | 'bill'
        })[]
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
      totalUSD: string
      linesDropped?: true
    }
  }
  'GET /reports/resources/activity': {
    reply: {
      items: ({
        id: string
        at: string
        kind: 'state_transition' | 'scheduler_event' | 'action_submission' | 'configuration_change'
        resourceUid: string
        summary: string
        actor: string
        actorName?: string | null
        details: Record<string, unknown>
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /reports/resources/metrics': {
    reply: ({
      resourceUid: string
      cpu: {
        avgPercent: number | null
        p95Percent: number | null
        maxPercent: number | null
        samples: number
      }
      memory: {
        avgPercent: number | null
        p95Percent: number | null
        maxPercent: number | null
        samples: number
      }
      network: {
        inBytes: number | null
        outBytes: number | null
      }
    })[]
  }
  'GET /reports/resources/metrics/daily': {
    reply: {
      resourceUid: string
      days: string[]
      cpu: {
        avgPercent: (number | null)[]
        p95Percent: (number | null)[]
        maxPercent: (number | null)[]
      }
      memory: {
        avgPercent: (number | null)[]
        p95Percent: (number | null)[]
        maxPercent: (number | null)[]
      }
      disk: {
        avgPercent: (number | null)[]
        p95Percent: (number | null)[]
        maxPercent: (number | null)[]
      }
      network: {
        inBytes: (number | null)[]
        outBytes: (number | null)[]
      }
    }
  }
  'GET /reports/savings': {
    reply: {
      groupBy: 'source' | 'rule' | 'category' | 'team' | 'resource_group' | 'account' | 'resource'
      items: ({
        key: string
        label: string
        verifiedUSD: number
        observedUSD: number
        estimatedUSD: number
        realisation: number | null
        provedDays: number
        unprovedDays: number
        savedUSD: number
        openEstimatedUSD: number
      })[]
      totals: {
        verifiedUSD: number
        observedUSD: number
        estimatedUSD: number
        realisation: number | null
        provedDays: number
        unprovedDays: number
        savedUSD: number
        openEstimatedUSD: number
      }
    }
  }
  'GET /reports/savings/claims': {
    reply: {
      items: ({
        id: string
        source: 'recommendation' | 'schedule' | 'manual' | 'bulk' | 'override'
        sourceID: string
        ruleID: string | null
        category: string | null
        kind: 'usage' | 'rate' | 'gone' | 'storage' | 'commitment'
        cloudAccountID: string
        resourceUid: string
        resourceType: string
        provider: 'aws' | 'gcp' | 'azure' | ''
        region: string
        status: 'running' | 'ended'
        from: string
        until: string | null
        endedBy: 'left' | 'reopened' | 'age' | null
        estimatedPerDayUSD: string | null
        estimatedUSD: number
        observedUSD: number
        verifiedUSD: number
        savedUSD: number
        provedDays: number
        unprovedDays: number
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /reports/savings/claims/:claimID': {
    reply: {
      id: string
      source: 'recommendation' | 'schedule' | 'manual' | 'bulk' | 'override'
      sourceID: string
      ruleID: string | null
      category: string | null
      kind: 'usage' | 'rate' | 'gone' | 'storage' | 'commitment'
      cloudAccountID: string
      resourceUid: string
      resourceType: string
      provider: 'aws' | 'gcp' | 'azure' | ''
      region: string
      status: 'running' | 'ended'
      from: string
      until: string | null
      endedBy: 'left' | 'reopened' | 'age' | null
      estimatedPerDayUSD: string | null
      estimatedUSD: number
      observedUSD: number
      verifiedUSD: number
      savedUSD: number
      provedDays: number
      unprovedDays: number
      baseline: {
        from: string
        to: string
        days: number
        hoursByWeekday: string[]
        unitPriceUSD: string | null
        otherUSDPerDay: string
        lines: string
      } | null
      baselineReason: 'first_day' | 'not_closed' | 'no_bill' | 'baseline_short' | 'no_price' | 'moved' | 'commitment' | 'units' | null
      days: ({
        date: string
        estimatedUSD: string | null
        observedUSD: string | null
        verifiedUSD: string | null
        reason: 'first_day' | 'not_closed' | 'no_bill' | 'baseline_short' | 'no_price' | 'moved' | 'commitment' | 'units' | null
        levels: ({
          claimID: string | null
          hours: string
          unitPriceUSD: string
          listFactor: number
          otherUSD: string
          totalUSD: string
        } | null)[]
        lines: string
      })[]
    }
  }
  'GET /reports/savings/projection': {
    reply: {
      provedThrough: string | null
      runningClaims: number
      provedClaims: number
      runRate: {
        weekday: number
        verifiedUSD: number
      }[]
      months: {
        period: string
        from: string
        to: string
        verifiedUSD: number
        unprovedUSD: number
      }[]
      open: {
        items: ({
          ruleID: string
          category: string
          openEstimatedUSD: number
          realisation: number | null
          basis: 'rule' | 'category' | 'unproved'
          expectedUSD: number
        })[]
        openEstimatedUSD: number
        expectedUSD: number
        unprovedUSD: number
      }
    }
  }
  'GET /reports/tags': {
    reply: {
      items: ({
        tagKey: string
        tagValue: string
        tagSource: 'cloud' | 'smart' | 'auto'
        costUsd: number
        savingsUsd: number
        resourceCount: number
        prevCostUsd: number
      })[]
      total: number
      page: number
      limit: number
      totalCostUsd: number
      totalSavingsUsd: number
      untaggedCostUsd: number
      untaggedCount: number
      period: string
      hasBilling: boolean
      costSourceLabel: 'billing' | 'estimated' | 'mixed'
    } | {
      items: ({
        tagKey: string
        coverage: {
          tagged: number
          untagged: number
        }
        costUSD: number
        percentOfTotal?: number
        previousUSD?: number | null
        deltaUSD?: number | null
        deltaPercent?: number | null
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
      taggedCostUsd?: number
    }
  }
  'GET /reports/tags/:tagKey': {
    reply: ({
      tagValue: string
      costUSD: number
      previousUSD?: number | null
      deltaUSD?: number | null
      deltaPercent?: number | null
      resourceCount: number
    })[]
  }
  'GET /reports/teams': {
    reply: ({
      teamID: string | null
      teamName: string
      costUSD: number
      previousUSD?: number | null
      deltaUSD?: number | null
      deltaPercent?: number | null
      directUSD?: number
      sharedUSD?: number
      resourceCount: number
      percentOfTotal: number
    })[]
  }
  'GET /reports/teams/:teamID': {
    reply: {
      teamID: string | null
      teamName: string
      costUSD: number
      previousUSD?: number | null
      deltaUSD?: number | null
      deltaPercent?: number | null
      directUSD?: number
      sharedUSD?: number
      byProvider: ({
        provider: string
        costUSD: number
        previousUSD?: number | null
        deltaUSD?: number | null
        deltaPercent?: number | null
      })[]
      byResourceType: ({
        resourceType: string
        costUSD: number
        previousUSD?: number | null
        deltaUSD?: number | null
        deltaPercent?: number | null
      })[]
    }
  }
  'GET /reports/teams/:teamID/resources': {
    reply: {
      items: ({
        resourceUid: string
        resourceName: string
        resourceType: string
        provider: string
        costUSD: number
        previousUSD?: number | null
        deltaUSD?: number | null
        deltaPercent?: number | null
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /reports/teams/trends': {
    reply: {
      granularity: 'daily' | 'weekly' | 'monthly'
      items: ({
        teamID: string | null
        teamName: string
        points: {
          date: string
          costUSD: number
          directUSD?: number
          sharedUSD?: number
        }[]
      })[]
    }
  }
  'GET /reports/trends': {
    reply: {
      items: ({
        date: string
        costUSD: number
        previousUSD?: number | null
        deltaUSD?: number | null
        deltaPercent?: number | null
        savingsUSD: number
        anomaly?: {
          id: string
          severity: 'info' | 'warning' | 'critical' | 'emergency'
          actualCostUsd: number
          expectedCostUsd: number
          excessUsd: number
          deviationPercent: number
          topResources: {
            resourceUid: string
            resourceName: string
            costUSD: number
            deltaUSD: number
          }[]
          rootCause: string
        }
      })[]
    }
  }
  'POST /reports/export': {
    reply: {
      downloadURL: string
      expiresAt: string
    }
  }
  'PUT /reports/anomalies/:anomalyID/review': {
    reply: {
      id: string
      orgId: string
      date: string
      anomalyType: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
      anomalyKey: string
      label: string
      cloudAccountID?: string
      teamID?: string
      severity: 'info' | 'warning' | 'critical' | 'emergency'
      method: string
      actualCostUsd: number
      expectedCostUsd: number
      excessUsd: number
      deviationPercent: number
      rootCause: string
      suppressed: boolean
      recurring: boolean
      recurrence?: string
      notified: boolean
      notifiedAt: string | null
      createdAt: string
      review?: {
        state: 'acknowledged' | 'expected'
        by: string
        at: string
        until?: string
        note?: string
      }
      storyKey?: string
      folded?: string[]
    }
  }
}
