/** Collects the usage of a project's clusters. */
import { balancedBy, clusterUsage, type BalancerFinder } from '#streams/cloud/kubernetes/usage/cluster-usage.ts'
import { accountUsage, isGap, type UsageRequest } from '#streams/cloud/kubernetes/usage/account-usage.ts'
import { aggregatedListOf, ForwardingRule } from '#streams/cloud/gcp/answer/compute.ts'
import { Clusters, type Cluster } from '#streams/cloud/gcp/answer/service.ts'
import { apiOf, type, type ClusterOptions } from './cluster.ts'
import { clusterUid } from '#streams/cloud/gcp/map/service.ts'
import { pathIn, regionIn, wide } from '#streams/cloud/gcp/resource-path.ts'
import { openGcp, type GcpSession } from '#streams/cloud/gcp/session/session.ts'

async function usageOf(
  { options, account, interval }: UsageRequest<ClusterOptions>,
  cluster: Cluster,
  signal: AbortSignal,
) {
  const session = openGcp(account, options, signal)
  const api = apiOf(session, cluster, options)
  if (!api) return undefined
  const about = { uid: clusterUid(session.project, cluster), type, region: regionIn(cluster.location ?? cluster.zone) }
  return clusterUsage(api, about, interval, balancersIn(session))
}

/** Empty if clusters may not be listed. */
async function clustersOf({ options, account, signal }: UsageRequest<ClusterOptions>): Promise<readonly Cluster[]> {
  const session = openGcp(account, options, signal)
  const path = `/projects/${session.project}/locations/-/clusters`
  try {
    const { clusters = [] } = await session.ask(
      { service: 'container', path, permission: 'container.clusters.list' },
      Clusters,
    )
    const { regions } = account
    return clusters.filter(
      ({ location, zone }) => regions.length === 0 || [...regions, ...wide].includes(regionIn(location ?? zone)),
    )
  } catch (error) {
    signal?.throwIfAborted()
    if (isGap(error)) return []
    throw error
  }
}

/** Finds load balancers by the address of a forwarding rule. Their list is only requested if a service has one. */
function balancersIn(session: GcpSession): BalancerFinder {
  let all: Promise<ReadonlyMap<string, string>> | undefined
  return balancedBy(async (host) => (await (all ??= rulesIn(session))).get(host))
}

async function rulesIn(session: GcpSession): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const pages = session.pages(
    {
      service: 'compute',
      path: `/projects/${session.project}/aggregated/forwardingRules`,
      query: { maxResults: 500, returnPartialSuccess: true },
      permission: 'compute.forwardingRules.list',
    },
    aggregatedListOf('forwardingRules', ForwardingRule),
  )
  for await (const { items = {} } of pages)
    for (const { forwardingRules = [] } of Object.values(items))
      for (const { IPAddress, selfLink } of forwardingRules) {
        const path = pathIn(selfLink)
        if (IPAddress && path) found.set(IPAddress, path)
      }
  return found
}

export const gcpUsage = accountUsage({ clustersOf, usageOf })
