/**
 * Who used a cluster in one whole hour, by what kube-state-metrics (v2) and the kubelet told Prometheus of it. What is not there is not
 * made up: it is named in `missing`.
 */
import { hourMs } from '#engine/value/day.ts'
import type { Provider } from '#streams/names.ts'
import type { KubernetesUsage } from '#streams/kubernetes/messages.ts'
import { HourBook } from './hour-series.ts'
import { claimsIn } from './claim.ts'
import { nodesIn } from './node.ts'
import { podsIn } from './pod.ts'
import type { ReadSeries } from './series.ts'

/** Which cluster the series are of. */
export interface ReadCluster {
  clusterUid: string
  clusterName?: string
  provider?: Provider
}

export interface ReadHour {
  /** Undefined for an hour of which no node is known: a gap. */
  usage: KubernetesUsage | undefined
  /** Names of series that should be there and are not, in order. */
  missing: string[]
}

/** `from`: the begin of the hour, milliseconds since 1970. @throws what `read` throws */
export async function readHour(read: ReadSeries, cluster: ReadCluster, from: number): Promise<ReadHour> {
  const book = new HourBook(read, { from, to: from + hourMs })
  const nodes = await nodesIn(book)
  if (nodes.length === 0) return { usage: undefined, missing: book.missing }
  const pods = await podsIn(book)
  const claims = await claimsIn(book, pods)
  const usage: KubernetesUsage = {
    ...cluster,
    from: new Date(from).toISOString(),
    seconds: 3600,
    nodes,
    pods,
    ...(claims.length > 0 && { claims }),
  }
  return { usage, missing: book.missing }
}
