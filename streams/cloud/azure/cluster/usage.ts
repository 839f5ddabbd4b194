/** Collects the usage of a subscription's clusters. */
import { balancedBy, clusterUsage, type BalancerFinder } from '#streams/cloud/kubernetes/usage/cluster-usage.ts'
import { listOf, memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { accountUsage, isGap, type UsageRequest } from '#streams/cloud/kubernetes/usage/account-usage.ts'
import { apiOf, type, type ClusterOptions } from './cluster.ts'
import { clusterVersion } from '#streams/cloud/azure/discover/kubernetes.ts'
import { networkVersion } from '#streams/cloud/azure/discover/index.ts'
import { regionOf } from '#streams/cloud/azure/map/resource.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import { uidOf } from '#streams/cloud/azure/session/path.ts'
import type { AzureSession, Item } from '#streams/cloud/azure/session/session.ts'

async function usageOf(
  { options, account, interval }: UsageRequest<ClusterOptions>,
  cluster: Item,
  signal: AbortSignal,
) {
  const session = openAzure(account, options, signal)
  const api = await apiOf(session, cluster.id, options)
  const about = { uid: uidOf(cluster.id), type, region: regionOf(textAt(cluster, 'location')) }
  return clusterUsage(api, about, interval, balancersIn(session, cluster))
}

/** Running clusters in the account's regions; none if they may not be listed. */
async function clustersOf({ options, account, signal }: UsageRequest<ClusterOptions>): Promise<Item[]> {
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

/** Finds load balancers by public or internal address. Their list is only requested if a service has one. */
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

export const azureUsage = accountUsage({ clustersOf, usageOf })
