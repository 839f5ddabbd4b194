/** Whether the costs of an organization are attributed by rules, and those of clusters divided: what has none is asked shorter questions. */
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
/** What is another of a part of a cluster than of the machine. */
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
 * The parameters of a question with what they leave unsaid, where it asks whose costs are: whether all of its months are open,
 * whether there are or were rules that give resources a team, and what hands shared costs out; whether costs of clusters are divided
 * among workloads, which have teams and tags of their own; whether it is `plain`, with nothing of all that; whether sums of
 * `months` may answer it; and how tag keys of Azure and services are shown. Closed months keep what rules said that are gone.
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

/** What decides whose costs are; costs that are shared out are asked for line by line, and cut day by day: cut by month, the last decimals would be others. */
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
 * Whether two months lie in the range as wholes, of what is asked as reports show it now, and not of the lines of each day. Of one,
 * looking whether it may be taken costs about what it saves.
 */
function hasMonths({ from, to, as_of }: RuleParams, facts: readonly string[]): boolean {
  if (as_of !== '' || from === undefined || to === undefined || facts.includes('invoice')) return false
  const month = monthOf(from)
  return lastOf(addMonths(month, firstOf(month) === from ? 1 : 2)) <= to
}

const asOf = ({ as_of = '' }: RuleParams) => ({ as_of })

/** Of no earlier time, and not narrowed by tags: see the view resource_sums. */
const isAsNow = (params: object): boolean => {
  const { as_of, tag_keys } = params as { as_of?: string; tag_keys?: readonly string[] }
  return as_of === '' && tag_keys?.length === 0
}

interface AttributionState {
  allocated: boolean
  shared: boolean
  /** Whether any month of the range is. */
  closed: boolean
}

/** Where PostgreSQL says nothing: closed months are asked for. */
const noRules: AttributionState = { allocated: false, shared: false, closed: true }

const day = /^\d{4}-\d{2}-\d{2}$/

/** The first and the last month that a question names a day of, whatever for; of one without, all there may be. */
function monthsIn(params: object): [first: string, last: string] {
  const months = Object.values(params)
    .flatMap((value) => (typeof value === 'string' && day.test(value) ? [value.slice(0, 7)] : []))
    .toSorted()
  return [months[0] ?? '0000-00', months.at(-1) ?? '9999-99']
}

/** A question that compares brings along what counts in the days before, too. */
function rangeOf({ org, from, prev_from: since = from, to }: RuleParams) {
  return org === undefined || since === undefined || to === undefined ? undefined : { org, from: since, to }
}

/** How tag keys of Azure are shown, of an organization that has any account there. */
async function spelledBy({ reads, ask }: Tools, { org }: RuleParams): Promise<object> {
  if (org === undefined) return {}
  const [row] = await reads.rows<{ azure: boolean }>(azureSql, [org])
  return row?.azure ? findSpellings(ask, org) : {}
}

/** How costs of clusters are divided, of an organization that has any, and where it makes a difference. */
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
