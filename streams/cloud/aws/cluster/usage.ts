/** Collects the usage of an account's clusters. */
import type { Cluster } from '@aws-sdk/client-eks'
import { Fault } from '#engine/value/fault.ts'
import { isCredentialsRefused } from '#streams/cloud/connector.ts'
import { balancedBy, clusterUsage, type BalancerFinder } from '#streams/cloud/kubernetes/usage/cluster-usage.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { accountUsage, isGap, type UsageRequest } from '#streams/cloud/kubernetes/usage/account-usage.ts'
import { apiOf, type, type ClusterOptions } from './cluster.ts'
import { isStillKnown } from '#streams/cloud/aws/discover/discover.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import { globalRegion, type AwsSession } from '#streams/cloud/aws/session/session.ts'

const regionsAtOnce = 4

async function usageOf(
  { options, account, interval }: UsageRequest<ClusterOptions>,
  { region, cluster }: FoundCluster,
  signal: AbortSignal,
) {
  const session = openAws(account, options, signal)
  try {
    const api = apiOf(session, region, cluster, options)
    const about = { uid: cluster.arn!, type, region }
    return await clusterUsage(api, about, interval, balancersIn(session, region))
  } finally {
    session.close()
  }
}

/** A cluster with an endpoint, as EKS describes it. */
interface FoundCluster {
  region: string
  cluster: Cluster
}

/** A region that cannot be queried counts as having no clusters. */
async function clustersOf({ options, account, signal }: UsageRequest<ClusterOptions>): Promise<FoundCluster[]> {
  const session = openAws(account, options, signal)
  try {
    const regions = await regionsOf(session)
    return (await mapConcurrently(regions, regionsAtOnce, (region) => clustersIn(session, region))).flat()
  } finally {
    session.close()
  }
}

async function regionsOf(session: AwsSession): Promise<readonly string[]> {
  if (session.account.regions.length > 0) return session.account.regions
  const { Regions } = await session.ask('ec2', globalRegion, (m) => new m.DescribeRegionsCommand({}))
  return (Regions ?? []).flatMap(({ RegionName }) => RegionName ?? []).toSorted()
}

async function clustersIn(session: AwsSession, region: string): Promise<FoundCluster[]> {
  const found: FoundCluster[] = []
  try {
    const pages = session.pages(
      'eks',
      region,
      (m, nextToken) => new m.ListClustersCommand({ maxResults: 100, ...(nextToken && { nextToken }) }),
      ({ nextToken }) => nextToken,
    )
    for await (const { clusters = [] } of pages)
      for (const name of clusters) {
        const cluster = await clusterIn(session, region, name)
        if (cluster?.arn && cluster.endpoint) found.push({ region, cluster })
      }
  } catch (error) {
    if (!(error instanceof Fault) || (isCredentialsRefused(error) && !(await isStillKnown(session)))) throw error
  }
  return found
}

async function clusterIn(session: AwsSession, region: string, name: string): Promise<Cluster | undefined> {
  try {
    return (await session.ask('eks', region, (m) => new m.DescribeClusterCommand({ name }))).cluster
  } catch (error) {
    if (isGap(error)) return undefined
    throw error
  }
}

/** Finds load balancers by host name. Their list is only requested if a service has one. */
function balancersIn(session: AwsSession, region: string): BalancerFinder {
  let all: Promise<ReadonlyMap<string, string>> | undefined
  return balancedBy(async (host) => (await (all ??= namesIn(session, region))).get(host))
}

async function namesIn(session: AwsSession, region: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const pages = session.pages(
    'elastic-load-balancing-v2',
    region,
    (m, Marker) => new m.DescribeLoadBalancersCommand({ PageSize: 400, ...(Marker && { Marker }) }),
    ({ NextMarker }) => NextMarker,
  )
  for await (const { LoadBalancers = [] } of pages)
    for (const { DNSName, LoadBalancerArn } of LoadBalancers)
      if (DNSName && LoadBalancerArn) found.set(DNSName.toLowerCase(), LoadBalancerArn)
  return found
}

export const awsUsage = accountUsage({ clustersOf, usageOf })
