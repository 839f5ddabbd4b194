import type { Table } from '#engine/table.ts'
import { resourceActivity, periodResources, resourceNames } from '#analytics/resource/questions.ts'
import { resourceChange, resourceState } from '#analytics/resource/tables.ts'
import {
  anomalyBreakdown,
  anomalyCandidates,
  anomalyPage,
  anomalyUsage,
  billedDays,
  failedStops,
  runningAnomalies,
} from '#analytics/anomaly/questions.ts'
import { anomalyState } from '#analytics/anomaly/tables.ts'
import { costByTeam, costByTeamPeriod, teamNames } from '#analytics/attribution/questions.ts'
import { resourceGroupMember, resourceGroupState, teamAssignment, teamState } from '#analytics/attribution/tables.ts'
import { billLine } from '#analytics/billing/tables.ts'
import { budgetSpend } from '#analytics/budget/questions.ts'
import {
  costByColumn,
  costByPeriod,
  costByProvider,
  costByResource,
  costEditions,
  costFreshness,
  costFlow,
  costFlowResources,
  costResourceDayDetails,
  costResourceDays,
  costResources,
  costTotal,
} from '#analytics/cost/questions.ts'
import { costFact, costLineDay } from '#analytics/cost/tables.ts'
import { exportCosts, focusLines } from '#analytics/export/questions.ts'
import { metricByResource, metricSummary } from '#analytics/metric/questions.ts'
import { metricSampleTable } from '#analytics/metric/tables.ts'
import type { Query } from '#analytics/store/query.ts'
import { receiptFigure, receiptLines, receiptTotal } from '#analytics/receipt/questions.ts'
import { schedulerEventTable } from '#analytics/schedule/tables.ts'
import { securityEventTable } from '#analytics/security/tables.ts'
import { snapshotState } from '#analytics/snapshot/tables.ts'
import { tagKeys, tagPairs, tagTotals, tagValues } from '#analytics/tagging/questions.ts'
import { unitMetricByPeriod } from '#analytics/unit-metric/questions.ts'
import { unitMetricValueTable } from '#analytics/unit-metric/tables.ts'

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
