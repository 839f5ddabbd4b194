import { activity } from '#http/report/activity.ts'
import { anomalyReports } from '#http/report/trend/anomaly.ts'
import { commitments } from '#http/report/commitment/commitment.ts'
import { costReports } from '#http/report/cost/cost.ts'
import { drivers } from '#http/report/cost/driver.ts'
import { flows } from '#http/report/cost/flow.ts'
import { forecasts } from '#http/report/trend/forecast.ts'
import { kubernetesReports } from '#http/report/kubernetes/kubernetes.ts'
import { kubernetesLabelReports } from '#http/report/kubernetes/label.ts'
import { kubernetesReceipts } from '#http/report/kubernetes/receipt.ts'
import { withFormats } from '#http/file/format.ts'
import { withCurrency } from '#http/report/cost/currency.ts'
import { withMeta } from '#http/report/meta.ts'
import { metricDailyReports, metricReports } from '#http/report/metric.ts'
import { overlapReports } from '#http/report/overlap.ts'
import { receipts } from '#http/report/cost/receipt.ts'
import { savings } from '#http/report/saving/saving.ts'
import { savingClaims } from '#http/report/saving/claim.ts'
import { costSeriesReports } from '#http/report/cost/series.ts'
import { snapshots } from '#http/report/team/snapshot.ts'
import { summaries } from '#http/report/cost/summary.ts'
import { tagReports } from '#http/report/team/tag.ts'
import { teamReports } from '#http/report/team/team.ts'
import { unitEconomics } from '#http/report/unit-economics.ts'
import type { Route } from '#http/edge/route.ts'

/** Which figures a report has in `meta`, where not the costs of a range of days: keys of `metaMakers` in meta.ts. */
const metaOf: Readonly<Record<string, Parameters<typeof withMeta>[0]>> = {
  '/reports/summary': 'month',
  '/reports/forecast': 'month',
  '/reports/commitments': 'effective',
  '/reports/receipt': 'someOfDays',
  '/reports/kubernetes': 'someOfDays',
  '/reports/kubernetes/receipt': 'someOfDays',
  '/reports/kubernetes/labels': 'someOfDays',
  '/reports/anomalies': 'someOfDays',
  '/reports/savings': 'someOfDays',
  '/reports/unit-economics': 'someOfDays',
  '/reports/resources/summary': 'inventory',
  '/reports/metrics': 'samples',
  '/reports/resources/metrics': 'samples',
  '/reports/resources/metrics/daily': 'samples',
  '/reports/resources/activity': 'changes',
  '/reports/snapshots': 'closedMonths',
  '/reports/bill-overlaps': 'none',
  '/reports/savings/claims': 'none',
  '/reports/savings/projection': 'none',
  '/reports/savings/claims/:claimID': 'none',
}

/** Every report, in the order of the interface. */
export const reports: readonly Route[] = [
  ...summaries,
  ...flows,
  ...costSeriesReports,
  ...costReports,
  ...forecasts,
  ...drivers,
  ...commitments,
  ...receipts,
  ...overlapReports,
  ...kubernetesReports,
  ...kubernetesReceipts,
  ...kubernetesLabelReports,
  ...anomalyReports,
  ...metricReports,
  ...metricDailyReports,
  ...activity,
  ...teamReports,
  ...tagReports,
  ...unitEconomics,
  ...snapshots,
  ...savings,
  ...savingClaims,
].map((report) => withCurrency(withFormats(withMeta(metaOf[report.path] ?? 'days', report))))
