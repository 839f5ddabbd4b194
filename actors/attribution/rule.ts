/** Whether the costs of an organization are attributed by rules, and those of clusters divided: what has none is asked shorter questions. */
import { broughtFor, type Asking } from '#analytics/attribution/sharing.ts'
import type { Query } from '#analytics/store/query.ts'
import type { Reads } from '#engine/ports.ts'

const sql = 'select allocated, shared from attribution_clock where org_id = $1'
const clustersSql = 'select 1 from kubernetes_cluster where org_id = $1 limit 1'
/** What is another of a part of a cluster than of the machine. */
const dividing = ['team', 'labels', 'tags', 'owned', 'divided']

/**
 * The parameters of a question with what they leave unsaid, where it asks whose costs are: whether there are or were rules that
 * give resources a team, and what hands shared costs out; and whether costs of clusters
 * are divided among workloads, which have teams and tags of their own. Closed months keep what rules said that are gone.
 */
export async function withRules<P extends object>(
  { reads, ask }: { reads: Pick<Reads, 'rows'>; ask: Asking },
  { factsFor }: Pick<Query, 'factsFor'>,
  params: P,
): Promise<P> {
  const asked = params as { org?: string; from?: string; prev_from?: string; to?: string; as_of?: string }
  const facts = factsFor(params as Readonly<Record<string, unknown>>)
  const isDivided = await dividesClusters(reads, facts, asked.org)
  const divided = isDivided ? { ...params, divided: 1 } : params
  if (!facts.includes('team')) return divided
  const [row] = await reads.rows<{ allocated: boolean; shared: boolean }>(sql, [asked.org])
  const ruled = { ...divided, allocated: Number(row?.allocated ?? false) }
  // A question that compares brings along what counts in the days before, too.
  const { org, to, as_of = '', from, prev_from: since = from } = asked
  if (!row?.shared || org === undefined || since === undefined || to === undefined) return ruled
  return {
    ...ruled,
    ...(await broughtFor(ask, { org, from: since, to, as_of, allocated: ruled.allocated, divided: Number(isDivided) })),
  }
}

/** Whether the question asks what is another of a part of a cluster, of an organization that has any. */
const dividesClusters = async (
  reads: Pick<Reads, 'rows'>,
  facts: readonly string[],
  org: string | undefined,
): Promise<boolean> =>
  dividing.some((fact) => facts.includes(fact)) && (await reads.rows(clustersSql, [org])).length > 0
