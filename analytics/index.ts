import type { Table } from '#engine/table.ts'
import { resourceActivity, resourceChange } from '#analytics/activity.ts'
import {
  anomalyBreakdown,
  anomalyCandidates,
  anomalyPage,
  anomalyState,
  anomalyUsage,
  billedDays,
  failedStops,
  runningAnomalies,
} from '#analytics/anomaly.ts'
import {
  costByTeam,
  costByTeamPeriod,
  resourceGroupMember,
  resourceGroupState,
  teamAssignment,
  teamNames,
  teamState,
} from '#analytics/attribution.ts'
import { billLine } from '#analytics/bill.ts'
import { budgetSpend } from '#analytics/budget.ts'
import {
  costByColumn,
  costByPeriod,
  costByProvider,
  costByResource,
  costEditions,
  costFreshness,
  costFact,
  costFlow,
  costFlowResources,
  costLineDay,
  costResourceDayDetails,
  costResourceDays,
  costResources,
  costTotal,
} from '#analytics/cost.ts'
import { exportCosts, focusLines } from '#analytics/export.ts'
import { metricByResource, metricSampleTable, metricSummary } from '#analytics/metric.ts'
import type { Query } from '#analytics/query.ts'
import { receiptFigure, receiptLines, receiptTotal } from '#analytics/receipt.ts'
import { periodResources, resourceNames, resourceState } from '#analytics/resource.ts'
import { schedulerEventTable } from '#analytics/scheduler-event.ts'
import { securityEventTable } from '#analytics/security.ts'
import { snapshotState } from '#analytics/snapshot.ts'
import { tagKeys, tagPairs, tagTotals, tagValues } from '#analytics/tag.ts'
import { unitMetricByPeriod, unitMetricValueTable } from '#analytics/unit-metric.ts'

/** Every table that actors append to. */
export const tables: readonly Table[] = [
  costFact,
  billLine,
  costLineDay,
  metricSampleTable,
  resourceState,
  resourceChange,
  securityEventTable,
  schedulerEventTable,
  snapshotState,
  teamState,
  teamAssignment,
  resourceGroupState,
  resourceGroupMember,
  anomalyState,
  unitMetricValueTable,
]

/** Every question that is asked of ClickHouse for a person. */
export const queries = [
  costTotal,
  costEditions,
  costFreshness,
  costByPeriod,
  costByProvider,
  costFlow,
  costFlowResources,
  costResourceDays,
  costResourceDayDetails,
  costByResource,
  costByColumn,
  costResources,
  costByTeam,
  costByTeamPeriod,
  teamNames,
  budgetSpend,
  tagKeys,
  tagTotals,
  tagPairs,
  tagValues,
  anomalyCandidates,
  anomalyBreakdown,
  anomalyUsage,
  failedStops,
  billedDays,
  runningAnomalies,
  anomalyPage,
  receiptTotal,
  receiptFigure,
  receiptLines,
  exportCosts,
  focusLines,
  metricSummary,
  metricByResource,
  resourceNames,
  resourceActivity,
  periodResources,
  unitMetricByPeriod,
] as unknown as readonly Query[]
