/** The use of all clusters of a cloud account, a few at once, the same for all clouds. */
import { Fault } from '#engine/value/fault.ts'
import { isCredentialsRefused, type CloudAccount } from '#streams/cloud/connector.ts'
import { mergeConcurrently } from '#streams/cloud/bill/merge.ts'
import type { KubernetesUsage } from '#streams/kubernetes/messages.ts'
import { intervalBefore, type Interval } from '#streams/kubernetes/interval.ts'
import { partsOf } from '#streams/kubernetes/split-usage.ts'

const clustersAtOnce = 4
/** Milliseconds of one cluster: one that takes longer is left out. */
const clusterMs = 120_000

export interface UsageRequest<O> {
  options: O
  account: CloudAccount
  interval: Interval
  signal: AbortSignal | undefined
}

/** How one cloud lists its clusters, and opens one. */
export interface ClusterSource<O, C> {
  /** None if they may not be listed. */
  clustersOf: (request: UsageRequest<O>) => Promise<readonly C[]>
  /** Undefined if the cluster cannot be reached. */
  usageOf: (request: UsageRequest<O>, cluster: C, signal: AbortSignal) => Promise<KubernetesUsage | undefined>
}

/** Whether only what was asked for is missing, and the account can still be asked. */
export const isGap = (error: unknown): boolean => error instanceof Fault && !isCredentialsRefused(error)

/** @throws only refused credentials of the account, internal faults, and the abort of the signal */
export const accountUsage = <O, C>(source: ClusterSource<O, C>) =>
  async function* (options: O, account: CloudAccount, at: Date, signal?: AbortSignal): AsyncGenerator<KubernetesUsage> {
    const request: UsageRequest<O> = { options, account, interval: intervalBefore(at), signal }
    const clusters = await source.clustersOf(request)
    yield* mergeConcurrently(
      clusters.map((one) => ofCluster(source, request, one)),
      clustersAtOnce,
    )
  }

async function* ofCluster<O, C>(
  source: ClusterSource<O, C>,
  request: UsageRequest<O>,
  cluster: C,
): AsyncGenerator<KubernetesUsage> {
  const { signal } = request
  const late = AbortSignal.timeout(clusterMs)
  let usage: KubernetesUsage | undefined
  try {
    usage = await source.usageOf(request, cluster, signal ? AbortSignal.any([signal, late]) : late)
  } catch (error) {
    signal?.throwIfAborted()
    if (!late.aborted && !isGap(error)) throw error
  }
  if (usage) yield* partsOf(usage)
}
