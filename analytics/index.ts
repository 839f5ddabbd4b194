import { actionQuestions } from '#analytics/action/questions.ts'
import { actionTables } from '#analytics/action/tables.ts'
import { anomalyQuestions } from '#analytics/anomaly/questions.ts'
import { anomalyTables } from '#analytics/anomaly/tables.ts'
import { attributionQuestions } from '#analytics/attribution/questions.ts'
import { attributionTables } from '#analytics/attribution/tables.ts'
import { autoscalingQuestions } from '#analytics/autoscaling/questions.ts'
import { autoscalingTables } from '#analytics/autoscaling/tables.ts'
import { billingTables } from '#analytics/billing/tables.ts'
import { budgetQuestions } from '#analytics/budget/questions.ts'
import { commitmentQuestions } from '#analytics/commitment/questions.ts'
import { costQuestions } from '#analytics/cost/questions.ts'
import { costTables } from '#analytics/cost/tables.ts'
import { driverQuestions } from '#analytics/driver/questions.ts'
import { exportQuestions } from '#analytics/export/questions.ts'
import { forecastQuestions } from '#analytics/forecast/questions.ts'
import { kubernetesQuestions } from '#analytics/kubernetes/questions.ts'
import { kubernetesTables } from '#analytics/kubernetes/tables.ts'
import { metricQuestions } from '#analytics/metric/questions.ts'
import { metricTables } from '#analytics/metric/tables.ts'
import { notificationQuestions } from '#analytics/notification/questions.ts'
import { notificationTables } from '#analytics/notification/tables.ts'
import { readinessQuestions } from '#analytics/readiness/questions.ts'
import { readinessTables } from '#analytics/readiness/tables.ts'
import { recommendationQuestions } from '#analytics/recommendation/questions.ts'
import { recommendationTables } from '#analytics/recommendation/tables.ts'
import { reportQuestions } from '#analytics/report/questions.ts'
import { resourceQuestions } from '#analytics/resource/questions.ts'
import { resourceTables } from '#analytics/resource/tables.ts'
import { savingQuestions } from '#analytics/saving/questions.ts'
import { savingTables } from '#analytics/saving/tables.ts'
import { scheduleTables } from '#analytics/schedule/tables.ts'
import { securityTables } from '#analytics/security/tables.ts'
import { snapshotState, snapshotTables } from '#analytics/snapshot/tables.ts'
import { sourceQuestions } from '#analytics/source/questions.ts'
import { taggingQuestions } from '#analytics/tagging/questions.ts'
import { taggingTables } from '#analytics/tagging/tables.ts'
import { unitMetricQuestions } from '#analytics/unit-metric/questions.ts'
import { unitMetricTables } from '#analytics/unit-metric/tables.ts'
import { workflowQuestions } from '#analytics/workflow/questions.ts'
import { workflowTables } from '#analytics/workflow/tables.ts'
import { costDays, workedOutTables } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { costLinks, costOverlaps } from '#analytics/rollup/stale-day/cost-link.ts'
import { costTypes } from '#analytics/rollup/stale-day/cost-type.ts'
import { closedTables } from '#analytics/snapshot/assignments.ts'
import type { Query } from '#analytics/store/query.ts'
import type { Table } from '#engine/actor/table.ts'

/** Every table that actors append to. */
export const tables: readonly Table[] = [
  costTables,
  billingTables,
  metricTables,
  kubernetesTables,
  resourceTables,
  securityTables,
  scheduleTables,
  actionTables,
  savingTables,
  snapshotTables,
  attributionTables,
  taggingTables,
  anomalyTables,
  unitMetricTables,
  notificationTables,
  recommendationTables,
  workflowTables,
  autoscalingTables,
  readinessTables,
].flat()

const capabilities: readonly (readonly Query[])[] = [
  costQuestions,
  commitmentQuestions,
  attributionQuestions,
  budgetQuestions,
  taggingQuestions,
  anomalyQuestions,
  reportQuestions,
  driverQuestions,
  exportQuestions,
  forecastQuestions,
  metricQuestions,
  kubernetesQuestions,
  resourceQuestions,
  unitMetricQuestions,
  actionQuestions,
  notificationQuestions,
  recommendationQuestions,
  workflowQuestions,
  autoscalingQuestions,
  readinessQuestions,
  sourceQuestions,
  savingQuestions,
]

/** Every query that answers people. */
export const queries = capabilities.flat()

/** Rows of people are forgotten here behind the back of those who count. */
const uncountedTables: ReadonlySet<string> = new Set(securityTables.map(({ name }) => name))

/** What counts that a table was written, by its name: see `Editions`. Answers are kept of these tables alone. */
export const writers: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...tables.filter(({ name }) => !uncountedTables.has(name)).map(({ name }) => [name, [name]] as const),
  ...workedOutTables.map((name) => [name, [costDays.name, costTypes.name, costLinks.name, costOverlaps.name]] as const),
  // Written before the month counts as closed, and never again.
  ...closedTables.map((name) => [name, [snapshotState.name]] as const),
  // Folds of these tables: what they hold changes no answer.
  ...['kubernetes_node', 'kubernetes_pod'].map((name) => [`${name}_day`, [name]] as const),
])

/** The projections among them. */
export const countedProjections: readonly string[] = [costDays.name, costTypes.name, costLinks.name, costOverlaps.name]
