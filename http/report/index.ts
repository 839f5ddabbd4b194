import { activity } from '#http/report/activity.ts'
import { anomalyReports } from '#http/report/anomaly.ts'
import { costReports } from '#http/report/cost.ts'
import { flows } from '#http/report/flow.ts'
import { metricReports } from '#http/report/metric.ts'
import { receipts } from '#http/report/receipt.ts'
import { snapshots } from '#http/report/snapshot.ts'
import { summaries } from '#http/report/summary.ts'
import { tagReports } from '#http/report/tag.ts'
import { teamReports } from '#http/report/team.ts'
import { unitEconomics } from '#http/report/unit-economics.ts'
import type { Route } from '#http/route.ts'

/** Every report, in the order of the interface. */
export const reports: readonly Route[] = [
  ...summaries,
  ...flows,
  ...costReports,
  ...receipts,
  ...anomalyReports,
  ...metricReports,
  ...activity,
  ...teamReports,
  ...tagReports,
  ...unitEconomics,
  ...snapshots,
]
