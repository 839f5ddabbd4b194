import { costReports } from '#http/report/cost.ts'
import { flows } from '#http/report/flow.ts'
import { metricReports } from '#http/report/metric.ts'
import { summaries } from '#http/report/summary.ts'
import type { Route } from '#http/route.ts'

/** Every report, in the order of the interface. */
export const reports: readonly Route[] = [...summaries, ...flows, ...costReports, ...metricReports]
