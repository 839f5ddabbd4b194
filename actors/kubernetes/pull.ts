/**
 * The hourly job that reads the usage of clusters from Prometheus servers. It reads hour by hour from where each source
 * ended, and publishes whole hours as a producer would. An hour that is read again replaces itself.
 */
import type { Tools } from '#actors/tools.ts'
import type { JobWork } from '#actors/tools.ts'
import { dayMs, hourMs } from '#engine/value/day.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { credentialsSealed } from '#actors/account/connection/credentials.ts'
import { credentialsOf as ownCredentialsOf, isOwnCluster } from '#streams/cloud/kubernetes/own/account.ts'
import { withPriceByType } from '#streams/cloud/kubernetes/own/price.ts'
import { sourceRead, type KubernetesUsage } from '#streams/kubernetes/messages.ts'
import { partsOf } from '#streams/kubernetes/split-usage.ts'
import { readHour, type ReadCluster } from '#streams/kubernetes/prometheus/hour.ts'
import { seriesReader } from '#streams/kubernetes/prometheus/reader.ts'
import { matcherOf, type ReadSeries } from '#streams/kubernetes/prometheus/series.ts'
import { timeThere, type PrometheusServer } from '#streams/kubernetes/prometheus/server.ts'
import { bridgeMs } from '#streams/kubernetes/prometheus/time-span.ts'
import type { Provider } from '#streams/names.ts'
import { publishUsage } from './collect.ts'
import { headersSealed } from './source.ts'

export type PullTools = Pick<Tools, 'reads' | 'publisher' | 'open' | 'allowPrivate'>

/** Days that the first read goes back. Below: the maximum after a pause. */
const firstDays = 2
const backMaxDays = 14
/** Sources read at once, so that one without an answer does not delay the others. */
const sourcesAtOnce = 4

interface SourceRow {
  id: string
  cloud_account_id: string
  cluster_uid: string
  cluster_name: string | null
  provider: Provider | null
  url: string
  headers: string | null
  matchers: string[]
  external_id: string
  credentials: string | null
  reading_id: string
  through: Date | null
  failure: string | null
}

const sourcesSql = `
  select s.id::text as id, s.cloud_account_id, s.cluster_uid, s.cluster_name, s.provider, s.url, s.headers, s.matchers,
    s.reading_id::text as reading_id, r.through, r.failure, a.external_id, a.credentials
  from kubernetes_source s
  join cloud_account a on a.org_id = s.org_id and a.id = s.cloud_account_id and a.status not in ('deleted', 'disabled')
  left join kubernetes_source_state r on r.org_id = s.org_id and r.source_id = s.id::text and r.reading_id = s.reading_id::text
  where s.org_id = $1 and s.enabled order by s.id`

/** A source that cannot be read now continues where it ended the next time. */
export const kubernetesPullJob =
  (tools: PullTools): JobWork =>
  async (_, call) => {
    const sources = await tools.reads.rows<SourceRow>(sourcesSql, [call.orgId])
    await mapConcurrently(sources, sourcesAtOnce, async (source) => {
      try {
        await readSource(tools, source, call)
      } catch (error) {
        call.signal.throwIfAborted()
        if (!(error instanceof Fault) || error.kind === 'defect') throw error
        await publishOutcome(tools, source, call, 'failed', { failure: error.message })
      }
    })
  }

async function readSource(tools: PullTools, source: SourceRow, call: EffectCall): Promise<void> {
  const server = serverOf(tools, source, call)
  const matchers = source.matchers.flatMap((one) => matcherOf(one) ?? [])
  const read = seriesReader(server, matchers)
  // The end of an hour is certain once its last samples can have successors.
  const until = Math.floor(((await timeThere(server)) - bridgeMs) / hourMs) * hourMs
  const begin = source.through
    ? Math.max(source.through.getTime(), until - backMaxDays * dayMs)
    : until - firstDays * dayMs
  for (let from = begin; from < until; from += hourMs) {
    await readOne(tools, source, call, { read, from })
    call.signal.throwIfAborted()
  }
  if (begin >= until && source.failure !== null) await publishOutcome(tools, source, call, 'nothing', { failure: null })
}

function serverOf(
  { open, allowPrivate }: PullTools,
  { id, url, headers }: SourceRow,
  call: EffectCall,
): PrometheusServer {
  return {
    url,
    headers: headers === null ? {} : (open(headersSealed, call.orgId, headers) as Record<string, string>),
    allowPrivate,
    keep: `kubernetes-source ${id}`,
    signal: call.signal,
  }
}

/** Reads one hour. Its usage is durable in the stream before the source is recorded as read up to there. */
async function readOne(
  tools: PullTools,
  source: SourceRow,
  call: EffectCall,
  { read, from }: { read: ReadSeries; from: number },
): Promise<void> {
  const { usage, missing } = await readHour(read, clusterOf(source), from)
  const at = new Date(from).toISOString()
  const place = { orgId: call.orgId, id: source.cloud_account_id }
  let parts = 0
  for (const part of usage ? partsOf(priced(tools, source, usage, call)) : [])
    await publishUsage(tools, place, part, uuidOf('kubernetes-pull', source.id, call.key, at, `${parts++}`))
  await publishOutcome(tools, source, call, at, {
    through: new Date(from + hourMs).toISOString(),
    failure: null,
    ...(missing.length > 0 && { gap: { from: at, series: missing } }),
  })
}

/** With the prices that are set for a cluster without a cloud account. */
function priced(
  { open }: PullTools,
  source: SourceRow,
  usage: KubernetesUsage,
  { orgId }: EffectCall,
): KubernetesUsage {
  const { external_id: externalId, credentials } = source
  if (credentials === null || !isOwnCluster({ externalId })) return usage
  const { prices = {} } = ownCredentialsOf({ credentials: open(credentialsSealed, orgId, credentials) })
  return { ...usage, ...(usage.nodes && { nodes: usage.nodes.map((node) => withPriceByType(prices, node)) }) }
}

const clusterOf = ({ cluster_uid: clusterUid, cluster_name: clusterName, provider }: SourceRow): ReadCluster => ({
  clusterUid,
  ...(clusterName !== null && { clusterName }),
  ...(provider !== null && { provider }),
})

interface Outcome {
  through?: string
  gap?: { from: string; series: string[] }
  failure: string | null
}

async function publishOutcome(
  { publisher }: PullTools,
  { id: sourceId, reading_id: readingId }: SourceRow,
  { orgId, key, attempt }: EffectCall,
  what: string,
  outcome: Outcome,
): Promise<void> {
  const data = { sourceId, readingId, ...outcome }
  await publisher.publish({ subject: sourceRead, orgId, data, id: `${key}/${attempt}/${sourceId}/${what}` })
}
