/** What every report may be narrowed by (decision G-40), and which cost it shows (decision G-47). */
import { clickhouseTime } from '#analytics/store/time.ts'
import { dayMs } from '#engine/value/day.ts'
import {
  savedColumnOf,
  savingBases,
  type CostColumn,
  type ResourceFilters,
  type SavedColumn,
  type SliceParams,
} from '#analytics/store/slice.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { CostProviderParameter } from '#http/edge/parameter/field.ts'
import { list, repeatedParam } from '#http/edge/parameter/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { tagOf } from '#engine/value/tag-key.ts'
import type { Range } from '#http/edge/parameter/range.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Services } from '#http/edge/services.ts'
import { purchaseTypes } from '#streams/billing/messages.ts'
import { namesOfService } from '#streams/billing/line/service-name.ts'
import { chargeCategories } from '#streams/focus-columns.ts'
import { costProviderOf, costProviders, otherProvider, storedUnder } from '#streams/names.ts'

const short = { maxLength: 1024 }
const many = { maxItems: 5000 }

export const narrowing = {
  provider: t.Optional(list(CostProviderParameter, many)),
  cloud_account_id: t.Optional(list(t.String(short), many)),
  region: t.Optional(list(t.String(short), many)),
  resource_type: t.Optional(list(t.String({ ...short, alias: true }), many)),
  team_id: t.Optional(list(t.String({ ...short, description: 'a team, or unassigned' }), many)),
}

export const savingKinds = ['reported', ...savingBases] as const
type SavingKind = (typeof savingKinds)[number]

export const costKinds = ['billed', 'effective', 'contracted', 'list'] as const

/** What `resourceCount` is of a period (decision G-109). */
export const resourceCountMeaning =
  'number of resources in the inventory at any time of the period or in its bills, each counted once'

/** How far back sums that were restated can be asked for. */
const asOfDaysMax = 35

export const whichCost = {
  cost: t.Optional(
    t.Enum(costKinds, { description: 'FOCUS cost metric; billed, unless the operator chose effective' }),
  ),
  tag: t.Optional(
    repeatedParam(t.String({ pattern: '^[^:]', maxLength: 2600 }), {
      maxItems: 20,
      description:
        'key:value, or a key: only resources with this tag; several are combined with AND. Escape colons and backslashes in the key with a backslash, as in aws\\:createdBy:ana',
    }),
  ),
  asOf: t.Optional(
    t.String({
      format: 'date-time',
      description: `the report as of this time, at most ${asOfDaysMax} days ago; teams and tags are the current ones`,
    }),
  ),
}

/** Of reports that show savings. */
export const whichSavings = {
  savings: t.Optional(
    t.Enum(savingKinds, {
      description:
        'basis of savings; reported: observed savings, otherwise estimated ones, unless the operator chose verified; 0 if not known',
    }),
  ),
}

const Narrowing = t.Object(narrowing)
export type Narrowing = Static<typeof Narrowing>

/** What stands for an empty value in every report. */
const none = '(none)'
export const orNone = (value: string): string => value || none

/** `(none)` asks for what has no value. */
export const valuesAsked = (values: readonly string[] = []): string[] =>
  values.map((value) => (value === none ? '' : value))

/** No text holds a NUL, so that nothing is called this. */
export const matchesNothing = ['\0']

/** What both lists allow; an empty one allows all. */
export function allowedByBoth(some: string[], others: string[]): string[] {
  if (some.length === 0 || others.length === 0) return [...some, ...others]
  const common = some.filter((value) => others.includes(value))
  return common.length > 0 ? common : matchesNothing
}

/** Stands for every provider that is no cloud. */
const anyOther = '*'

/** As questions are asked: what is stored under, with one word for all that are no cloud. */
export const storedProviders = (asked: readonly string[] = []): string[] =>
  asked.map((name) => (name === otherProvider ? anyOther : name))

/** As `allowedByBoth`. */
function providersOfBoth(some: string[], others: string[]): string[] {
  if (some.length === 0 || others.length === 0) return [...some, ...others]
  const isIn = (list: readonly string[]) => (name: string) =>
    list.includes(name) || (list.includes(anyOther) && costProviderOf(name) === otherProvider)
  const common = [...new Set([...some.filter(isIn(others)), ...others.filter(isIn(some))])]
  return common.length > 0 ? common : matchesNothing
}

/** What the caller's role may see of the inventory; everything where it says nothing. */
export const scopeOf = ({ reportScope }: Caller) =>
  reportScope.all ? {} : { scope: { accounts: reportScope.cloudAccountIDs, teams: reportScope.teamIDs } }

/** What narrows a question to ClickHouse: what was asked for, within what the caller's role may see. */
export const narrowingOf = ({ reportScope }: Caller, query: Narrowing): ResourceFilters => ({
  providers: storedProviders(query.provider),
  accounts: valuesAsked(query.cloud_account_id),
  regions: valuesAsked(query.region),
  types: valuesAsked(query.resource_type),
  teams: valuesAsked(query.team_id),
  scoped: Number(!reportScope.all),
  scope_accounts: reportScope.all ? [] : [...reportScope.cloudAccountIDs],
  scope_teams: reportScope.all ? [] : [...reportScope.teamIDs],
})

export type WhichCost = { cost?: (typeof costKinds)[number]; savings?: SavingKind; tag?: string[]; asOf?: string }

/** Which savings a report shows. */
export const savingsShown = ({ savings }: WhichCost, { settings }: Pick<Services, 'settings'>): SavingKind =>
  savings ?? settings.reportSavings

/** What every cost question is asked with. @throws Fault `invalid` for a time that restatements are not kept for */
export const costQuestion = (
  caller: Caller,
  query: Narrowing & WhichCost,
  range: Pick<Range, 'fromDay' | 'toDay'>,
  { settings, now }: Pick<Services, 'settings' | 'now'>,
): Omit<SliceParams, 'org'> & { saved: SavedColumn } => {
  return {
    cost: `${query.cost ?? settings.reportCost}_cost` as CostColumn,
    from: range.fromDay,
    to: range.toDay,
    as_of: query.asOf === undefined ? '' : earlier(query.asOf, now()),
    saved: savedColumnOf(savingsShown(query, { settings })),
    ...narrowingOf(caller, query),
    ...tagsOf((query.tag ?? []).map(tagOf).map(({ key, value }) => [key, value])),
  }
}

/** The tags that must all hold, by key: an empty value is any, and no resource has two values of one key. */
function tagsOf(tags: readonly string[][]): Pick<SliceParams, 'tag_keys' | 'tag_values'> {
  const wanted = new Map<string, string>()
  for (const [key = '', value = ''] of tags) {
    const before = wanted.get(key) || value
    wanted.set(key, value === '' || value === before ? before : matchesNothing[0]!)
  }
  return { tag_keys: [...wanted.keys()], tag_values: [...wanted.values()] }
}

/** A question about what carries one tag more; an empty value is any. */
export const carrying = <Q extends Pick<SliceParams, 'tag_keys' | 'tag_values'>>(
  question: Q,
  key: string,
  value: string,
): Q => ({
  ...question,
  ...tagsOf([...question.tag_keys.map((name, at) => [name, question.tag_values[at] ?? '']), [key, value]]),
})

/** As ClickHouse reads it. */
function earlier(asOf: string, now: Date): string {
  const at = new Date(asOf)
  const daysAgo = (now.getTime() - at.getTime()) / dayMs
  if (daysAgo < 0 || daysAgo > asOfDaysMax) {
    const message = `must be within the last ${asOfDaysMax} days`
    throw badInput({ in: 'query', name: 'asOf', code: 'range', message })
  }
  return clickhouseTime(at)
}

const filterValues = repeatedParam(t.String({ alias: true }), { maxItems: 100 })

/** What narrows further by single values of a dimension: repeated values of one are alternatives, several dimensions must all hold. */
export const filters = {
  'filter[provider]': t.Optional(repeatedParam(t.Enum(costProviders, { alias: true }))),
  'filter[service_provider]': t.Optional(filterValues),
  'filter[cloud_account_id]': t.Optional(filterValues),
  'filter[billing_account]': t.Optional(filterValues),
  'filter[sub_account]': t.Optional(filterValues),
  'filter[region]': t.Optional(filterValues),
  'filter[resource_type]': t.Optional(filterValues),
  'filter[service_name]': t.Optional(filterValues),
  'filter[purchase_type]': t.Optional(repeatedParam(t.Enum([...purchaseTypes, none]))),
  'filter[charge_category]': t.Optional(repeatedParam(t.Enum([...chargeCategories, none]))),
  'filter[invoice_id]': t.Optional(filterValues),
  'filter[team_id]': t.Optional(filterValues),
  'filter[resource_uid]': t.Optional(filterValues),
  'filter[cluster]': t.Optional(filterValues),
  'filter[namespace]': t.Optional(filterValues),
}
/** Those that bills know: not who used a cluster, which no line says. */
const { 'filter[cluster]': _cluster, 'filter[namespace]': _namespace, ...billFilters } = filters
export { billFilters }

const Filters = t.Object(filters)
export type Filters = Static<typeof Filters>

/** A cost question with its filters. */
export const filterQuestion = (question: Omit<SliceParams, 'org'>, query: Filters) => ({
  ...question,
  providers: providersOfBoth(
    providersOfBoth(question.providers, storedProviders(query['filter[provider]'])),
    valuesAsked(query['filter[service_provider]']).flatMap(storedUnder),
  ),
  accounts: allowedByBoth(question.accounts, valuesAsked(query['filter[cloud_account_id]'])),
  regions: allowedByBoth(question.regions, valuesAsked(query['filter[region]'])),
  types: allowedByBoth(question.types, valuesAsked(query['filter[resource_type]'])),
  teams: allowedByBoth(question.teams, query['filter[team_id]'] ?? []),
  billers: valuesAsked(query['filter[billing_account]']),
  subs: valuesAsked(query['filter[sub_account]']),
  services: valuesAsked(query['filter[service_name]']).flatMap(namesOfService),
  purchases: valuesAsked(query['filter[purchase_type]']),
  categories: valuesAsked(query['filter[charge_category]']),
  uids: valuesAsked(query['filter[resource_uid]']),
  clusters: valuesAsked(query['filter[cluster]']),
  namespaces: valuesAsked(query['filter[namespace]']),
})
