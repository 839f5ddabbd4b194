import { t } from '#engine/value/schema.ts'
import { allCharges, allOfThem, charged, narrower } from '#analytics/cost/charge.ts'
import { billOverlaps, billsLeftOut } from '#analytics/cost/overlap/questions.ts'
import { questions } from '#analytics/store/query.ts'
import { asReported, january, labelled, saving, sliced, tagColumns, unlabelled } from '#analytics/store/slice.ts'

const query = questions(import.meta.url)

const money = t.String({ description: 'US dollars, exact' })

const list = t.Array(t.String())

export const costTotal = query(
  'cost_total',
  t.Object({ ...sliced, ...saving, ...narrower }),
  t.Object({ cost_usd: money, savings_usd: money, all_lines: t.Integer(), estimates: t.Integer() }),
  { ...january, ...asReported, ...allOfThem },
  { isByMonth: true },
)

/** Says whether two answers were of the same sums. */
export const costEditions = query(
  'cost_editions',
  t.Object({ org: t.String(), from: t.String(), to: t.String() }),
  t.Object({ editions: t.String() }),
  { org: 'o1', from: '2026-01-01', to: '2026-01-31' },
  { isFresh: true },
)

/** `through` is a day, `updated_on` a time, ISO 8601; both empty where nothing was billed. */
export const costFreshness = query(
  'cost_freshness',
  t.Object({ org: t.String(), from: t.String(), to: t.String(), as_of: t.String(), accounts: t.Array(t.String()) }),
  t.Object({ through: t.String(), updated_on: t.String() }),
  { org: 'o1', from: '2026-01-01', to: '2026-01-31', as_of: '', accounts: [] },
)

/** `confirmed_through` is empty where no export brought a day again unchanged. */
export const accountFreshness = query(
  'account_freshness',
  t.Object({
    org: t.String(),
    from: t.String(),
    to: t.String(),
    as_of: t.String(),
    accounts: t.Array(t.String()),
    providers: t.Array(t.String()),
  }),
  t.Object({
    cloud_account_id: t.String(),
    billed_since: t.String(),
    billed_through: t.String(),
    confirmed_through: t.String(),
  }),
  { org: 'o1', from: '2026-01-01', to: '2026-01-31', as_of: '', accounts: [], providers: [] },
)

export const granularities = ['daily', 'weekly', 'monthly'] as const

/** `period` is 2026-01-31, 2026-W05 or 2026-01. */
export const costByPeriod = query(
  'cost_by_period',
  t.Object({ ...sliced, ...saving, ...narrower, granularity: t.Enum(granularities) }),
  t.Object({ period: t.String(), cost_usd: money, savings_usd: money }),
  { ...january, ...asReported, ...allOfThem, granularity: 'daily' },
  { isByMonth: 'monthly' },
)

export const costByProvider = query(
  'cost_by_provider',
  t.Object({ ...sliced, ...saving }),
  t.Object({ provider: t.String(), cost_usd: money, savings_usd: money }),
  { ...january, ...asReported },
  { isByMonth: true },
)

/** The dimensions of a cost flow; `nothing` stands where none is needed. */
export const flowDims = [
  'provider',
  'service_provider',
  'cloud_account_id',
  'billing_account',
  'sub_account',
  'region',
  'resource_type',
  'service_name',
  'purchase_type',
  'charge_category',
  'invoice_id',
  'team_id',
  'cluster',
  'namespace',
  'resource_uid',
] as const
export type FlowDim = (typeof flowDims)[number]

const level = t.Enum([...flowDims.slice(0, -1), 'shown_provider', 'shown_service', ...tagColumns, 'nothing'])
const levels = { d1: level, d2: level, d3: level, d4: level, d5: level }
const leaf = { d1: t.String(), d2: t.String(), d3: t.String(), d4: t.String(), d5: t.String(), d6: t.String() }
const byProvider = { d1: 'provider', d2: 'region', d3: 'nothing', d4: 'nothing', d5: 'nothing' } as const

export const costFlow = query(
  'cost_flow',
  t.Object({ ...sliced, ...labelled, ...charged, ...levels, d6: level }),
  t.Object({ ...leaf, cost_usd: money }),
  { ...january, ...unlabelled, ...allCharges, ...byProvider, d6: 'nothing' },
  { needs: ['charges'], columns: ['d1', 'd2', 'd3', 'd4', 'd5', 'd6'], isByMonth: true },
)

export const costFlowResources = query(
  'cost_flow_resources',
  t.Object({
    ...sliced,
    ...labelled,
    ...charged,
    uids: list,
    ...levels,
    d6: t.Enum(['resource_uid', 'nothing']),
    top: t.Integer({ minimum: 1 }),
  }),
  t.Object({ ...leaf, name: t.String(), cost_usd: money }),
  { ...january, ...unlabelled, ...allCharges, uids: [], ...byProvider, d6: 'resource_uid', top: 200 },
  { needs: ['charges'], columns: ['d1', 'd2', 'd3', 'd4', 'd5', 'd6'], isByMonth: true },
)

/** Days, `YYYY-MM-DD`; both empty where nothing is estimated. */
export const estimatedDays = query(
  'estimated_days',
  t.Object({ org: t.String(), from: t.String(), to: t.String(), as_of: t.String(), accounts: list }),
  t.Object({ first_day: t.String(), last_day: t.String() }),
  { org: 'o1', from: '2026-01-01', to: '2026-01-31', as_of: '', accounts: [] },
  { needs: ['charges'] },
)

export const costEstimates = query(
  'cost_estimates',
  t.Object({
    ...sliced,
    ...charged,
    dim_tags: labelled.dim_tags,
    dim_values: labelled.dim_values,
    uids: list,
    first: t.String(),
    last: t.String(),
  }),
  t.Object({ cost_usd: money, estimated_usd: money }),
  {
    ...january,
    ...allCharges,
    dim_tags: [],
    dim_values: [],
    uids: [],
    first: '2026-01-15',
    last: '2026-01-31',
  },
  { needs: ['charges', 'resource_uid'] },
)

/** `at` is the first day of a period, `YYYY-MM-DD`. */
export const costEstimatedPeriods = query(
  'cost_estimated_periods',
  t.Object({
    ...sliced,
    ...charged,
    dim_tags: labelled.dim_tags,
    dim_values: labelled.dim_values,
    uids: list,
    granularity: t.Enum(granularities),
  }),
  t.Object({ at: t.String(), estimated_usd: money }),
  { ...january, ...allCharges, dim_tags: [], dim_values: [], uids: [], granularity: 'daily' },
  { needs: ['charges', 'resource_uid'] },
)

const dimension = t.Enum([...flowDims, 'shown_provider', 'shown_service', ...tagColumns, 'nothing'])

/** One row a series, the dearest first, and one at `place` top + 1 for all `combinations` that are none; `at` are first days of periods. */
export const costSeries = query(
  'cost_series',
  t.Object({
    ...sliced,
    ...labelled,
    ...charged,
    uids: list,
    d1: dimension,
    d2: dimension,
    d3: dimension,
    granularity: t.Enum(granularities),
    keys: t.Array(list),
    top: t.Integer({ minimum: 1 }),
  }),
  t.Object({
    place: t.Integer(),
    d1: t.String(),
    d2: t.String(),
    d3: t.String(),
    combinations: t.Integer(),
    at: t.Array(t.String()),
    costs: t.Array(money),
  }),
  {
    ...january,
    ...unlabelled,
    ...allCharges,
    uids: [],
    d1: 'provider',
    d2: 'region',
    d3: 'nothing',
    granularity: 'daily',
    keys: [],
    top: 12,
  },
  { needs: ['charges'], columns: ['d1', 'd2', 'd3'], isByMonth: 'monthly' },
)

/** Sub-accounts that no bill names are left out. */
export const subAccountNames = query(
  'sub_account_names',
  t.Object({ org: t.String(), ids: list }),
  t.Object({ sub_account_id: t.String(), name: t.String() }),
  { org: 'o1', ids: ['111111111111'] },
)

const cut = { limit: t.Integer({ minimum: 1 }), offset: t.Integer({ minimum: 0 }) }
const page = { asc: t.Integer({ minimum: 0, maximum: 1 }), ...cut }
const firstPage = { asc: 0, limit: 20, offset: 0 }

export const daySorts = ['cost_usd', 'savings_usd', 'date', 'name'] as const
export const resourceSorts = ['cost_usd', 'savings_usd', 'name'] as const

/** `total` is the number of rows of all pages. */
export const costResourceDays = query(
  'cost_resource_days',
  t.Object({ ...sliced, ...saving, sort: t.Enum(daySorts), ...page }),
  t.Object({
    day: t.String(),
    cloud_account_id: t.String(),
    resource_uid: t.String(),
    cost_usd: money,
    savings_usd: money,
    total: t.Integer(),
  }),
  { ...january, ...asReported, sort: 'cost_usd', ...firstPage },
  { needs: ['resource_uid'] },
)

export const costResourceDayDetails = query(
  'cost_resource_day_details',
  t.Object({ org: t.String(), days: list, accounts: list, uids: list }),
  t.Object({
    day: t.String(),
    cloud_account_id: t.String(),
    resource_uid: t.String(),
    name: t.String(),
    provider: t.String(),
    region: t.String(),
    resource_type: t.String(),
    purchase_type: t.String(),
  }),
  { org: 'o1', days: ['2026-01-01'], accounts: ['acct-1'], uids: ['i-1'] },
)

/** `total` is the number of rows of all pages. */
export const costByResource = query(
  'cost_by_resource',
  t.Object({ ...sliced, ...saving, ...labelled, ...charged, uids: list, sort: t.Enum(resourceSorts), ...page }),
  t.Object({ resource_uid: t.String(), cost_usd: money, savings_usd: money, total: t.Integer() }),
  { ...january, ...asReported, ...unlabelled, ...allCharges, uids: [], sort: 'cost_usd', ...firstPage },
  { needs: ['resource_uid'], isByMonth: true },
)

/** `total` is the number of rows of all pages. */
export const costResources = query(
  'cost_resources',
  t.Object({ ...sliced, ...cut }),
  t.Object({
    cloud_account_id: t.String(),
    resource_uid: t.String(),
    name: t.String(),
    resource_type: t.String(),
    provider: t.String(),
    cost_usd: money,
    total: t.Integer(),
  }),
  { ...january, limit: 20, offset: 0 },
  { needs: ['charges', 'resource_uid'] },
)

/**
 * More rows than are held, to be streamed: one a resource, and one of an empty uid for what has none. `days` are counted from the
 * first of the range and pair with `costs` by place; a day may come several times, in any order.
 */
export const costDaysByResource = query(
  'cost_days_by_resource',
  t.Object(sliced),
  t.Object({
    cloud_account_id: t.String(),
    resource_uid: t.String(),
    days: t.Array(t.Integer()),
    costs: t.Array(money),
  }),
  january,
  { needs: ['resource_uid'] },
)

/** The values of a row of them, in their order. */
export type CostDaysRow = readonly [account: string, uid: string, days: readonly number[], costs: readonly string[]]

export const costByColumn = query(
  'cost_by_column',
  t.Object({
    ...sliced,
    ...saving,
    ...labelled,
    column: t.Enum([
      'shown_provider',
      'service_provider',
      'purchase_type',
      'resource_type',
      'charge_category',
      'invoice_id',
      'billing_account',
      'sub_account',
      'cluster',
      'namespace',
      'tag1',
    ]),
  }),
  t.Object({ value: t.String(), cost_usd: money, savings_usd: money, resources: t.Integer() }),
  { ...january, ...asReported, ...unlabelled, column: 'purchase_type' },
  { needs: ['resource_uid'], columns: ['column'], isByMonth: true },
)

/** Of services that formats of bills call differently. */
export const billedServices = query(
  'billed_services',
  t.Object({ org: t.String(), names: list }),
  t.Object({ service_name: t.String() }),
  { org: 'o1', names: ['AmazonEC2', 'Amazon Elastic Compute Cloud'] },
)

export const costQuestions = [
  billedServices,
  costTotal,
  costEditions,
  costFreshness,
  accountFreshness,
  costByPeriod,
  costByProvider,
  costFlow,
  costFlowResources,
  estimatedDays,
  costEstimates,
  costEstimatedPeriods,
  costSeries,
  costResourceDays,
  costResourceDayDetails,
  costByResource,
  costDaysByResource,
  costByColumn,
  costResources,
  subAccountNames,
  billOverlaps,
  billsLeftOut,
]
