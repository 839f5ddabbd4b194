/**
 * Filters of cost queries: the parameters of the view `cost_slice`, and the facts that each of them and of its columns
 * requires. A query with `labelled` parameters may filter by tags and by invoice, which views over it know.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { Composer } from '#analytics/store/compose.ts'
import { t, type Static, type TObject } from '#engine/value/schema.ts'

/** The four costs of FOCUS, by their names in rollups. */
export const costColumns = ['billed_cost', 'effective_cost', 'contracted_cost', 'list_cost'] as const
export type CostColumn = (typeof costColumns)[number]

/** The bases of savings, for reports that are not about the reported figure (observed, otherwise estimated). */
export const savingBases = ['estimated', 'observed', 'verified'] as const
/** Savings columns of the slices: the reported figure, then one per basis. */
const savedColumns = ['saved', 'estimated_saved', 'observed_saved', 'verified_saved'] as const
export type SavedColumn = (typeof savedColumns)[number]
/** The savings column for a basis; `reported` is the figure that reports add up. */
export const savedColumnOf = (kind: 'reported' | (typeof savingBases)[number]): SavedColumn =>
  kind === 'reported' ? 'saved' : `${kind}_saved`

const list = t.Array(t.String())

/** Filters for resources and lines; an empty list means all. */
export const resourceFilters = {
  providers: list,
  accounts: list,
  regions: list,
  types: list,
  teams: list,
  /** 1: only what one of the two lists before it allows. */
  scoped: t.Integer({ minimum: 0, maximum: 1 }),
  scope_accounts: list,
  scope_teams: list,
}

/** The parameters of every cost query. Days are included at both ends; `as_of` is UTC time, or empty for now. */
export const sliceParams = {
  org: t.String(),
  cost: t.Enum(costColumns),
  from: t.String(),
  to: t.String(),
  as_of: t.String(),
  ...resourceFilters,
  tag_keys: list,
  /** Corresponds to `tag_keys` by position; empty: any value. */
  tag_values: list,
}
const SliceParams = t.Object(sliceParams)
export type SliceParams = Static<typeof SliceParams>

/** Additional parameters of queries that show savings. */
export const saving = { saved: t.Enum(savedColumns) }
export const asReported = { saved: 'saved' as SavedColumn }

export const everything = {
  providers: [] as string[],
  accounts: [] as string[],
  regions: [] as string[],
  types: [] as string[],
  teams: [] as string[],
  scoped: 0,
  scope_accounts: [] as string[],
  scope_teams: [] as string[],
}

/** Everything of one organization, for examples. */
export const january: SliceParams = {
  org: 'o1',
  cost: 'billed_cost',
  from: '2026-01-01',
  to: '2026-01-31',
  as_of: '',
  ...everything,
  tag_keys: [],
  tag_values: [],
}

/** Maximum tags in one query. */
export const labelsMax = 6

/** How a condition compares the value of a column with its own. */
export const whereTests = ['is', 'is_not', 'contains', 'not_contains'] as const

/** Parameters of conditions. */
export const whereFilters = {
  /** Columns that conditions are about; `where_tests` and `where_values` correspond by position. */
  where_dims: list,
  where_tests: t.Array(t.Enum(whereTests)),
  where_values: t.Array(list),
  /** Conditions by number from 1: one of each clause must hold. */
  where_clauses: t.Array(t.Array(t.Integer({ minimum: 1, maximum: 255 }))),
}

/** Additional parameters of queries by tags and invoice, and by conditions. */
export const labelFilters = {
  /** Keys of the tags that are its dimensions or filters: the columns tag1 to tag6. */
  dim_tags: t.Array(t.String(), { maxItems: labelsMax }),
  /** Corresponds to `dim_tags` by position: alternatives; no alternatives mean any; an empty text means no value. */
  dim_values: t.Array(list, { maxItems: labelsMax }),
  /** Empty means all; an empty text means no invoice. */
  invoices: list,
  ...whereFilters,
}
export const noWhere = {
  where_dims: [] as string[],
  where_tests: [] as (typeof whereTests)[number][],
  where_values: [] as string[][],
  where_clauses: [] as number[][],
}
export const noLabels = {
  dim_tags: [] as string[],
  dim_values: [] as string[][],
  invoices: [] as string[],
  ...noWhere,
}

export const tagColumns = ['tag1', 'tag2', 'tag3', 'tag4', 'tag5', 'tag6'] as const

/** What the text of a query needs for a condition about a column. */
export const whereFact = (column: string): string => `where_${column}`

/** Columns of a slice that cost more to compute than the others, and the facts for them in the marks of `views/`. */
const columnFacts = {
  resource_uid: ['resource', 'by_resource'],
  team_id: ['team', 'attributed'],
  cluster: ['clustered'],
  namespace: ['clustered'],
  own_tags: ['line_tags'],
  billing_account: ['whose'],
  sub_account: ['whose'],
  owner_uids: ['owned', 'carried'],
  group_id: ['grouped'],
  invoice_id: ['invoice'],
  shown_service: ['served'],
  ...Object.fromEntries(tagColumns.map((column) => [column, ['labels']])),
} as const
/**
 * Not columns: `charges`, only charges are read, and no savings; `by_team`, the only columns are accounts and teams,
 * and resources for costs that no rule distributes.
 */
export type SliceColumn =
  | 'charges'
  | 'by_team'
  | 'resource_uid'
  | 'cluster'
  | 'namespace'
  | 'own_tags'
  | 'billing_account'
  | 'sub_account'
  | 'owner_uids'
  | 'team_id'
  | 'invoice_id'
  | 'shown_service'
  | (typeof tagColumns)[number]

const folder = new URL('../views/', import.meta.url)

/** What queries are composed from: see `compose.ts`. A parameter requires facts once it is filled. */
export const slices = new Composer({
  views: () => readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8')),
  composable: [
    'bill_at',
    'bill_row',
    'kubernetes_node_row',
    'kubernetes_pod_row',
    'cost_lines_at',
    'month_editions',
    'charged_services',
    'cost_at',
    'cost_attributed',
    'cost_shares',
    'shared_lines',
    'given_lines',
    'given_shares',
    'cost_slice',
    'cost_slice_tagged',
    'cost_slice_invoiced',
    'charge_slice',
    'receipt_rows',
    'receipt_shared_lines',
    'receipt_part_sums',
    'receipt_whole_sums',
    'grouped_resources',
    'scope_costs',
    'dimension_costs',
    'metric_slice',
    'resource_slice',
    'present_resources',
    'tag_costs',
    'resource_sums',
    'effective_tags',
    'resource_tags',
    'tag_sources',
    'team_assignments',
    'allocations',
    'tagged_resources',
    'tag_maps',
    'commitment_use',
    'commitment_slice',
  ],
  brings: {
    ...columnFacts,
    ...Object.fromEntries(Object.entries(columnFacts).map(([column, facts]) => [whereFact(column), facts])),
    bills: [],
    folded: [],
    allocated: [],
    spelled_keys: [],
    service_names: [],
    divided: ['resource'],
    owners: [],
    clusters: ['clustered'],
    namespaces: ['clustered'],
    shared: [],
    open_months: [],
    months: [],
    charges: [],
    plain: [],
    given: [],
    rule_keys: [],
    rule_accounts: ['whose'],
    placed: [],
    regions: ['placed'],
    types: ['placed'],
    teams: ['team', 'placed', 'attributed'],
    scope_teams: ['team', 'placed', 'attributed'],
    tag_keys: ['tags', 'placed'],
    as_of: ['past'],
    dim_tags: ['labels'],
    invoices: ['invoice'],
    coarse: [],
    controllers: ['fine'],
    label_keys: ['fine'],
    fine: [],
    by_pod: ['detailed'],
    by_node: ['detailed'],
    uids: ['resource', 'by_resource'],
    group: ['resource', 'by_resource'],
    untagged: ['by_resource', 'carried', 'line_tags'],
    team: ['resource'],
    tags: ['carried', 'line_tags'],
    labels: ['by_resource', 'carried', 'line_tags'],
    invoice: ['by_resource', 'line_tags', 'whose'],
    line_tags: ['resource'],
    subs: ['whose'],
    billers: ['whose'],
    whose: [],
    linked: [],
    leaving: [],
    shadowed: ['leaving'],
    by_resource: ['resource'],
    by_team: [],
    of_teams: ['team_id'],
  },
  narrowing: [
    ...Object.keys(resourceFilters),
    'tag_keys',
    'tag_values',
    ...Object.keys(labelFilters),
    'services',
    'purchases',
    'categories',
    'days',
    'dim_types',
  ],
})

/** Declared here for filters without a range. */
export type ResourceFilters = Static<TObject<typeof resourceFilters>>
