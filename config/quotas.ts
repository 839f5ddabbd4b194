/** Everything that a tenant can make grow, what bounds it, and what happens at the bound: the table of docs/quotas.md. */
import { rowLimits } from '#actors/row-limit.ts'

export interface Quota {
  readonly what: string
  readonly bound: string
  /** What happens at the bound. */
  readonly beyond: string
  /** Tables with rows of organizations that this bounds. */
  readonly postgres?: readonly string[]
  readonly clickhouse?: readonly string[]
}

const made: readonly Quota[] = Object.entries(rowLimits).map(([table, [rows, called]]) => ({
  what: called[0]!.toUpperCase() + called.slice(1),
  bound: `${rows.toLocaleString('en-US')} an organization`,
  beyond: '422 `limit_reached`',
  postgres: [table],
}))

const callers: readonly Quota[] = [
  {
    what: 'Accounts of people',
    bound: '`SIGN_UP`; of one address `AUTH_RATE_LIMIT` requests a minute',
    beyond: 'a mail that says so, or 403 `sign_up_closed`; 429 `rate_limited`',
  },
  {
    what: 'Organizations',
    bound:
      '`ORGANIZATIONS_PER_PERSON` that a person owns (3); `ORGANIZATIONS_PER_DAY` of a person and of a block of addresses (10)',
    beyond: '422 `organization_limit`; 429 `too_many_organizations`',
    postgres: ['organization_setting', 'policy_set', 'attribution_clock', 'closed_organization'],
  },
  {
    what: 'Mails to people outside',
    bound:
      '`OUTSIDE_MAILS_PER_ORGANIZATION` a day (100), `OUTSIDE_MAILS_PER_RECIPIENT` to an address (10), `OUTSIDE_MAILS_PER_DAY` of all (1,000)',
    beyond: '429 `too_many_mails`',
    postgres: ['outside_mail'],
  },
  {
    what: 'Requests',
    bound:
      '`RATE_LIMIT` a minute of an organization (600), `PERSON_RATE_LIMIT` of a person in all organizations together (600)',
    beyond: '429 `rate_limited`',
  },
  {
    what: 'Questions of reports at once',
    bound:
      '`REPORTS_AT_ONCE` of an edge (10), of these 7 of a person and of an organization; 5 that are read row by row, of these 3 of a person and of an organization',
    beyond: 'wait, those first who ask least; 503 to a person with 500 that wait, 50 of those read row by row',
  },
  {
    what: 'Questions of analysts at once',
    bound: '8 of an edge, 2 of a person and of an organization, 50 of a person that wait; 10 s and 256 MiB each',
    beyond: 'wait, those first who ask least; `Code: 202`',
  },
  {
    what: 'What-ifs at once',
    bound: '2 of an edge, 1 of a person and of an organization; 30 s each',
    beyond: '429 `rate_limited`, 503',
  },
  {
    what: 'Streams of events',
    bound: '50 of a person and of an organization, 2,000 of an edge',
    beyond: '429 `too_many_streams`, 503',
  },
  {
    what: 'Exported files',
    bound:
      '`EXPORTS_AT_ONCE` (3), `EXPORTS_PER_HOUR` (20) and `EXPORT_BYTES_KEPT` (5 GiB) of a person and of an organization; a day; 1,000,000 rows each',
    beyond: '429 `too_many_exports`, `export_quota_exceeded`; 422 `report_too_large`',
    postgres: ['export_file'],
  },
  {
    what: 'Exported files of all',
    bound: '`EXPORT_DISK_PERCENT` of the disk (20), and nine tenths of what is free on it',
    beyond: 'the oldest go, of the organization that keeps the most; 429 `export_quota_exceeded`',
  },
  {
    what: 'Answers under Idempotency-Keys',
    bound:
      '64 KiB each, `IDEMPOTENT_ANSWERS_KEPT` (200,000) and `IDEMPOTENT_BYTES_KEPT` (256 MiB) an organization; a day; none of POSTs that change nothing',
    beyond: 'a repeat is told 409 `answer_not_kept`; 429 `too_many_keys`; the oldest answers lose their content',
    postgres: ['idempotent_answer'],
  },
]

const configured: readonly Quota[] = [
  {
    what: 'Saved views, scheduled reports',
    bound: '200, 50 of a person in an organization',
    beyond: '422 `too_many_saved_views`, `too_many_report_schedules`',
    postgres: ['saved_view', 'report_schedule'],
  },
  {
    what: 'Schedules',
    bound: '100,000 an organization',
    beyond: '422 `too_many_schedules`',
    postgres: ['schedule'],
  },
  {
    what: 'Policies, tag keys and rules that are policies',
    bound: '200 of a domain an organization, 20 of custom workflows',
    beyond: '422 `limit_reached`',
    postgres: ['policy'],
    clickhouse: ['policy_event', 'shared_cost_rule'],
  },
  {
    what: 'Autoscaler policies',
    bound: '500 an account; what is known of those removed goes with the next of their target',
    beyond: '422 `too_many_policies`',
    postgres: ['autoscaler_policy', 'autoscaler_removed', 'scaling_infrastructure'],
  },
  {
    what: 'Channels, subscriptions',
    bound: '100, 5,000 an organization',
    beyond: '422 `too_many_channels`, `too_many_subscriptions`',
    postgres: ['notification_channel', 'channel_health', 'notification_subscription', 'email_preference'],
  },
  {
    what: 'Messages that wait for a channel',
    bound: '10,000, a day',
    beyond: '`failed`',
    postgres: ['delivery', 'digest', 'notice_log'],
    clickhouse: ['notification_delivery'],
  },
  {
    what: 'Provisioning jobs, spaces',
    bound: '100 jobs an organization that are not deleted; a space an account and region, and a cluster',
    beyond: '422 `too_many_jobs`; 409 `already_exists`',
    postgres: ['provisioning_job', 'space'],
  },
  {
    what: 'Deployments, revisions',
    bound: '1,000 deployments an organization; a revision a push, `INBOUND_RATE_LIMIT` requests a minute of an address',
    beyond: '422 `too_many_deployments`; 429',
    postgres: ['deployment', 'revision'],
  },
  {
    what: 'Installations at hosts of sources',
    bound: '20 that wait to be linked an organization, for an hour; repositories as the host tells of them',
    beyond: '422 `too_many_claims`',
    postgres: ['source_claim', 'source_link', 'source_delivery', 'source_installation', 'source_repository'],
  },
  {
    what: 'Workflows, actions under way',
    bound:
      '1,000 workflows an organization; an action a resource; actions go 90 days after their end, workflows 400 days after',
    beyond: '422 `limit_reached`; 409',
    postgres: ['workflow_job', 'guard', 'action', 'bulk_action', 'power'],
    clickhouse: ['workflow_event', 'action_submission'],
  },
  {
    what: 'Identity providers and directories',
    bound: 'one of SAML and one of OpenID an organization; people of a directory as it says, at proved domains alone',
    beyond: 'the one before is replaced',
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
    bound: '`AUTH_RATE_LIMIT` sign-ins a minute of an address; 90 days',
    beyond: '429 `rate_limited`',
    postgres: ['session', 'login_code'],
  },
  {
    what: 'Users of the stream',
    bound: 'made by the operator alone',
    beyond: '',
    postgres: ['stream_user'],
  },
]

const facts: readonly Quota[] = [
  {
    what: 'Messages of producers',
    bound:
      '`INGEST_MESSAGES_PER_MINUTE` and `INGEST_BYTES_PER_MINUTE` of an organization through a lane; `TIDEMARK_LANE_BYTES` a lane',
    beyond: 'dead letters `quota_exceeded`; publishes are refused',
    postgres: ['effect', 'mark', 'reminder', 'edition'],
  },
  {
    what: 'Dead letters',
    bound: '`DEAD_LETTERS_KEEP_BYTES` an organization (1 GiB), `DEAD_LETTERS_KEEP_DAYS`',
    beyond: 'the oldest go',
    postgres: ['dead_letter'],
  },
  {
    what: 'Uploads of bills',
    bound: '4 an organization that are read, `BILL_UPLOAD_BYTES` each (5 GiB)',
    beyond: '429 `too_many_uploads`, 413',
    postgres: ['bill_upload'],
  },
  {
    what: 'Bills, and what is added up from them',
    bound:
      'by the rate of ingest alone, times 4 GiB a minute a lane: **nothing bounds what is kept**; replaced lines go after `TIDEMARK_REPLACED_BILLS_KEEP`, sums of replaced days after 35 days',
    beyond: 'watch the disk of ClickHouse by organization, as below',
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
    what: 'Resources, and what is found of them',
    bound:
      'by the rate of ingest; 1,000,000 of one discovery, 64 KiB of specs each; a row of each table a resource, or a finding',
    beyond: 'the discovery says that it is not whole',
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
    bound: '2,000 resources a request; a row a resource and team, or group',
    beyond: '400',
    postgres: ['team_resource', 'resource_group_member'],
    clickhouse: ['team_state', 'team_assignment', 'resource_group_state', 'resource_group_member'],
  },
  {
    what: 'Metrics, usage of clusters, values of unit metrics',
    bound: 'by the rate of ingest and of requests: **nothing bounds what is kept**; 64 MiB a file of values',
    beyond: 'as for bills',
    postgres: ['kubernetes_cluster', 'kubernetes_source_state', 'unit_metric_feed'],
    clickhouse: [
      'metric_sample',
      'unit_metric_value',
      'usage_daily_slot',
      'kubernetes_node',
      'kubernetes_pod',
      'kubernetes_object',
      'kubernetes_cost_slot',
      'kubernetes_workload_slot',
      'kubernetes_namespace_slot',
      'kubernetes_idle_slot',
    ],
  },
  {
    what: 'Anomalies',
    bound: 'those of a day, by series of cost',
    beyond: '',
    postgres: ['anomaly_series', 'anomaly_story'],
    clickhouse: ['anomaly_state'],
  },
  {
    what: 'The audit trail, and what schedules did',
    bound: 'by the rates of requests and ingest; security events `SECURITY_EVENTS_KEEP_DAYS`',
    beyond: 'the oldest go',
    postgres: ['security_event', 'security_log', 'scheduler_event', 'scheduler_event_log'],
    clickhouse: ['security_event', 'scheduler_event'],
  },
]

export const quotas: readonly Quota[] = [...callers, ...made, ...configured, ...facts]

/** As docs/quotas.md has it. */
export function quotaTable(): string {
  const rows = quotas.map(({ what, bound, beyond, postgres = [], clickhouse = [] }) => {
    const kept = [
      ...postgres.map((name) => `\`${name}\``),
      ...(clickhouse.length > 0 ? [`ClickHouse: ${clickhouse.map((name) => `\`${name}\``).join(', ')}`] : []),
    ]
    return `| ${what} | ${bound} | ${beyond} | ${kept.join(', ')} |`
  })
  return ['| what grows | its bound | what happens at it | tables |', '|---|---|---|---|', ...rows].join('\n')
}
