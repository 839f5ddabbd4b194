import type { Table } from '#engine/table.ts'
import { resourceGroupMember, resourceGroupState, teamAssignment, teamState } from '#analytics/attribution.ts'
import {
  costByColumn,
  costByPeriod,
  costByProvider,
  costByResource,
  costFact,
  costFlow,
  costFlowResources,
  costLineDay,
  costResourceDayDetails,
  costResourceDays,
  costTotal,
} from '#analytics/cost.ts'
import { metricByResource, metricSampleTable, metricSummary } from '#analytics/metric.ts'
import type { Query } from '#analytics/query.ts'
import { resourceNames, resourceState } from '#analytics/resource.ts'
import { securityEventTable } from '#analytics/security.ts'

/** Every table that actors append to. */
export const tables: readonly Table[] = [
  costFact,
  costLineDay,
  metricSampleTable,
  resourceState,
  securityEventTable,
  teamState,
  teamAssignment,
  resourceGroupState,
  resourceGroupMember,
]

/** Every question that is asked of ClickHouse for a person. */
export const queries = [
  costTotal,
  costByPeriod,
  costByProvider,
  costFlow,
  costFlowResources,
  costResourceDays,
  costResourceDayDetails,
  costByResource,
  costByColumn,
  metricSummary,
  metricByResource,
  resourceNames,
] as unknown as readonly Query[]
