/**
 * Shared costs: what rules distribute, and to which teams. Rules and shares are queried first and sent with the actual
 * query, whose text is then a tenth of the length; if they are too many for that, views find them.
 */
import { TupleParam } from '@clickhouse/client'
import { questions, type Query } from '#analytics/store/query.ts'
import { costColumns } from '#analytics/store/slice.ts'
import { monthOf, monthsBetween } from '#engine/value/day.ts'
import { toUnits } from '#engine/value/decimal.ts'
import { t, type Static, type TObject } from '#engine/value/schema.ts'

const query = questions(import.meta.url)

/** Facts of lines that costs are only separated by if a rule reads them. */
const accountFacts: ReadonlySet<string> = new Set(['line.billing_account', 'line.sub_account'])

const texts = t.Array(t.String())
const money = t.String({ description: 'US dollars, exact' })
const flag = t.Integer({ minimum: 0, maximum: 1 })
const days = { org: t.String(), from: t.String(), to: t.String() }
const january = { org: 'o1', from: '2026-01-01', to: '2026-01-31' }

/**
 * What a rule for shared costs would select, and the cost it would compare. `selected` is 0 or 1; `policy_id` is empty
 * if no rule selects it now.
 */
export const sharedCostPreview = query(
  'shared_cost_preview',
  t.Object({
    org: t.String(),
    cost: t.Enum(costColumns),
    basis: t.Enum(costColumns),
    from: t.String(),
    to: t.String(),
    since: t.String(),
    facts: texts,
    keys: texts,
    operators: texts,
    alternatives: t.Array(texts),
  }),
  t.Object({
    period: t.String(),
    team_id: t.String(),
    policy_id: t.String(),
    selected: flag,
    basis_usd: money,
    ranged_usd: money,
  }),
  {
    org: 'o1',
    cost: 'billed_cost',
    basis: 'billed_cost',
    from: '2026-01-01',
    to: '2026-01-31',
    since: '2026-01-02',
    facts: ['line.service', 'res.tags'],
    keys: ['', 'env'],
    operators: ['equals', 'exists'],
    alternatives: [['support'], []],
  },
  { needs: ['charges', 'team_id', 'resource_uid', 'billing_account'] },
)

/**
 * The rules that count in a range, and the stored shares of its closed months. `period` is 202601 for January 2026, 0
 * for open months.
 */
export const sharedCostRules = query(
  'shared_cost_rules',
  t.Object(days),
  t.Object({
    closed: t.Array(t.Integer()),
    teams: texts,
    rules: t.Array(
      t.Object({
        period: t.Integer(),
        policy_id: t.String(),
        facts: texts,
        tag_keys: texts,
        operators: texts,
        values: t.Array(texts),
        method: t.String(),
        basis: t.String(),
        among: texts,
        teams: texts,
        weights: t.Array(t.Integer()),
      }),
    ),
    kept: t.Array(t.Object({ period: t.Integer(), policy_id: t.String(), team_id: t.String(), weight: t.String() })),
  }),
  january,
)

/** Direct costs of each team in each whole month that the range touches. `period` is 202601 for January 2026. */
export const directCosts = query(
  'direct_costs',
  t.Object({ ...days, as_of: t.String() }),
  t.Object({
    period: t.Integer(),
    team_id: t.String(),
    billed_cost: money,
    effective_cost: money,
    contracted_cost: money,
    list_cost: money,
  }),
  { ...january, as_of: '' },
  { needs: ['charges', 'team_id', 'resource_uid'] },
)

/** Workloads and namespaces that have a team of their own. */
const teamedOwners = query(
  'teamed_owners',
  t.Object({ ...days, clusters: texts, limit: t.Integer({ minimum: 1 }) }),
  t.Object({ period: t.Integer(), cloud_account_id: t.String(), resource_uid: t.String() }),
  { ...january, clusters: ['c1'], limit: 1000 },
)

export const sharingQuestions = [sharedCostPreview, sharedCostRules, directCosts, teamedOwners]

/** With more rows, or more characters, a view finds them. */
const ownersMax = 1000

/**
 * What must be sent with a query by team so that cluster costs go to the teams of workloads and namespaces; empty if
 * these are too many. Undefined if none of them has a team: all costs then belong to the teams of machines.
 */
export async function ownersFor(
  ask: QueryRunner,
  asked: { org: string; from: string; to: string },
  clusters: readonly string[],
): Promise<Record<string, unknown> | undefined> {
  const rows = await ask(teamedOwners, { ...asked, clusters: [...clusters], limit: ownersMax + 1 })
  if (rows.length === 0) return undefined
  const isLong = rows.reduce((sum, row) => sum + row.resource_uid.length + 60, 0) > broughtMax
  if (rows.length > ownersMax || isLong) return {}
  // One that matches nothing, because an empty list would not be sent.
  const all = [{ period: 0, cloud_account_id: '', resource_uid: '-' }, ...rows]
  return { owners: all.map((row) => new TupleParam([row.period, row.cloud_account_id, row.resource_uid])) }
}

type Rules = Static<(typeof sharedCostRules)['row']>
type Rule = Rules['rules'][number]
type Direct = Static<(typeof directCosts)['row']>
type Weights = ReadonlyMap<string, bigint>

/** Queries ClickHouse; parameters that are not in the schema are sent too. */
export type QueryRunner = <P extends TObject, R extends TObject>(
  q: Query<P, R>,
  params: Static<P> & Readonly<Record<string, unknown>>,
) => Promise<readonly Readonly<Static<R>>[]>

interface SharedCostRange {
  readonly org: string
  readonly from: string
  readonly to: string
  readonly as_of: string
  readonly allocated: number
  readonly open_months: number
  readonly divided: number
  readonly owners?: unknown
}

/** Maximum characters to send: a server accepts 128 KiB per parameter, and escapes may double them. */
const broughtMax = 100_000

/** What must be sent with a query about a range to distribute shared costs in it. */
export async function broughtFor(
  ask: QueryRunner,
  { org, from, to, as_of, allocated, open_months, divided, owners }: SharedCostRange,
): Promise<Record<string, unknown>> {
  const [known] = await ask(sharedCostRules, { org, from, to })
  const { closed, rules } = known!
  if (rules.length === 0) return {}
  const months = monthsOf(from, to)
  const rule_keys = rules.flatMap((rule) => rule.tag_keys).filter((key) => key !== '')
  const rule_accounts = Number(rules.some((rule) => rule.facts.some((fact) => accountFacts.has(fact))))
  const lines = { given: 1, shared: 1, closed, rules: rules.map(ruleParam), rule_keys, rule_accounts }
  if (JSON.stringify(rules).length > broughtMax) return { shared: 1, rule_keys, rule_accounts }
  const isAsked = rules.some((rule) => rule.period === 0 && rule.method === 'proportional')
  const isOpen = months.some((month) => !closed.includes(month))
  const direct =
    isAsked && isOpen
      ? await ask(directCosts, { org, from, to, as_of, allocated, open_months, divided, owners, ...lines })
      : []
  const byMonth = Map.groupBy(direct, ({ period }) => period)
  const shares = months.flatMap((month) =>
    [...sharesOf(month, known!, byMonth.get(month) ?? [])].map(
      ([policy, weights]) => [month, policy, weights] as const,
    ),
  )
  const size = shares.reduce((sum, [, , weights]) => sum + 60 * weights.size, 0)
  if (size > broughtMax) return { shared: 1, rule_keys, rule_accounts }
  return { ...lines, shares: shares.map(shareParam) }
}

const ruleParam = ({ period, policy_id, facts, tag_keys, operators, values }: Rule) =>
  new TupleParam([
    period,
    policy_id,
    facts.map((fact, at) => new TupleParam([fact, tag_keys[at]!, operators[at]!, values[at]!])),
  ])

const shareParam = ([month, policy, weights]: readonly [number, string, Weights]) =>
  new TupleParam([month, policy, [...weights.keys()], [...weights.values()]])

/** The months that a range of days touches, as 202601. */
const monthsOf = (from: string, to: string): number[] =>
  monthsBetween(monthOf(from), monthOf(to)).map((month) => Number(month.replace('-', '')))

/**
 * The weights of teams by rule in a month with these direct costs, in order of the teams; rules without any team are
 * left out.
 */
function sharesOf(month: number, known: Rules, direct: readonly Direct[]): Map<string, Weights> {
  const found = new Map<string, Map<string, bigint>>()
  const add = (policy: string, team: string, weight: bigint) => {
    if (weight <= 0n) return
    const weights = found.get(policy) ?? new Map<string, bigint>()
    weights.set(team, (weights.get(team) ?? 0n) + weight)
    found.set(policy, weights)
  }
  if (known.closed.includes(month)) {
    for (const one of known.kept) if (one.period === month) add(one.policy_id, one.team_id, BigInt(one.weight))
  } else {
    for (const rule of known.rules.filter(({ period }) => period === 0))
      for (const [team, weight] of openWeights(rule, known.teams, direct)) add(rule.policy_id, team, weight)
  }
  const ordered = (weights: Weights): Weights =>
    new Map([...weights].toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
  return new Map([...found].map(([policy, weights]) => [policy, ordered(weights)]))
}

/** The teams with a part in an open month and their weights, which may be 0. */
export function openWeights(
  { method, basis, among, teams, weights }: Pick<Rule, 'method' | 'basis' | 'among' | 'teams' | 'weights'>,
  live: readonly string[],
  direct: readonly Direct[],
): (readonly [team: string, weight: bigint])[] {
  const isMeant = (team: string) => among.length === 0 || among.includes(team)
  if (method === 'fixed')
    return teams.map((team, at) => [live.includes(team) ? team : 'unassigned', BigInt(weights[at]!)])
  if (method === 'even') return live.filter(isMeant).map((team) => [team, 1n])
  return direct
    .filter(({ team_id: team }) => isMeant(team))
    .map((row) => [row.team_id, toUnits(row[basis as (typeof costColumns)[number]], 14) ?? 0n])
}
