/** Whether the costs of an organization are attributed by rules, and those of clusters divided: what has none is asked shorter questions. */
import { broughtFor, ownersFor, type Asking } from '#analytics/attribution/sharing.ts'
import type { Query } from '#analytics/store/query.ts'
import type { Reads } from '#engine/ports.ts'

const sql = 'select allocated, shared from attribution_clock where org_id = $1'
const clustersSql = 'select uid from kubernetes_cluster where org_id = $1'
/** What is another of a part of a cluster than of the machine. */
const beyondTeams = ['labels', 'tags', 'owned', 'clustered', 'carried']
const dividing = ['team', ...beyondTeams]

interface Tools {
  reads: Pick<Reads, 'rows'>
  ask: Asking
}

interface Asked {
  org?: string
  from?: string
  prev_from?: string
  to?: string
  as_of?: string
}

/**
 * The parameters of a question with what they leave unsaid, where it asks whose costs are: whether there are or were rules that
 * give resources a team, and what hands shared costs out; and whether costs of clusters are divided among workloads, which have
 * teams and tags of their own. Closed months keep what rules said that are gone.
 */
export async function withRules<P extends object>(
  tools: Tools,
  { factsFor }: Pick<Query, 'factsFor'>,
  params: P,
): Promise<P> {
  const asked = params as Asked
  const facts = factsFor(params as Readonly<Record<string, unknown>>)
  const ofTeams = facts.includes('team')
  const divided = dividing.some((fact) => facts.includes(fact)) ? await dividedBy(tools, asked, facts) : {}
  if (!ofTeams) return { ...params, ...divided }
  const [row] = await tools.reads.rows<{ allocated: boolean; shared: boolean }>(sql, [asked.org])
  const ruled = { ...params, ...divided, allocated: Number(row?.allocated ?? false) }
  const range = rangeOf(asked)
  if (!row?.shared || range === undefined) return ruled
  const { allocated } = ruled
  const brought = await broughtFor(tools.ask, { ...range, as_of: asked.as_of ?? '', allocated, divided: 0, ...divided })
  return { ...ruled, ...brought }
}

/** A question that compares brings along what counts in the days before, too. */
function rangeOf({ org, from, prev_from: since = from, to }: Asked) {
  return org === undefined || since === undefined || to === undefined ? undefined : { org, from: since, to }
}

/** How costs of clusters are divided, of an organization that has any, and where it makes a difference. */
async function dividedBy({ reads, ask }: Tools, asked: Asked, facts: readonly string[]) {
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
