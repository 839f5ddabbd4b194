/**
 * Whether rules attribute the costs of an organization, and whether costs of clusters are divided. Organizations
 * without rules or clusters get shorter queries.
 */
import { broughtFor, ownersFor, type QueryRunner } from '#analytics/attribution/sharing.ts'
import type { Query } from '#analytics/store/query.ts'
import { findServiceNames } from '#analytics/attribution/service-name.ts'
import { findSpellings } from '#analytics/tagging/spelling.ts'
import { addMonths, firstOf, lastOf, monthOf } from '#engine/value/day.ts'
import type { Reads } from '#engine/actor/ports.ts'

const sql = `
  select coalesce(c.allocated, false) as allocated, coalesce(c.shared, false) as shared,
    exists (select from snapshot where org_id = $1 and period between $2 and $3) as closed
  from (values ($1::text)) as one (org_id) left join attribution_clock c on c.org_id = one.org_id`
const azureSql = `select exists (select from cloud_account where org_id = $1 and provider = 'azure') as azure`
const clustersSql = 'select uid from kubernetes_cluster where org_id = $1'
/** Facts that differ between a workload and the machine it runs on. */
const beyondTeams = ['labels', 'tags', 'owned', 'clustered', 'carried']
const dividing = ['team', ...beyondTeams]

interface Tools {
  reads: Pick<Reads, 'rows'>
  ask: QueryRunner
}

interface RuleParams {
  org?: string
  from?: string
  prev_from?: string
  to?: string
  as_of?: string
}

/**
 * Completes the parameters of a query that needs owners of costs. It sets: whether all of its months are open; whether
 * there are or were rules that assign resources to teams; what distributes shared costs; whether costs of clusters are
 * divided among workloads, which have teams and tags of their own; `plain`, if none of these apply; `months`, if sums
 * of months may answer it; and how tag keys of Azure and services are shown. Closed months keep the results of rules
 * that have been deleted since.
 */
export async function withRules<P extends object>(
  tools: Tools,
  { factsFor, isByMonth }: Pick<Query, 'factsFor' | 'isByMonth'>,
  params: P,
): Promise<P> {
  const asked = params as RuleParams
  const facts = factsFor(params as Readonly<Record<string, unknown>>)
  const divided = dividing.some((fact) => facts.includes(fact)) ? await dividedBy(tools, asked, facts) : {}
  const isWhole = !('divided' in divided)
  const sooner = {
    plain: Number(isWhole && isAsNow(params)),
    months: Number(isWhole && isByMonth(params as Readonly<Record<string, unknown>>) && hasMonths(asked, facts)),
  }
  const spelled = facts.includes('line_tags') ? await spelledBy(tools, asked) : {}
  const served = facts.includes('served') && asked.org !== undefined ? await findServiceNames(tools.ask, asked.org) : {}
  const teams = facts.includes('team') ? await readAttribution(tools, params, divided, sooner) : sooner
  return { ...params, ...divided, ...teams, ...spelled, ...served }
}

/**
 * Reads what determines the owners of costs. Shared costs are queried line by line and divided day by day: divided by
 * month, the last decimals would differ.
 */
async function readAttribution(
  { reads, ask }: Tools,
  params: object,
  divided: object,
  { plain, months }: { plain: number; months: number },
): Promise<object> {
  const asked = params as RuleParams
  const [{ allocated, shared, closed } = noRules] = await reads.rows<AttributionState>(sql, [
    asked.org,
    ...monthsIn(params),
  ])
  const flags = { allocated: Number(allocated), open_months: Number(!closed) }
  if (!shared) return { ...flags, plain: closed ? 0 : plain, months }
  const range = rangeOf(asked)
  const brought = range && (await broughtFor(ask, { divided: 0, ...range, ...asOf(asked), ...flags, ...divided }))
  return { ...flags, ...(brought ?? { plain: 0 }) }
}

/**
 * Whether the range contains two whole months, and the query asks for current figures and not for lines of each day.
 * For a single month, checking whether its sum is valid costs about as much as it saves.
 */
function hasMonths({ from, to, as_of }: RuleParams, facts: readonly string[]): boolean {
  if (as_of !== '' || from === undefined || to === undefined || facts.includes('invoice')) return false
  const month = monthOf(from)
  return lastOf(addMonths(month, firstOf(month) === from ? 1 : 2)) <= to
}

const asOf = ({ as_of = '' }: RuleParams) => ({ as_of })

/** For current figures, not narrowed by tags: see the view resource_sums. */
const isAsNow = (params: object): boolean => {
  const { as_of, tag_keys } = params as { as_of?: string; tag_keys?: readonly string[] }
  return as_of === '' && tag_keys?.length === 0
}

interface AttributionState {
  allocated: boolean
  shared: boolean
  /** Whether any month of the range is closed. */
  closed: boolean
}

/** If PostgreSQL has no row, assume that there are closed months. */
const noRules: AttributionState = { allocated: false, shared: false, closed: true }

const day = /^\d{4}-\d{2}-\d{2}$/

/** The first and last month of all days among the parameters; all months if there are none. */
function monthsIn(params: object): [first: string, last: string] {
  const months = Object.values(params)
    .flatMap((value) => (typeof value === 'string' && day.test(value) ? [value.slice(0, 7)] : []))
    .toSorted()
  return [months[0] ?? '0000-00', months.at(-1) ?? '9999-99']
}

/** For a comparison the range also contains the days before. */
function rangeOf({ org, from, prev_from: since = from, to }: RuleParams) {
  return org === undefined || since === undefined || to === undefined ? undefined : { org, from: since, to }
}

/** How tag keys of Azure are shown, if the organization has an Azure account. */
async function spelledBy({ reads, ask }: Tools, { org }: RuleParams): Promise<object> {
  if (org === undefined) return {}
  const [row] = await reads.rows<{ azure: boolean }>(azureSql, [org])
  return row?.azure ? findSpellings(ask, org) : {}
}

/** How costs of clusters are divided, if the organization has clusters and it makes a difference. */
async function dividedBy({ reads, ask }: Tools, asked: RuleParams, facts: readonly string[]) {
  const clusters = await reads.rows<{ uid: string }>(clustersSql, [asked.org])
  if (clusters.length === 0) return {}
  const range = facts.includes('team') ? rangeOf(asked) : undefined
  if (range === undefined) return { divided: 1 }
  const owners = await ownersFor(
    ask,
    range,
    clusters.map(({ uid }) => uid),
  )
  if (owners) return { divided: 1, ...owners }
  return facts.some((fact) => beyondTeams.includes(fact)) ? { divided: 1 } : {}
}
