/** What every report may be narrowed by (decision G-40), and which cost it shows (decision G-47). */
import type { CostColumn } from '#analytics/cost.ts'
import { t, type Static } from '#engine/schema.ts'
import { ProviderParameter } from '#http/field.ts'
import { list } from '#http/paging.ts'
import type { Range } from '#http/range.ts'
import type { Caller, Services } from '#http/route.ts'

export const narrowing = {
  provider: t.Optional(list(ProviderParameter)),
  cloud_account_id: t.Optional(list(t.String())),
  region: t.Optional(list(t.String())),
  resource_type: t.Optional(list(t.String({ alias: true }))),
  team_id: t.Optional(list(t.String({ description: 'a team, or unassigned' }))),
}

export const kinds = ['billed', 'effective', 'contracted', 'list'] as const

export const whichCost = {
  cost: t.Optional(t.Enum(kinds, { description: 'which cost of FOCUS; billed, unless the operator chose effective' })),
}

const Narrowing = t.Object(narrowing)
export type Narrowing = Static<typeof Narrowing>

/** What stands for an empty value in every report. */
export const none = '(none)'
export const shown = (value: string): string => value || none

/** `(none)` asks for what has no value. */
export const asked = (values: readonly string[] = []): string[] => values.map((value) => (value === none ? '' : value))

/** No text holds a NUL, so that nothing is called this. */
const matchesNothing = ['\0']

/** What both lists allow; an empty one allows all. */
export function both(some: string[], others: string[]): string[] {
  if (some.length === 0 || others.length === 0) return [...some, ...others]
  const common = some.filter((value) => others.includes(value))
  return common.length > 0 ? common : matchesNothing
}

/** The accounts of a question, within those the caller's role may see (decision G-17). Empty means all. */
export function accountsOf({ reportScope }: Caller, query: Narrowing): string[] {
  const wanted = asked(query.cloud_account_id)
  if (reportScope.all) return wanted
  return reportScope.cloudAccountIDs.length === 0 ? matchesNothing : both(wanted, [...reportScope.cloudAccountIDs])
}

/** Whether a list leaves nothing over. */
export const isNothing = (list: readonly string[]): boolean => list[0] === matchesNothing[0]

/** The lists that narrow a question to ClickHouse. */
export const lists = (caller: Caller, query: Narrowing) => ({
  providers: asked(query.provider),
  accounts: accountsOf(caller, query),
  regions: asked(query.region),
  types: asked(query.resource_type),
  teams: asked(query.team_id),
})

/** What every cost question is asked with. */
export const costQuestion = (
  caller: Caller,
  query: Narrowing & { cost?: (typeof kinds)[number] },
  range: Pick<Range, 'fromDay' | 'toDay'>,
  { settings }: Services,
) => ({
  cost: `${query.cost ?? settings.reportCost}_cost` as CostColumn,
  from: range.fromDay,
  to: range.toDay,
  ...lists(caller, query),
})
