/** Who uses the clusters of a subscription. */
import { Fault } from '#engine/value/fault.ts'
import { isCredentialsRefused, type CloudAccount } from '#streams/cloud/connector.ts'
import { balancedBy, clusterUsage, type BalancerFinder } from '#streams/cloud/kubernetes/usage/cluster-usage.ts'
import { listOf, memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { mergeConcurrently } from '#streams/cloud/bill/merge.ts'
import type { KubernetesUsage } from '#streams/kubernetes/messages.ts'
import { intervalBefore, type Interval } from '#streams/kubernetes/interval.ts'
import { partsOf } from '#streams/kubernetes/split-usage.ts'
import { apiOf, type, type ClusterOptions } from './cluster.ts'
import { clusterVersion } from '#streams/cloud/azure/discover/kubernetes.ts'
import { networkVersion } from '#streams/cloud/azure/discover/index.ts'
import { regionOf } from '#streams/cloud/azure/map/resource.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import { uidOf } from '#streams/cloud/azure/session/path.ts'
import type { AzureSession, Item } from '#streams/cloud/azure/session/session.ts'

const clustersAtOnce = 4
/** Of one cluster: what takes longer is a gap. */
const clusterMs = 120_000

interface UsageRequest {
  options: ClusterOptions
  account: CloudAccount
  interval: Interval
  signal: AbortSignal | undefined
}

/** @throws only what the credentials of the account were refused with, faults of ours, and the abort of the signal */
export async function* azureUsage(
  options: ClusterOptions,
  account: CloudAccount,
  at: Date,
  signal?: AbortSignal,
): AsyncGenerator<KubernetesUsage> {
  const asked: UsageRequest = { options, account, interval: intervalBefore(at), signal }
  const found = await clustersOf(asked)
  yield* mergeConcurrently(
    found.map((one) => ofCluster(asked, one)),
    clustersAtOnce,
  )
}

async function* ofCluster(asked: UsageRequest, found: Item): AsyncGenerator<KubernetesUsage> {
  const { signal } = asked
  const late = AbortSignal.timeout(clusterMs)
  let usage: KubernetesUsage | undefined
  try {
    usage = await usageOf(asked, found, signal ? AbortSignal.any([signal, late]) : late)
  } catch (error) {
    signal?.throwIfAborted()
    if (!late.aborted && !isGap(error)) throw error
  }
  if (usage) yield* partsOf(usage)
}

const isGap = (error: unknown): boolean => error instanceof Fault && !isCredentialsRefused(error)

async function usageOf({ options, account, interval }: UsageRequest, cluster: Item, signal: AbortSignal) {
  const session = openAzure(account, options, signal)
  const api = await apiOf(session, cluster.id, options)
  const about = { uid: uidOf(cluster.id), type, region: regionOf(textAt(cluster, 'location')) }
  return clusterUsage(api, about, interval, balancersIn(session, cluster))
}

/** Those that run, in the regions of the account. One that may not be listed has none. */
async function clustersOf({ options, account, signal }: UsageRequest): Promise<Item[]> {
  const session = openAzure(account, options, signal)
  const regions = account.regions.map(regionOf)
  const call = {
    path: session.path('/providers/Microsoft.ContainerService/managedClusters'),
    query: { 'api-version': clusterVersion },
  }
  try {
    const all = (await Array.fromAsync(session.pages(call))).flat()
    return all.filter(
      (one) =>
        textAt(one, 'properties', 'powerState', 'code') !== 'Stopped' &&
        (regions.length === 0 || regions.includes(regionOf(textAt(one, 'location')))),
    )
  } catch (error) {
    if (!isGap(error)) throw error
    return []
  }
}

/** By the address that the balancer answers at, inside or outside; asked once, where a service has one. */
function balancersIn(session: AzureSession, cluster: Item): BalancerFinder {
  let known: Promise<ReadonlyMap<string, string>> | undefined
  return balancedBy(async (host) => (await (known ??= addressesOf(session, cluster))).get(host))
}

async function addressesOf(session: AzureSession, cluster: Item): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const group = textAt(cluster, 'properties', 'nodeResourceGroup')
  if (group === undefined) return found
  const list = (kind: string) =>
    session.pages({
      path: session.path(`/resourceGroups/${encodeURIComponent(group)}/providers/Microsoft.Network/${kind}`),
      query: { 'api-version': networkVersion },
    })
  for await (const page of list('loadBalancers'))
    for (const one of page)
      for (const front of listOf(memberOf(one, 'properties', 'frontendIPConfigurations'))) {
        const inside = textAt(front, 'properties', 'privateIPAddress')
        if (inside !== undefined) found.set(inside, uidOf(one.id))
      }
  for await (const page of list('publicIPAddresses'))
    for (const one of page) {
      const [address, front] = [
        textAt(one, 'properties', 'ipAddress'),
        textAt(one, 'properties', 'ipConfiguration', 'id'),
      ]
      const balancer = /^(.*\/loadBalancers\/[^/]+)\//i.exec(front ?? '')?.[1]
      if (address !== undefined && balancer !== undefined) found.set(address, uidOf(balancer))
    }
  return found
}
