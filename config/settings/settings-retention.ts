/** How long stored data is kept; config/upkeep/retention/swept-rules.ts says which tables. 0 keeps it for ever. */
import { setting, wholeNumber } from './setting.ts'

const months = wholeNumber(0, 1200)
const days = wholeNumber(0, 36_500)

export const retentionSettings = {
  metricSamplesKeep: setting(
    'METRIC_SAMPLES_KEEP_DAYS',
    14,
    'days',
    'How long utilization samples are kept as received; older ones are aggregated by the hour; 0 means for ever.',
    days,
  ),
  metricHoursKeep: setting(
    'METRIC_HOURS_KEEP_MONTHS',
    13,
    'months',
    'How long utilization is kept by the hour; 0 means for ever.',
    months,
  ),
  kubernetesHoursKeep: setting(
    'KUBERNETES_HOURS_KEEP_DAYS',
    45,
    'days',
    'How long usage of clusters is kept as received; older nodes and pods have one row per day, and the same costs; 0 means for ever.',
    days,
  ),
  kubernetesDaysKeep: setting(
    'KUBERNETES_DAYS_KEEP_MONTHS',
    13,
    'months',
    'How long usage of clusters is kept by day; costs by workload stay; 0 means for ever.',
    months,
  ),
  costLinesKeep: setting(
    'COST_LINES_KEEP',
    0,
    'months',
    'How long lines of bills are kept; daily totals stay, and days without lines are not recomputed; 0 means for ever.',
    months,
  ),
  resourceChangesKeep: setting(
    'RESOURCE_CHANGES_KEEP_MONTHS',
    24,
    'months',
    'How long changes of resources are kept; 0 means for ever.',
    months,
  ),
  actionsKeep: setting(
    'ACTION_SUBMISSIONS_KEEP_MONTHS',
    24,
    'months',
    'How long the record of started actions is kept for analysts; 0 means for ever.',
    months,
  ),
  schedulerEventsKeep: setting(
    'SCHEDULER_EVENTS_KEEP_MONTHS',
    13,
    'months',
    'How long runs of schedules are kept; 0 means for ever.',
    months,
  ),
  unitMetricsKeep: setting(
    'UNIT_METRICS_KEEP_MONTHS',
    36,
    'months',
    'How long values of unit metrics are kept; 0 means for ever.',
    months,
  ),
  anomaliesKeep: setting(
    'ANOMALIES_KEEP_MONTHS',
    36,
    'months',
    'How long anomalies are kept; 0 means for ever.',
    months,
  ),
  overridesKeep: setting(
    'OVERRIDES_KEEP_MONTHS',
    13,
    'months',
    'How long overrides are kept after they end; 0 means for ever.',
    months,
  ),
  sourceDeliveriesKeep: setting(
    'SOURCE_DELIVERIES_KEEP_DAYS',
    90,
    'days',
    'How long IDs of processed webhooks of git hosts are kept, so that a repeated one has no effect; 0 means for ever.',
    days,
  ),
  revisionsKeep: setting(
    'REVISIONS_KEEP_MONTHS',
    13,
    'months',
    'How long revisions of deployments are kept after their build; the current one stays; 0 means for ever.',
    months,
  ),
  provisioningJobsKeep: setting(
    'PROVISIONING_JOBS_KEEP_MONTHS',
    13,
    'months',
    'How long deleted provisioning jobs are kept; 0 means for ever.',
    months,
  ),
  readinessPlansKeep: setting(
    'READINESS_PLANS_KEEP_MONTHS',
    13,
    'months',
    'How long readiness plans are kept after they end; 0 means for ever.',
    months,
  ),
}
