/**
 * Everything an organization can make grow, its limit, and what happens at the limit: the source of the table in
 * docs/quotas.md.
 */
import { rowLimits } from '#actors/row-limit.ts'

export interface Quota {
  readonly what: string
  readonly bound: string
  /** What happens at the limit. */
  readonly beyond: string
  /** Tables of PostgreSQL with organizations' rows that this limits. */
  readonly postgres?: readonly string[]
  readonly clickhouse?: readonly string[]
}

const rowQuotas: readonly Quota[] = Object.entries(rowLimits).map(([table, [rows, called]]) => ({
  what: called[0]!.toUpperCase() + called.slice(1),
  bound: `${rows.toLocaleString('en-US')} per organization`,
  beyond: '422 `limit_reached`',
  postgres: [table],
}))

const callers: readonly Quota[] = [
  {
    what: 'User accounts',
    bound: '`SIGN_UP`; `AUTH_RATE_LIMIT` requests per minute and IP address',
    beyond: 'an email that says so, or 403 `sign_up_closed`; 429 `rate_limited`',
  },
  {
    what: 'Organizations',
    bound:
      '`ORGANIZATIONS_PER_PERSON` owned by one person (3); `ORGANIZATIONS_PER_DAY` per person and per address block (10)',
    beyond: '422 `organization_limit`; 429 `too_many_organizations`',
    postgres: ['organization_setting', 'policy_set', 'attribution_clock', 'closed_organization', 'org_shard'],
  },
  {
    what: 'Emails to people outside the organization',
    bound:
      '`OUTSIDE_MAILS_PER_ORGANIZATION` per day (100), `OUTSIDE_MAILS_PER_RECIPIENT` per address (10), `OUTSIDE_MAILS_PER_DAY` in total (1,000)',
    beyond: '429 `too_many_mails`',
    postgres: ['outside_mail'],
  },
  {
    what: 'Requests',
    bound:
      '`RATE_LIMIT` per minute and organization (600), `PERSON_RATE_LIMIT` per person across all organizations (600)',
    beyond: '429 `rate_limited`',
  },
  {
    what: 'Concurrent report queries',
    bound:
      '`REPORTS_AT_ONCE` per edge (10), of which 7 per person and per organization; 5 that are streamed row by row, of which 3 per person and per organization',
    beyond:
      'queries wait, those with the fewest queries first; 503 for a person with 500 waiting, or 50 streamed row by row',
  },
  {
    what: 'Concurrent analyst queries',
    bound: '8 per edge, 2 per person and per organization, 50 waiting per person; 10 s and 256 MiB each',
    beyond: 'queries wait, those with the fewest queries first; `Code: 202`',
  },
  {
    what: 'Concurrent what-ifs',
    bound: '2 per edge, 1 per person and per organization; 30 s each',
    beyond: '429 `rate_limited`, 503',
  },
  {
    what: 'Event streams',
    bound: '50 per person and per organization, 2,000 per edge',
    beyond: '429 `too_many_streams`, 503',
  },
  {
    what: 'Exported files',
    bound:
      '`EXPORTS_AT_ONCE` (3), `EXPORTS_PER_HOUR` (20) and `EXPORT_BYTES_KEPT` (5 GiB) per person and per organization; kept for one day; 1,000,000 rows each',
    beyond: '429 `too_many_exports`, `export_quota_exceeded`; 422 `report_too_large`',
    postgres: ['export_file'],
  },
  {
    what: 'All exported files',
    bound: '`EXPORT_DISK_PERCENT` of the disk (20), and 90% of its free space',
    beyond: 'the oldest files of the organization with the most data are deleted; 429 `export_quota_exceeded`',
  },
  {
    what: 'Responses to Idempotency-Keys',
    bound:
      '64 KiB each, `IDEMPOTENT_ANSWERS_KEPT` (200,000) and `IDEMPOTENT_BYTES_KEPT` (256 MiB) per organization; kept for one day; none for POSTs that change nothing',
    beyond: 'a retry gets 409 `answer_not_kept`; 429 `too_many_keys`; the oldest responses lose their content',
    postgres: ['idempotent_answer'],
  },
]

const configurationQuotas: readonly Quota[] = [
  {
    what: 'Saved views, dashboards, scheduled reports',
    bound: '200, 50 and 50 per person in an organization; 12 views on a dashboard',
    beyond: '422 `too_many_saved_views`, `too_many_dashboards`, `too_many_tiles`, `too_many_report_schedules`',
    postgres: ['saved_view', 'dashboard', 'report_schedule'],
  },
  {
    what: 'Schedules',
    bound: '100,000 per organization',
    beyond: '422 `too_many_schedules`',
    postgres: ['schedule'],
  },
  {
    what: 'Policies, including tag keys and rules',
    bound: '200 per domain and organization, 20 custom workflows',
    beyond: '422 `limit_reached`',
    postgres: ['policy'],
    clickhouse: ['policy_event', 'shared_cost_rule'],
  },
  {
    what: 'Autoscaler policies',
    bound: '500 per account; data of a removed policy is deleted with the next policy for its target',
    beyond: '422 `too_many_policies`',
    postgres: ['autoscaler_policy', 'autoscaler_removed', 'scaling_infrastructure'],
  },
  {
    what: 'Channels, subscriptions',
    bound: '100 and 5,000 per organization',
    beyond: '422 `too_many_channels`, `too_many_subscriptions`',
    postgres: [
      'notification_channel',
      'channel_health',
      'notification_subscription',
      'email_preference',
      'notification_read',
    ],
  },
  {
    what: 'Messages waiting for a channel',
    bound: '10,000, for one day',
    beyond: '`failed`',
    postgres: ['delivery', 'digest', 'notice_log'],
    clickhouse: ['notification_delivery'],
  },
  {
    what: 'Provisioning jobs, spaces',
    bound: '100 jobs per organization, except deleted ones; one space per account and region, and per cluster',
    beyond: '422 `too_many_jobs`; 409 `already_exists`',
    postgres: ['provisioning_job', 'space'],
  },
  {
    what: 'Deployments, revisions',
    bound:
      '1,000 deployments per organization; one revision per push, `INBOUND_RATE_LIMIT` requests per minute and IP address',
    beyond: '422 `too_many_deployments`; 429',
    postgres: ['deployment', 'revision'],
  },
  {
    what: 'Git host installations',
    bound: '20 pending per organization, for one hour; repositories as reported by the host',
    beyond: '422 `too_many_claims`',
    postgres: ['source_claim', 'source_link', 'source_delivery', 'source_installation', 'source_repository'],
  },
  {
    what: 'Workflows and running actions',
    bound:
      '1,000 workflows per organization; one action per resource; actions are deleted 90 days after they end, workflows 400 days after',
    beyond: '422 `limit_reached`; 409',
    postgres: ['workflow_job', 'guard', 'action', 'bulk_action', 'power'],
    clickhouse: ['workflow_event', 'action_submission'],
  },
  {
    what: 'Identity providers and directories',
    bound:
      'one SAML and one OpenID provider per organization; users as sent by the directory, in verified domains only',
    beyond: 'the previous one is replaced',
    postgres: [
      'oidc_connection',
      'oidc_sign_in',
      'saml_assertion',
      'saml_connection',
      'saml_domain',
      'saml_request',
      'scim_group_member',
      'scim_user',
    ],
  },
  {
    what: 'Sessions',
    bound: '`AUTH_RATE_LIMIT` sign-ins per minute and IP address; kept for 90 days',
    beyond: '429 `rate_limited`',
    postgres: ['session', 'login_code'],
  },
  {
    what: 'NATS users',
    bound: 'only created by the operator',
    beyond: '',
    postgres: ['stream_user'],
  },
]

const facts: readonly Quota[] = [
  {
    what: 'Messages from producers',
    bound:
      '`INGEST_MESSAGES_PER_MINUTE` and `INGEST_BYTES_PER_MINUTE` per organization and lane; `TIDEMARK_LANE_BYTES` per lane',
    beyond: 'dead letters `quota_exceeded`; new messages are rejected',
    postgres: ['effect', 'mark', 'reminder', 'edition', 'parked'],
  },
  {
    what: 'Dead letters',
    bound: '`DEAD_LETTERS_KEEP_BYTES` per organization (1 GiB), `DEAD_LETTERS_KEEP_DAYS`',
    beyond: 'the oldest are deleted',
    postgres: ['dead_letter'],
  },
  {
    what: 'Bill uploads',
    bound: '4 being read per organization, `BILL_UPLOAD_BYTES` each (5 GiB)',
    beyond: '429 `too_many_uploads`, 413',
    postgres: ['bill_upload'],
  },
  {
    what: 'Bills and their aggregates',
    bound:
      'only the ingest rate, up to 4 GiB per minute and lane: **stored data is unbounded**; replaced lines are deleted after `TIDEMARK_REPLACED_BILLS_KEEP`, totals of replaced days after 35 days, all lines after `COST_LINES_KEEP`',
    beyond: 'monitor the ClickHouse disk per organization, as below',
    postgres: ['billing_sync', 'cost_watch', 'snapshot', 'allocated_resource', 'attribution_log', 'budget_alert'],
    clickhouse: [
      'cost_fact',
      'bill_line',
      'cost_line_day',
      'cost_daily_slot',
      'cost_day',
      'cost_service_daily_slot',
      'cost_day_kept',
      'cost_daily_kept',
      'cost_month',
      'closed_assignment',
      'closed_allocation',
      'closed_shared_rule',
      'closed_share',
      'closed_tag',
      'snapshot_state',
      'saving_daily',
      'allocated_resource',
      'billed_tag',
      'bill_shadow',
      'sub_account_name',
    ],
  },
  {
    what: 'Resources and findings',
    bound: 'the ingest rate; 1,000,000 per discovery, 64 KiB of specs each; one row per table and resource or finding',
    beyond: 'the discovery is reported as incomplete',
    postgres: [
      'resource',
      'resource_tagging',
      'resource_audit',
      'recommendation',
      'saving',
      'account_sweep',
      'sweep_watch',
      'tag_run',
      'refresh',
      'job',
      'metric_collection',
      'reference_value',
      'refreshed_price',
    ],
    clickhouse: [
      'account_state',
      'resource_state',
      'resource_change',
      'state_history',
      'recommendation_state',
      'accepted_tag',
      'fact_sheet',
      'plan_log',
    ],
  },
  {
    what: 'Members of teams and groups',
    bound: '2,000 resources per request; one row per resource and team or group',
    beyond: '400',
    postgres: ['team_resource', 'resource_group_member'],
    clickhouse: ['team_state', 'team_assignment', 'resource_group_state', 'resource_group_member'],
  },
  {
    what: 'Metrics, cluster usage, unit metric values',
    bound:
      'the ingest and request rates, for the time that [retention](retention.md) allows; 64 MiB per file of values',
    beyond: 'as for bills',
    postgres: ['kubernetes_cluster', 'kubernetes_source_state', 'unit_metric_feed', 'export_schedule_state'],
    clickhouse: [
      'metric_sample',
      'unit_metric_value',
      'usage_daily_slot',
      'kubernetes_node',
      'kubernetes_pod',
      'kubernetes_object',
      'kubernetes_node_day',
      'kubernetes_pod_day',
      'kubernetes_cost_slot',
      'kubernetes_workload_slot',
      'kubernetes_namespace_slot',
      'kubernetes_idle_slot',
    ],
  },
  {
    what: 'Anomalies',
    bound: 'one per day and cost series',
    beyond: '',
    postgres: ['anomaly_series', 'anomaly_story'],
    clickhouse: ['anomaly_state'],
  },
  {
    what: 'Audit trail and schedule history',
    bound: 'the request and ingest rates; security events `SECURITY_EVENTS_KEEP_DAYS`',
    beyond: 'the oldest are deleted',
    postgres: ['security_event', 'security_log', 'scheduler_event', 'scheduler_event_log'],
    clickhouse: ['security_event', 'scheduler_event'],
  },
]

export const quotas: readonly Quota[] = [...callers, ...rowQuotas, ...configurationQuotas, ...facts]

/** The table as Markdown for docs/quotas.md. */
export function quotaTable(): string {
  const rows = quotas.map(({ what, bound, beyond, postgres = [], clickhouse = [] }) => {
    const kept = [
      ...postgres.map((name) => `\`${name}\``),
      ...(clickhouse.length > 0 ? [`ClickHouse: ${clickhouse.map((name) => `\`${name}\``).join(', ')}`] : []),
    ]
    return `| ${what} | ${bound} | ${beyond} | ${kept.join(', ')} |`
  })
  return ['| what grows | limit | what happens at the limit | tables |', '|---|---|---|---|', ...rows].join('\n')
}
