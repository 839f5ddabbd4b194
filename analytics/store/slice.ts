/**
 * How a question about cost is narrowed: the parameters of the view `cost_slice`, and which of its forms answers soonest. A question
 * with `labelled` parameters may be by tags and by invoice, which other forms of the view know.
 */
import { t, type Static, type TObject } from '#engine/schema.ts'

/** The four costs of FOCUS, as the rollups name them. */
export const costColumns = ['billed_cost', 'effective_cost', 'contracted_cost', 'list_cost'] as const
export type CostColumn = (typeof costColumns)[number]

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

/** What a question needs to know of each line beside its own dimensions; the least is the fastest. */
export type Grain = 'services' | 'resources' | 'attributed' | 'tagged' | 'invoiced'

const view = 'cost_slice('
const byTags = 'dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},'
const forms: Record<Exclude<Grain, 'attributed'>, string> = {
  services: 'cost_slice_services(',
  resources: 'cost_slice_resources(',
  tagged: `cost_slice_tagged(${byTags}`,
  invoiced: `cost_slice_invoiced(invoices = {invoices:Array(String)}, ${byTags}`,
}

/** `sql` over the form of `cost_slice` that knows just enough. */
export function over(sql: string, grain: Grain): string {
  if (grain === 'attributed') return sql
  const text = sql.replaceAll(view, forms[grain])
  return grain === 'services' || grain === 'resources'
    ? text.replaceAll(/\b(resource_slice|resource_costs)\(/g, '$1_plain(')
    : text
}

export const isSliced = (sql: string): boolean => sql.includes(view) || sql.includes('resource_costs(')

const dims = ['column', ...Array.from({ length: 12 }, (_, n) => `d${n + 1}`)]
const filled = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))

/** The forms that a question of these parameters may be asked of. */
export const grainsOf = ({ properties }: TObject): Grain[] => [
  'services',
  'resources',
  'attributed',
  ...('dim_tags' in properties ? ['tagged' as const] : []),
  ...('invoices' in properties ? ['invoiced' as const] : []),
]

/** The grain these parameters ask for, `least` at least. */
export function grainOf(params: Readonly<Record<string, unknown>>, least: Grain): Grain {
  if (filled(params['invoices']) || dims.some((name) => params[name] === 'invoice_id')) return 'invoiced'
  if (filled(params['dim_tags'])) return 'tagged'
  const isAttributed =
    least === 'attributed' ||
    ['teams', 'scope_teams', 'tag_keys', 'as_of'].some((name) => filled(params[name])) ||
    dims.some((name) => params[name] === 'team_id')
  if (isAttributed) return 'attributed'
  const isFine = least === 'resources' || filled(params['uids']) || dims.some((name) => params[name] === 'resource_uid')
  return isFine ? 'resources' : 'services'
}

/** Declared here for those that narrow without a range. */
export type Narrowed = Static<TObject<typeof narrowed>>
