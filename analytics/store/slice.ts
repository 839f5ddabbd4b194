/**
 * How a question about cost is narrowed: the parameters of the view `cost_slice`, and what each of them and of its columns needs to be
 * known. A question with `labelled` parameters may be by tags and by invoice, which views over it know.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { Composer } from '#analytics/store/compose.ts'
import { t, type Static, type TObject } from '#engine/value/schema.ts'

/** The four costs of FOCUS, as the rollups name them. */
export const costColumns = ['billed_cost', 'effective_cost', 'contracted_cost', 'list_cost'] as const
export type CostColumn = (typeof costColumns)[number]

/** What savings rest on where reports are not asked for what they add up, which is what was observed, else what was estimated. */
export const savingBases = ['estimated', 'observed', 'verified'] as const
/** Savings as the slices name them: as reports add them up, else by what they rest on. */
export const savedColumns = ['saved', 'estimated_saved', 'observed_saved', 'verified_saved'] as const
export type SavedColumn = (typeof savedColumns)[number]
/** The column of savings by what they rest on; reported are those that reports add up. */
export const savedColumnOf = (kind: 'reported' | (typeof savingBases)[number]): SavedColumn =>
  kind === 'reported' ? 'saved' : `${kind}_saved`

const list = t.Array(t.String())

/** Which resources and lines are meant; an empty list means all. */
export const narrowed = {
  providers: list,
  accounts: list,
  regions: list,
  types: list,
  teams: list,
  /** 1: only what one of the two lists behind it allows. */
  scoped: t.Integer({ minimum: 0, maximum: 1 }),
  scope_accounts: list,
  scope_teams: list,
}

/** What every cost question is asked with. Days are included at both ends; `as_of` is UTC time, or empty for now. */
export const sliced = {
  org: t.String(),
  cost: t.Enum(costColumns),
  from: t.String(),
  to: t.String(),
  as_of: t.String(),
  ...narrowed,
  tag_keys: list,
  /** By place with `tag_keys`; empty: any value. */
  tag_values: list,
}
const Sliced = t.Object(sliced)
export type Sliced = Static<typeof Sliced>

/** What questions that show savings are asked with too. */
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

/** All of one organization, for examples. */
export const january: Sliced = {
  org: 'o1',
  cost: 'billed_cost',
  from: '2026-01-01',
  to: '2026-01-31',
  as_of: '',
  ...everything,
  tag_keys: [],
  tag_values: [],
}

/** Tags in one question. */
export const labelsMax = 6

/** What questions by tags and invoice are asked with too. */
export const labelled = {
  /** Keys of the tags that are its dimensions, or that it is narrowed by: the columns tag1 to tag6. */
  dim_tags: t.Array(t.String(), { maxItems: labelsMax }),
  /** By place with `dim_tags`: alternatives, of which none mean any; an empty text is no value. */
  dim_values: t.Array(list, { maxItems: labelsMax }),
  /** Empty means all; an empty text is none. */
  invoices: list,
}
export const unlabelled = { dim_tags: [] as string[], dim_values: [] as string[][], invoices: [] as string[] }

export const tagColumns = ['tag1', 'tag2', 'tag3', 'tag4', 'tag5', 'tag6'] as const

/** Columns of a slice that cost more to know than the others, and the facts that stand for it in the marks of `views/`. */
const brought = {
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
 * Not columns: `charges`, that only charges are read, and nothing of what was saved; `by_team`, that of the columns accounts and teams
 * alone are, and resources of what no rule hands out.
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

/** What questions are put together from: see `compose.ts`. A parameter brings something once it is filled. */
export const slices = new Composer({
  views: () => readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8')),
  composable: [
    'bill_row',
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
    ...brought,
    bills: [],
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
  },
  narrowing: [...Object.keys(narrowed), 'tag_keys', 'tag_values', ...Object.keys(labelled)],
})

/** Declared here for those that narrow without a range. */
export type Narrowed = Static<TObject<typeof narrowed>>
