/** Queries that find and explain cost anomalies (decisions G-50 to G-55). */
import { t } from '#engine/value/schema.ts'
import { questions } from '#analytics/store/query.ts'
import { costColumns, january, sliceParams } from '#analytics/store/slice.ts'
import { anomalyState } from '#analytics/anomaly/tables.ts'
import { shownSeverities, anomalyTypes } from '#streams/anomaly.ts'

const query = questions(import.meta.url)

const flag = t.Integer({ minimum: 0, maximum: 1 })
const list = t.Array(t.String())

const type = t.Enum(anomalyTypes)

export const anomalySorts = ['date', 'excess'] as const

/** The seven days before `to`, and `to` itself. Takes a hundredth of the planning time of the candidates. */
export const anomalyDays = query(
  'anomaly_days',
  t.Object({ org: t.String(), to: t.String() }),
  t.Object({ prior_days: t.Integer(), is_there: flag }),
  { org: january.org, to: january.to },
)

/** Amounts in US dollars; `prior_*` are over the days of the last 30 that have costs. */
export const anomalyCandidates = query(
  'anomaly_candidates',
  t.Object({ ...sliceParams, days_min: t.Integer(), usd_min: t.Number(), percent: t.Number() }),
  t.Object({
    type,
    key: t.String(),
    actual: t.Number(),
    baseline_days: t.Integer(),
    expected: t.Number(),
    charged: t.Number(),
    charged_now: t.Number(),
    credit_days: t.Integer(),
    credited_until: t.String(),
    prior_days: t.Integer(),
    prior_mean: t.Number(),
    prior_deviation: t.Number(),
    cloud_account_id: t.String(),
    team_id: t.String(),
  }),
  { ...january, days_min: 4, usd_min: 1, percent: 30 },
  { needs: ['charges', 'team_id', 'resource_uid', 'owner_uids'] },
)

export const anomalyBreakdown = query(
  'anomaly_breakdown',
  t.Object({ ...sliceParams, since: t.String(), dim_types: list, dim_keys: list, baseline_days: t.Array(t.Integer()) }),
  t.Object({
    type,
    key: t.String(),
    new_usd: t.Number(),
    new_delta_usd: t.Number(),
    new_resources: t.Integer(),
    onboarded_usd: t.Number(),
    onboarded_delta_usd: t.Number(),
    onboarded_resources: t.Integer(),
    opened_usd: t.Number(),
    added_usd: t.Number(),
    added_resources: t.Integer(),
    uids: list,
    deltas: t.Array(t.Number()),
    actuals: t.Array(t.Number()),
    news: t.Array(flag),
    by_type: t.Record(t.String(), t.Number()),
    by_account: t.Record(t.String(), t.Number()),
    by_service: t.Record(t.String(), t.Number()),
    spike_type: t.String(),
    spike_type_usd: t.Number(),
    spike_account: t.String(),
    spike_account_usd: t.Number(),
    spike_service: t.String(),
    spike_service_usd: t.Number(),
  }),
  { ...january, since: '2025-01-01', dim_types: ['org'], dim_keys: ['o1'], baseline_days: [7] },
  { needs: ['charges', 'team_id', 'resource_uid', 'owner_uids', 'shown_service'] },
)

/** Days of each dimension and their costs, by position. */
export const anomalyHistory = query(
  'anomaly_history',
  t.Object({ ...sliceParams, days: list, dim_types: list, dim_keys: list }),
  t.Object({ type, key: t.String(), days: list, costs: t.Array(t.Number()), charges: t.Array(t.Number()) }),
  { ...january, days: ['2026-01-08'], dim_types: ['org'], dim_keys: ['o1'] },
  { needs: ['charges', 'team_id', 'resource_uid', 'owner_uids'] },
)

export const anomalyUsage = query(
  'anomaly_usage',
  t.Object({ org: t.String(), cost: t.Enum(costColumns), from: t.String(), to: t.String(), uids: list }),
  t.Object({
    resource_uid: t.String(),
    day: t.String(),
    unit: t.String(),
    quantity: t.Number(),
    cost_usd: t.Number(),
    rate: t.Number(),
    reserved: t.Integer(),
    on_demand: t.Integer(),
  }),
  { org: 'o1', cost: 'billed_cost', from: '2026-01-01', to: '2026-01-15', uids: ['i-1'] },
)

export const failedStops = query(
  'failed_stops',
  t.Object({ org: t.String(), day: t.String(), uids: list }),
  t.Object({ resource_uid: t.String(), schedule_id: t.String() }),
  { org: 'o1', day: '2026-01-15', uids: ['i-1'] },
)

export const billedDays = query(
  'billed_days',
  t.Object({ org: t.String(), from: t.String(), to: t.String() }),
  t.Object({ cloud_account_id: t.String(), days: list }),
  { org: 'o1', from: '2026-01-01', to: '2026-01-31' },
)

export const runningAnomalies = query(
  'running_anomalies',
  t.Object({ org: t.String(), day: t.String() }),
  t.Object({ anomaly_type: type, anomaly_key: t.String() }),
  { org: 'o1', day: '2026-01-15' },
)

/** The record itself, for code that changes it: appended again, it replaces the old one. */
export const anomalyRecords = query(
  'anomaly_records',
  t.Object({ org: t.String(), days: list, types: list, keys: list }),
  anomalyState.row,
  { org: 'o1', days: ['2026-01-15'], types: ['org'], keys: ['o1'] },
)

/** Which anomalies to include, in which order, and which page; `asc` 1: oldest or smallest first. */
const choice = {
  org: t.String(),
  from: t.String(),
  to: t.String(),
  types: list,
  severities: list,
  reviews: list,
  accounts: list,
  teams: list,
  suppressed: flag,
  recurring: flag,
  /** US dollars, exact; 0 means any. */
  min_usd: t.String(),
  scoped: flag,
  scope_accounts: list,
  scope_teams: list,
  sort_by: t.Enum(anomalySorts),
  asc: flag,
  limit: t.Integer({ minimum: 1 }),
  offset: t.Integer({ minimum: 0 }),
}

/** All of them, newest first, except the days and the page size. */
export const everyAnomaly = {
  types: [] as string[],
  severities: [] as string[],
  reviews: [] as string[],
  accounts: [] as string[],
  teams: [] as string[],
  suppressed: 1,
  recurring: 1,
  min_usd: '0',
  sort_by: 'date' as (typeof anomalySorts)[number],
  asc: 0,
  offset: 0,
}
/** No filter by key or ID. */
export const anyOfThem = { keys: [] as string[], ids: [] as string[] }
const noScope = { scoped: 0, scope_accounts: [], scope_teams: [] }
const example = { org: 'o1', from: '2026-01-01', to: '2026-01-31', ...everyAnomaly, ...noScope, limit: 20 }

export const anomalyPage = query(
  'anomaly_page',
  t.Object({ ...choice, keys: list, ids: list }),
  t.Object({
    id: t.String(),
    org_id: t.String(),
    day: t.String(),
    anomaly_type: type,
    anomaly_key: t.String(),
    called: t.String(),
    severity: t.Enum(shownSeverities),
    method: t.String(),
    actual_usd: t.Number(),
    expected_usd: t.Number(),
    excess_usd: t.String({ description: 'US dollars, exact' }),
    deviation_percent: t.Number(),
    root_cause: t.String(),
    explained: t.String(),
    top_resources: t.String(),
    account: t.String(),
    team: t.String(),
    recurrence: t.String(),
    is_suppressed: flag,
    is_notified: flag,
    notified_on: t.String(),
    created_on: t.String(),
    review_state: t.String(),
    review_until_day: t.String(),
    review_note: t.String(),
    reviewed_by: t.String(),
    reviewed_on: t.String(),
    total: t.Integer(),
  }),
  { ...example, ...anyOfThem },
)

/** Anomalies of a day that have one cause, one row per cause; `id` is the leading one. */
export const anomalyStories = query(
  'anomaly_stories',
  t.Object({ ...choice, of: t.String({ description: 'the story that contains this anomaly; empty: any' }) }),
  t.Object({ story_key: t.String(), id: t.String(), folded: list, total: t.Integer() }),
  { ...example, of: '' },
)

/** Costs of a dimension by day, with the figures that each day is judged by. */
export const anomalySeries = query(
  'anomaly_series',
  t.Object({ ...sliceParams, uids: list, group: t.String(), days: t.Integer({ minimum: 1, maximum: 255 }) }),
  t.Object({
    date: t.String(),
    is_known: flag,
    actual: t.Number(),
    baseline_days: t.Integer(),
    expected: t.Number(),
    charged: t.Number(),
    prior_days: t.Integer(),
    prior_mean: t.Number(),
    prior_deviation: t.Number(),
  }),
  { ...january, uids: [], group: '', days: 1 },
  { needs: ['charges', 'owner_uids'] },
)

export const anomalyQuestions = [
  anomalyDays,
  anomalyCandidates,
  anomalyBreakdown,
  anomalyHistory,
  anomalyUsage,
  failedStops,
  billedDays,
  runningAnomalies,
  anomalyRecords,
  anomalyPage,
  anomalyStories,
  anomalySeries,
]
