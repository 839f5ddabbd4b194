/**
 * What the retention sweep deletes, and after how long. With `other-rules.ts` the source of the table in
 * docs/retention.md.
 */
import type { ClickHouseClient } from '@clickhouse/client'
import { dayMs } from '#engine/value/day.ts'
import { foldUsage, type ReplacedRows } from '#analytics/rollup/daily-usage/fold-usage.ts'
import { rollUpSamples } from '#analytics/rollup/hourly-metric/hourly-metric.ts'
import type { retentionSettings } from '#config/settings/settings-retention.ts'

export interface SweptRule {
  /** Key of the rule in the table `retention_cut`. */
  readonly name: string
  readonly what: string
  readonly setting: keyof typeof retentionSettings
  readonly how: string
  /** By table: an SQL condition for rows to delete; $1 is the time before which data is deleted. */
  readonly postgres?: Readonly<Record<string, string>>
  /** By table: the column with the day or time of a row. */
  readonly clickhouse?: Readonly<Record<string, string>>
  /** What happens before that: older data becomes coarser. */
  readonly rollUp?: {
    readonly what: string
    readonly setting: keyof typeof retentionSettings
    readonly how: string
    /** Key in the table `retention_cut`. */
    readonly name: string
    /** Handles months that ended before `before`. Returns the rows that were deleted. */
    readonly run: (ch: ClickHouseClient, before: Date) => Promise<readonly ReplacedRows[]>
  }
  /** Rows are only deleted once all processes know the cut: in a sweep an hour later, or later than that. */
  readonly isAnnounced?: true
}

export const sweptRules: readonly SweptRule[] = [
  {
    name: 'metrics',
    what: 'Utilization by the hour',
    setting: 'metricHoursKeep',
    how: 'whole months',
    rollUp: {
      what: 'Utilization samples as received',
      setting: 'metricSamplesKeep',
      how: 'once a month has ended that long ago, its samples become hours: their mean, highest value, total and number',
      name: 'metrics-hourly',
      run: rollUpSamples,
    },
    clickhouse: { metric_sample: 'ts' },
  },
  {
    name: 'kubernetes',
    what: 'Usage of clusters by day; volume claims and services by the hour',
    setting: 'kubernetesDaysKeep',
    how: 'whole months; costs by workload, namespace and pod stay',
    rollUp: {
      what: 'Usage of clusters as received',
      setting: 'kubernetesHoursKeep',
      how: 'once a month has ended that long ago, its nodes and pods are [folded](#what-reports-show): one row per day that has what costs are divided by',
      name: 'kubernetes-daily',
      run: foldUsage,
    },
    clickhouse: {
      kubernetes_node: 'day',
      kubernetes_pod: 'day',
      kubernetes_object: 'day',
      kubernetes_node_day: 'day',
      kubernetes_pod_day: 'day',
    },
  },
  {
    name: 'cost-lines',
    what: 'Lines of bills',
    setting: 'costLinesKeep',
    how: 'whole months; daily totals stay, and their days are not recomputed. [Receipts](#receipts) say so',
    clickhouse: { cost_fact: 'x_Day', bill_line: 'x_Day', cost_line_day: 'day' },
    isAnnounced: true,
  },
  {
    name: 'resource-changes',
    what: 'Changes of resources',
    setting: 'resourceChangesKeep',
    how: 'whole months',
    clickhouse: { resource_change: 'at' },
  },
  {
    name: 'actions',
    what: 'Started actions',
    setting: 'actionsKeep',
    how: 'whole months',
    clickhouse: { action_submission: 'at' },
  },
  {
    name: 'scheduler-events',
    what: 'Runs of schedules',
    setting: 'schedulerEventsKeep',
    how: 'whole months',
    postgres: { scheduler_event: 'updated_at < $1' },
    clickhouse: { scheduler_event: 'triggered_at' },
  },
  {
    name: 'unit-metrics',
    what: 'Values of unit metrics',
    setting: 'unitMetricsKeep',
    how: 'whole months',
    clickhouse: { unit_metric_value: 'ts' },
  },
  {
    name: 'anomalies',
    what: 'Anomalies',
    setting: 'anomaliesKeep',
    how: 'whole months',
    // The key begins with the day.
    postgres: { anomaly_story: `key < to_char($1::timestamptz at time zone 'UTC', 'YYYY-MM-DD')` },
    clickhouse: { anomaly_state: 'date' },
  },
  {
    name: 'overrides',
    what: 'Overrides that have ended',
    setting: 'overridesKeep',
    how: 'by the end',
    postgres: { override: 'ended_at < $1' },
  },
  {
    name: 'source-deliveries',
    what: 'IDs of processed webhooks of git hosts',
    setting: 'sourceDeliveriesKeep',
    how: 'by the day; the first of each installation stays, because it tells a new installation from an old one',
    postgres: {
      source_delivery: `heard_at < $1 and exists (select from source_delivery other
        where other.installation_id = source_delivery.installation_id and other.heard_at < source_delivery.heard_at)`,
    },
  },
  {
    name: 'revisions',
    what: 'Revisions of deployments',
    setting: 'revisionsKeep',
    how: 'by the end of the build; the current revision stays',
    postgres: {
      revision: `completed_at < $1 and not exists (select from deployment
        where deployment.org_id = revision.org_id and deployment.current_revision_id = revision.id)`,
    },
  },
  {
    name: 'provisioning-jobs',
    what: 'Deleted provisioning jobs',
    setting: 'provisioningJobsKeep',
    how: 'by the deletion',
    postgres: { provisioning_job: `phase = 'deleted' and updated_at < $1` },
  },
  {
    name: 'readiness-plans',
    what: 'Readiness plans that have ended',
    setting: 'readinessPlansKeep',
    how: 'by the end, unless a target still has to be restored',
    postgres: {
      readiness_plan: `updated_at < $1 and owed = '[]'
        and (deleted_at is not null or status in ('completed', 'failed', 'cancelled'))`,
    },
  },
]

/**
 * The time before which nothing is kept: the start of the day `keep` days ago, or of the month `keep` months ago.
 * Undefined if everything is kept.
 */
export function cutOf(keep: number, unit: string, now: Date): Date | undefined {
  if (keep === 0) return undefined
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  if (unit === 'months') return new Date(Date.UTC(year, month - keep, 1))
  return new Date(Date.UTC(year, month, now.getUTCDate()) - keep * dayMs)
}
