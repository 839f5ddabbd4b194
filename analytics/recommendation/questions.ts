/** Facts of resources that rules read. A day is `YYYY-MM-DD`, UTC; costs are US dollars. */
import { t } from '#engine/value/schema.ts'
import { questions } from '#analytics/store/query.ts'
import { costColumns } from '#analytics/store/slice.ts'

const query = questions(import.meta.url)

const texts = t.Array(t.String())
const numbers = t.Array(t.Number())
const orNull = t.Union([t.Number(), t.Null()])

const page = { org: t.String(), account: t.String(), uids: texts }
const pageExample = { org: 'o1', account: 'acct-1', uids: ['i-1'] }

/** `until` is midnight, `YYYY-MM-DD HH:MM:SS` UTC; hours are minutes of a day in the zone `tz`. */
export const metricFacts = query(
  'metric_facts',
  t.Object({
    ...page,
    until: t.String(),
    windows: t.Array(t.Integer()),
    metrics: texts,
    names: texts,
    deltas: texts,
    padded: texts,
    padded_days: t.Integer({ minimum: 0 }),
    tz: t.String(),
    business_days: t.Array(t.Integer()),
    business_from: t.Integer(),
    business_to: t.Integer(),
  }),
  t.Object({
    resource_uid: t.String(),
    name: t.String(),
    window: t.Integer(),
    step: t.Integer(),
    buckets: t.Integer(),
    expected: t.Integer(),
    avg_level: t.Number(),
    min_level: t.Number(),
    max_level: t.Number(),
    total: t.Number(),
    /** In the order of `quantileLevels`. */
    quantiles: numbers,
    on_p95: orNull,
    off_p95: orNull,
  }),
  {
    ...pageExample,
    until: '2026-01-31 00:00:00',
    windows: [7, 14],
    metrics: ['cpu_percent'],
    names: ['cpu_percent'],
    deltas: [],
    padded: [],
    padded_days: 0,
    tz: 'UTC',
    business_days: [1, 2, 3, 4, 5],
    business_from: 480,
    business_to: 1080,
  },
)

export const quantileLevels = [5, 25, 50, 75, 90, 95, 97, 99] as const

export const metricDays = query(
  'metric_days',
  t.Object({ ...page, until: t.String() }),
  t.Object({ resource_uid: t.String(), metric: t.String(), days: t.Array(t.Integer()), first_at: t.Integer() }),
  { ...pageExample, until: '2026-01-31 00:00:00' },
)

const billParams = { today: t.String(), cost: t.Enum(costColumns) }
const billExample = { today: '2026-01-31', cost: 'billed_cost' as const }

export const billedResources = query(
  'billed_resources',
  t.Object({ ...page, ...billParams }),
  t.Object({
    resource_uid: t.String(),
    days: t.Integer(),
    first_day: t.String(),
    month_usd: t.Number(),
    today_usd: t.Number(),
    has_today: t.Integer(),
  }),
  { ...pageExample, ...billExample },
)

export const usedResources = query(
  'used_resources',
  t.Object({ ...page, ...billParams }),
  t.Object({
    resource_uid: t.String(),
    component: t.String(),
    usd: t.Number(),
    hours: t.Number(),
    on_demand_usd: t.Number(),
    covered_usd: t.Number(),
  }),
  { ...pageExample, ...billExample },
)

export const usedCommitments = query(
  'used_commitments',
  t.Object({ org: t.String(), uids: texts, today: t.String() }),
  t.Object({ commitment_id: t.String(), used_usd: t.Number(), unused_usd: t.Number(), covered_usd: t.Number() }),
  { org: 'o1', uids: ['sp-1'], today: '2026-01-31' },
)

export const billedAccount = query(
  'billed_account',
  t.Object({ org: t.String(), account: t.String(), keys: texts, ...billParams }),
  t.Object({ usd: t.Number(), resource_usd: t.Number(), untagged_usd: t.Number(), days: t.Integer() }),
  { org: 'o1', account: 'acct-1', keys: ['owner'], ...billExample },
)

export const usedServices = query(
  'used_services',
  t.Object({ org: t.String(), account: t.String(), ...billParams }),
  t.Object({
    service_name: t.String(),
    component: t.String(),
    on_demand_usd: numbers,
    uncovered_usd: t.Number(),
    covered_usd: t.Number(),
  }),
  { org: 'o1', account: 'acct-1', ...billExample },
)

export const orgSpend = query(
  'org_spend',
  t.Object({ org: t.String(), ...billParams }),
  t.Object({ usd: t.Number() }),
  {
    org: 'o1',
    ...billExample,
  },
)

/** `account` is empty for the whole organization. */
export const unsplitDays = query(
  'unsplit_days',
  t.Object({ org: t.String(), account: t.String(), today: t.String() }),
  t.Object({ days: t.Integer() }),
  { org: 'o1', account: '', today: '2026-02-01' },
)

export const stateChanges = query(
  'state_changes',
  t.Object({ ...page, from_ms: t.Integer() }),
  t.Object({
    resource_uid: t.String(),
    kind: t.Enum(['change', 'start', 'start_ordered', 'stop_ordered']),
    at_ms: t.Integer(),
    was: t.String(),
    became: t.String(),
  }),
  { ...pageExample, from_ms: 1_767_225_600_000 },
)

const units = t.Union([t.Integer(), t.Null()])

export const scaleChanges = query(
  'scale_changes',
  t.Object({ org: t.String(), policies: texts, from_ms: t.Integer(), to_ms: t.Integer() }),
  t.Object({
    policy_id: t.String(),
    at_ms: t.Integer(),
    from_min: units,
    from_max: units,
    from_desired: units,
    to_min: units,
    to_max: units,
    to_desired: units,
  }),
  { org: 'o1', policies: ['p-1'], from_ms: 1_767_225_600_000, to_ms: 1_767_830_400_000 },
)

/** `until` is midnight, `YYYY-MM-DD HH:MM:SS.mmm` UTC, and excluded; the four lists correspond by position. */
export const recommendationMetrics = query(
  'recommendation_metrics',
  t.Object({
    org: t.String(),
    account: t.String(),
    uid: t.String(),
    until: t.String(),
    stored: texts,
    names: texts,
    days: t.Array(t.Integer({ minimum: 1 })),
    steps: t.Array(t.Integer({ minimum: 1 })),
  }),
  t.Object({
    metric: t.String(),
    average: t.Number(),
    p95: t.Number(),
    maximum: t.Number(),
    /** Start of each step, seconds since 1970, ascending; and its mean. */
    seconds: t.Array(t.Integer()),
    means: t.Array(t.Number()),
  }),
  {
    org: 'o1',
    account: 'acct-1',
    uid: 'i-1',
    until: '2026-02-01 00:00:00.000',
    stored: ['cpu_percent'],
    names: ['cpu_percent'],
    days: [31],
    steps: [10_800],
  },
)

const sheetDays = { org: t.String(), from: t.String(), to: t.String() }
const sheetDaysExample = { org: 'o1', from: '2026-01-01', to: '2026-01-31' }

export const factSheetCounts = query(
  'fact_sheet_counts',
  t.Object(sheetDays),
  t.Object({
    resource_type: t.String(),
    layout: t.String(),
    sheets: t.Integer(),
    recalled: t.Integer(),
    first_day: t.String(),
    last_day: t.String(),
  }),
  sheetDaysExample,
)

/** To be read row by row. */
export const factSheets = query(
  'fact_sheets',
  t.Object({
    ...sheetDays,
    type: t.String(),
    layouts: texts,
    masks: t.Array(t.Array(t.Integer({ minimum: 0, maximum: 1 }))),
    scoped: t.Integer(),
    scope_accounts: texts,
    scope_teams: texts,
  }),
  t.Object({
    cloud_account_id: t.String(),
    resource_uid: t.String(),
    at: t.Array(t.Integer()),
    layout_numbers: t.Array(t.Integer()),
    resources: texts,
    facts: t.Array(texts),
    found: texts,
  }),
  {
    ...sheetDaysExample,
    type: 'aws-ec2',
    layouts: ['bill.cost_30d,res.age_days,res.status'],
    masks: [[1, 0, 1]],
    scoped: 0,
    scope_accounts: [],
    scope_teams: [],
  },
)

export const recommendationQuestions = [
  factSheetCounts,
  factSheets,
  recommendationMetrics,
  metricFacts,
  metricDays,
  billedResources,
  usedResources,
  usedCommitments,
  billedAccount,
  usedServices,
  orgSpend,
  unsplitDays,
  stateChanges,
  scaleChanges,
]
