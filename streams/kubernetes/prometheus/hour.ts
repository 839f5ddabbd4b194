/**
 * Usage of a cluster in one whole hour, from kube-state-metrics (v2) and kubelet data in Prometheus. Missing data is
 * not estimated; it is listed in `missing`.
 */
import { hourMs } from '#engine/value/day.ts'
import type { Provider } from '#streams/names.ts'
import type { KubernetesUsage } from '#streams/kubernetes/messages.ts'
import { HourBook } from './hour-series.ts'
import { claimsIn } from './claim.ts'
import { nodesIn } from './node.ts'
import { podsIn } from './pod.ts'
import type { ReadSeries } from './series.ts'

/** The cluster of the series. */
export interface ReadCluster {
  clusterUid: string
  clusterName?: string
  provider?: Provider
}

export interface ReadHour {
  /** Undefined if no node is known for the hour: a gap. */
  usage: KubernetesUsage | undefined
  /** Names of required series that do not exist, sorted. */
  missing: string[]
}

/** `from` is the beginning of the hour, milliseconds since 1970. @throws errors of `read` */
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
