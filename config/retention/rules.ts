/**
 * How long each table and stream keeps its rows: the source of the table in docs/retention.md. `sweptRules` are carried
 * out by `sweep.ts`; the other rules say who deletes, or why nothing does.
 */
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
  /** Rows are only deleted once all processes know the cut: in a sweep an hour later, or later than that. */
  readonly isAnnounced?: true
}

export interface OtherRule {
  readonly what: string
  readonly keep: string
  /** Who deletes, or why it is kept for ever. */
  readonly how: string
  readonly postgres?: readonly string[]
  readonly clickhouse?: readonly string[]
  readonly streams?: readonly string[]
}

export const sweptRules: readonly SweptRule[] = [
  {
    name: 'metrics',
    what: 'Utilization samples',
    setting: 'metricHoursKeep',
    how: 'whole months',
    clickhouse: { metric_sample: 'ts' },
  },
  {
    name: 'kubernetes',
    what: 'Usage of clusters by the hour',
    setting: 'kubernetesHoursKeep',
    how: 'whole months; costs by workload, namespace and pod stay',
    clickhouse: { kubernetes_node: 'day', kubernetes_pod: 'day', kubernetes_object: 'day' },
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

const forEver = 'for ever'

export const otherRules: readonly OtherRule[] = [
  {
    what: 'Daily and monthly costs, and what they are attributed to',
    keep: forEver,
    how: 'reports compare years; a year of daily totals is small compared with its lines',
    postgres: [
      'snapshot',
      'allocated_resource',
      'attribution_clock',
      'attribution_log',
      'billing_sync',
      'cost_watch',
      'budget_alert',
    ],
    clickhouse: [
      'cost_daily_slot',
      'cost_day',
      'cost_month',
      'cost_service_daily_slot',
      'usage_daily_slot',
      'kubernetes_cost_slot',
      'kubernetes_idle_slot',
      'kubernetes_workload_slot',
      'kubernetes_namespace_slot',
      'billed_tag',
      'bill_shadow',
      'sub_account_name',
      'snapshot_state',
      'saving_daily',
      'allocated_resource',
      'closed_assignment',
      'closed_allocation',
      'closed_shared_rule',
      'closed_share',
      'closed_tag',
      'team_state',
      'team_assignment',
      'resource_group_state',
      'resource_group_member',
      'shared_cost_rule',
      'account_state',
    ],
  },
  {
    what: 'Totals of days that have been replaced',
    keep: '35 days',
    how: 'TTL in ClickHouse',
    clickhouse: ['cost_day_kept', 'cost_daily_kept'],
  },
  {
    what: 'Bill uploads',
    keep: '30 days; lines of replaced bills `TIDEMARK_REPLACED_BILLS_KEEP`',
    how: 'a sweep every six hours',
    postgres: ['bill_upload'],
  },
  {
    what: 'Resources, deleted ones included, and their current findings',
    keep: forEver,
    how: 'reports need the name and type of everything that has had a cost; one row per resource',
    postgres: [
      'resource',
      'resource_tagging',
      'resource_audit',
      'recommendation',
      'saving',
      'metric_collection',
      'team_resource',
      'power',
    ],
    clickhouse: ['resource_state', 'recommendation_state', 'accepted_tag'],
  },
  {
    what: 'Actions that have ended',
    keep: '90 days; for analysts 400 days',
    how: 'the job `retention`; TTL in ClickHouse',
    postgres: ['action', 'bulk_action'],
    clickhouse: ['state_history'],
  },
  {
    what: 'Workflows that have ended, and logs of policies and plans',
    keep: '400 days',
    how: 'the job `retention`; TTL in ClickHouse',
    postgres: ['workflow_job', 'guard'],
    clickhouse: ['workflow_event', 'policy_event', 'plan_log'],
  },
  {
    what: 'Facts that rules have read',
    keep: '400 days',
    how: 'TTL in ClickHouse',
    clickhouse: ['fact_sheet'],
  },
  {
    what: 'Notifications',
    keep: 'one day while pending; for analysts 90 days',
    how: 'deleted when sent; TTL in ClickHouse',
    postgres: ['delivery', 'digest', 'notice_log'],
    clickhouse: ['notification_delivery'],
  },
  {
    what: 'Security events',
    keep: '`SECURITY_EVENTS_KEEP_DAYS`',
    how: 'every ten minutes',
    postgres: ['security_event'],
    clickhouse: ['security_event'],
  },
  {
    what: 'Dead letters',
    keep: '`DEAD_LETTERS_KEEP_DAYS`, `DEAD_LETTERS_KEEP_BYTES`',
    how: 'every minute',
    postgres: ['dead_letter'],
  },
  {
    what: 'Exported files, responses to Idempotency-Keys',
    keep: 'one day',
    how: 'every ten minutes',
    postgres: ['export_file', 'idempotent_answer'],
  },
  {
    what: 'Sessions and sign-ins',
    keep: 'until they expire, at most 90 days',
    how: 'every ten minutes',
    postgres: [
      'session',
      'refresh_token',
      'login_code',
      'login_failure',
      'mailed_code',
      'one_time_password',
      'second_factor_challenge',
      'oidc_sign_in',
      'saml_assertion',
      'saml_request',
      'rate_bucket',
      'throttle',
    ],
  },
  {
    what: 'Messages in lanes',
    keep: '`TIDEMARK_LANE_KEEP` messages after their commit, up to half of `TIDEMARK_LANE_BYTES`',
    how: 'each lane deletes its own',
    streams: ['LANE-*'],
  },
  {
    what: 'Events for subscribers',
    keep: 'up to `TIDEMARK_LANE_BYTES`',
    how: 'NATS deletes the oldest',
    streams: ['EVENTS'],
  },
  {
    what: 'Orders for executors',
    keep: 'up to 256 MiB',
    how: 'NATS deletes the oldest',
    streams: ['EXEC'],
  },
  {
    what: 'Orders for builders',
    keep: '7 days, up to 256 MiB',
    how: 'NATS, by age; a full stream refuses new orders',
    streams: ['BUILD'],
  },
  {
    what: 'Copies of dead letters for subscribers',
    keep: '30 days, up to 1 GiB',
    how: 'NATS deletes the oldest',
    streams: ['DEAD'],
  },
  {
    what: 'Work of lanes that is not finished',
    keep: 'until it is done; replies 7 days',
    how: 'with the commit that finishes it',
    postgres: ['effect', 'inbox', 'outbox', 'mark', 'reminder', 'edition', 'lane', 'process'],
  },
  {
    what: 'Emails to people outside the organization',
    keep: 'two days',
    how: 'with the next such email',
    postgres: ['outside_mail'],
  },
  {
    what: 'Configuration by people and operators',
    keep: 'until it is deleted',
    how: 'limited by [quotas](quotas.md), not by time',
    postgres: [
      'app_user',
      'autoscaler_policy',
      'autoscaler_removed',
      'budget',
      'channel_health',
      'cloud_account',
      'dashboard',
      'deployment',
      'email_preference',
      'kubernetes_source',
      'member',
      'note',
      'notification_channel',
      'notification_read',
      'notification_subscription',
      'oidc_connection',
      'organization',
      'organization_setting',
      'person_erasure',
      'personal_access_token',
      'policy',
      'policy_set',
      'provisioned_connection',
      'provisioned_database',
      'recovery_code',
      'report_schedule',
      'resource_group',
      'resource_group_member',
      'role',
      'saml_connection',
      'saml_domain',
      'saved_view',
      'scaling_infrastructure',
      'schedule',
      'scim_group_member',
      'scim_user',
      'second_factor',
      'source_claim',
      'source_installation',
      'source_link',
      'source_repository',
      'space',
      'stream_user',
      'team',
      'unit_metric',
      'user_identity',
    ],
  },
  {
    what: 'State of jobs and counters: a fixed number of rows per organization, account or cluster',
    keep: forEver,
    how: 'it does not grow with time',
    postgres: [
      'account_sweep',
      'anomaly_series',
      'job',
      'kubernetes_cluster',
      'kubernetes_source_state',
      'reference_value',
      'refresh',
      'refreshed_price',
      'scheduler_event_log',
      'security_log',
      'sweep_watch',
      'tag_run',
      'unit_metric_feed',
    ],
  },
  {
    what: 'The installation, its keys and its deleted organizations',
    keep: forEver,
    how: 'the record of a deletion must outlive it; a few rows',
    postgres: [
      'clock_offset',
      'closed_organization',
      'installation',
      'migration',
      'retention_cut',
      'saml_key',
      'signing_key',
    ],
    clickhouse: ['installation', 'schema_migration'],
  },
]
