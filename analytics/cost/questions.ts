/** Queries over daily costs: totals, breakdowns, resources, estimates, each declared with its parameters and columns. */
import { t } from '#engine/value/schema.ts'
import { allCharges, allOfThem, chargeFilters, narrower } from '#analytics/cost/charge.ts'
import { billOverlaps, billsLeftOut } from '#analytics/cost/overlap/questions.ts'
import { questions } from '#analytics/store/query.ts'
import {
  asReported,
  january,
  labelFilters,
  noLabels,
  noWhere,
  saving,
  sliceParams,
  tagColumns,
  whereFilters,
} from '#analytics/store/slice.ts'

/** Queries whose SQL is in that room. */
const inRoom = (room: string) => questions(new URL(`${room}/`, import.meta.url).href)

const breakdownQuestion = inRoom('breakdown')
const freshnessQuestion = inRoom('freshness')
const resourceQuestion = inRoom('resource')
const totalQuestion = inRoom('total')

const money = t.String({ description: 'US dollars, exact' })

const list = t.Array(t.String())

export const costTotal = totalQuestion(
  'cost_total',
  t.Object({ ...sliceParams, ...saving, ...narrower }),
  t.Object({ cost_usd: money, savings_usd: money, all_lines: t.Integer(), estimates: t.Integer() }),
  { ...january, ...asReported, ...allOfThem },
  { isByMonth: true },
)

/** Shows whether two results are of the same sums. */
export const costEditions = freshnessQuestion(
  'cost_editions',
  t.Object({ org: t.String(), from: t.String(), to: t.String() }),
  t.Object({ editions: t.String() }),
  { org: 'o1', from: '2026-01-01', to: '2026-01-31' },
  { isFresh: true },
)

/** `through` is a day, `updated_on` a time, ISO 8601; both are empty if nothing was billed. */
export const costFreshness = freshnessQuestion(
  'cost_freshness',
  t.Object({ org: t.String(), from: t.String(), to: t.String(), as_of: t.String(), accounts: t.Array(t.String()) }),
  t.Object({ through: t.String(), updated_on: t.String() }),
  { org: 'o1', from: '2026-01-01', to: '2026-01-31', as_of: '', accounts: [] },
)

/** `confirmed_through` is empty if no export confirmed a day unchanged. */
export const accountFreshness = freshnessQuestion(
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
export const costByPeriod = totalQuestion(
  'cost_by_period',
  t.Object({ ...sliceParams, ...saving, ...narrower, granularity: t.Enum(granularities) }),
  t.Object({ period: t.String(), cost_usd: money, savings_usd: money }),
  { ...january, ...asReported, ...allOfThem, granularity: 'daily' },
  { isByMonth: 'monthly' },
)

export const costByProvider = totalQuestion(
  'cost_by_provider',
  t.Object({ ...sliceParams, ...saving }),
  t.Object({ provider: t.String(), cost_usd: money, savings_usd: money }),
  { ...january, ...asReported },
  { isByMonth: true },
)

/** The dimensions of a cost flow; `nothing` if none is used. */
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

export const costFlow = breakdownQuestion(
  'cost_flow',
  t.Object({ ...sliceParams, ...labelFilters, ...chargeFilters, ...levels, d6: level }),
  t.Object({ ...leaf, cost_usd: money }),
  { ...january, ...noLabels, ...allCharges, ...byProvider, d6: 'nothing' },
  { needs: ['charges'], columns: ['d1', 'd2', 'd3', 'd4', 'd5', 'd6'], isByMonth: true },
)

export const costFlowResources = breakdownQuestion(
  'cost_flow_resources',
  t.Object({
    ...sliceParams,
    ...labelFilters,
    ...chargeFilters,
    uids: list,
    ...levels,
    d6: t.Enum(['resource_uid', 'nothing']),
    top: t.Integer({ minimum: 1 }),
  }),
  t.Object({ ...leaf, name: t.String(), cost_usd: money }),
  { ...january, ...noLabels, ...allCharges, uids: [], ...byProvider, d6: 'resource_uid', top: 200 },
  { needs: ['charges'], columns: ['d1', 'd2', 'd3', 'd4', 'd5', 'd6'], isByMonth: true },
)

/** Days, `YYYY-MM-DD`; both are empty if nothing is estimated. */
export const estimatedDays = freshnessQuestion(
  'estimated_days',
  t.Object({ org: t.String(), from: t.String(), to: t.String(), as_of: t.String(), accounts: list }),
  t.Object({ first_day: t.String(), last_day: t.String() }),
  { org: 'o1', from: '2026-01-01', to: '2026-01-31', as_of: '', accounts: [] },
  { needs: ['charges'] },
)

export const costEstimates = freshnessQuestion(
  'cost_estimates',
  t.Object({
    ...sliceParams,
    ...chargeFilters,
    dim_tags: labelFilters.dim_tags,
    dim_values: labelFilters.dim_values,
    ...whereFilters,
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
    ...noWhere,
    uids: [],
    first: '2026-01-15',
    last: '2026-01-31',
  },
  { needs: ['charges', 'resource_uid'] },
)

/** `at` is the first day of a period, `YYYY-MM-DD`. */
export const costEstimatedPeriods = freshnessQuestion(
  'cost_estimated_periods',
  t.Object({
    ...sliceParams,
    ...chargeFilters,
    dim_tags: labelFilters.dim_tags,
    dim_values: labelFilters.dim_values,
    ...whereFilters,
    uids: list,
    granularity: t.Enum(granularities),
  }),
  t.Object({ at: t.String(), estimated_usd: money }),
  { ...january, ...allCharges, dim_tags: [], dim_values: [], ...noWhere, uids: [], granularity: 'daily' },
  { needs: ['charges', 'resource_uid'] },
)

const dimension = t.Enum([...flowDims, 'shown_provider', 'shown_service', ...tagColumns, 'nothing'])

/**
 * One row per series, highest cost first, and one at `place` top + 1 for all other `combinations`; `at` are first days
 * of periods.
 */
export const costSeries = breakdownQuestion(
  'cost_series',
  t.Object({
    ...sliceParams,
    ...labelFilters,
    ...chargeFilters,
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
    ...noLabels,
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

/** Sub-accounts without a name in bills are left out. */
export const subAccountNames = breakdownQuestion(
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
export const costResourceDays = resourceQuestion(
  'cost_resource_days',
  t.Object({ ...sliceParams, ...saving, sort: t.Enum(daySorts), ...page }),
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

export const costResourceDayDetails = resourceQuestion(
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
export const costByResource = resourceQuestion(
  'cost_by_resource',
  t.Object({
    ...sliceParams,
    ...saving,
    ...labelFilters,
    ...chargeFilters,
    uids: list,
    sort: t.Enum(resourceSorts),
    ...page,
  }),
  t.Object({ resource_uid: t.String(), cost_usd: money, savings_usd: money, total: t.Integer() }),
  { ...january, ...asReported, ...noLabels, ...allCharges, uids: [], sort: 'cost_usd', ...firstPage },
  { needs: ['resource_uid'], isByMonth: true },
)

/** `total` is the number of rows of all pages. */
export const costResources = resourceQuestion(
  'cost_resources',
  t.Object({ ...sliceParams, ...cut }),
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
 * Too many rows to keep in memory, so they are streamed: one per resource, and one with an empty UID for costs without
 * a resource. `days` are counted from the first of the range and correspond to `costs` by position; a day may appear
 * several times, in any order.
 */
export const costDaysByResource = resourceQuestion(
  'cost_days_by_resource',
  t.Object(sliceParams),
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

export const costByColumn = breakdownQuestion(
  'cost_by_column',
  t.Object({
    ...sliceParams,
    ...saving,
    ...labelFilters,
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
  { ...january, ...asReported, ...noLabels, column: 'purchase_type' },
  { needs: ['resource_uid'], columns: ['column'], isByMonth: true },
)

/** For services that bill formats name differently. */
export const billedServices = breakdownQuestion(
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
