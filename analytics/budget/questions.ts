import { t, type Static } from '#engine/value/schema.ts'
import { portions, questions } from '#analytics/store/query.ts'
import { costColumns } from '#analytics/store/slice.ts'
import { focusServiceName, namesOfService } from '#streams/billing/line/service-name.ts'
import { budgetScopeKinds, type ScopeRef } from '#streams/budget.ts'
import { units } from '#streams/figure.ts'
import { tagOf } from '#engine/value/tag-key.ts'

const query = questions(import.meta.url)

/** Identifies a scope, and the rows of costs that count in it: a service has several names. */
export const scopeKey = ({ type, id }: ScopeRef): string => `${type} ${type === 'service' ? focusServiceName(id) : id}`

const ScopeParams = t.Object({
  ids: t.Array(t.String()),
  dim_tags: t.Array(t.String()),
  /** An empty list for each of `dim_tags`. */
  dim_values: t.Array(t.Array(t.String())),
})

/** The parameters that choose scopes; more than one query accepts are not narrowed. */
export function scopeParams(scopes: readonly ScopeRef[]): Static<typeof ScopeParams> {
  const named = scopes.flatMap(({ type, id }) => (type === 'service' ? namesOfService(id) : [id]))
  const [ids = [], more] = portions(new Set(named.filter((id) => id !== '').toSorted()), (id) => id)
  const keys = new Set(scopes.flatMap(({ type, id }) => (type === 'tag' ? tagOf(id).key : [])))
  return { ids: more ? [] : ids, dim_tags: [...keys].toSorted(), dim_values: [...keys].map(() => []) }
}

const chosen = {
  org: t.String(),
  cost: t.Enum(costColumns),
  from: t.String(),
  to: t.String(),
  ...ScopeParams.properties,
}
const example = {
  org: 'o1',
  cost: 'billed_cost' as const,
  from: '2026-01-01',
  to: '2026-01-31',
  ...scopeParams([]),
}
const needs = ['charges', 'team_id', 'resource_uid', 'owner_uids', 'shown_service'] as const

/** `id` is that of the team, group or account, the name of the service or `key:value`; `day` is YYYY-MM-DD, or empty for the whole range. */
export const budgetSpend = query(
  'budget_spend',
  t.Object({ ...chosen, by_day: t.Integer({ minimum: 0, maximum: 1 }) }),
  t.Object({
    scope: t.Enum(budgetScopeKinds),
    id: t.String(),
    day: t.String(),
    cost_usd: t.String({ description: 'US dollars, exact' }),
  }),
  { ...example, by_day: 1 },
  { needs },
)

/** `stream` and `service_name` are empty except for rare charges; `costs` are of `days`, by position. */
export const budgetCharges = query(
  'budget_charges',
  t.Object(chosen),
  t.Object({
    scope: t.Enum(budgetScopeKinds),
    id: t.String(),
    category: t.String(),
    seldom: t.Integer(),
    service_name: t.String(),
    stream: t.String(),
    days: t.Array(t.String()),
    costs: t.Array(t.String(), { description: 'US dollars, exact' }),
  }),
  example,
  { needs },
)

type SpendRows = readonly Readonly<Static<(typeof budgetSpend)['row']>>[]

/** Counts of 10^-14 US dollars. Rows of one service may have several names. */
function sumBy(rows: SpendRows, keyOf: (row: SpendRows[number]) => string): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const row of rows) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0n) + units(row.cost_usd))
  return sums
}

const keyOfRow = ({ scope: type, id }: SpendRows[number]): string => scopeKey({ type, id })

/** By `scopeKey`. */
export const spendByScope = (rows: SpendRows): Map<string, bigint> => sumBy(rows, keyOfRow)

/** The spend of each day that has any. */
export const spendByDay = (rows: SpendRows, scope: ScopeRef): Map<string, bigint> =>
  sumBy(
    rows.filter((row) => keyOfRow(row) === scopeKey(scope)),
    ({ day }) => day,
  )

export const budgetQuestions = [budgetSpend, budgetCharges]
