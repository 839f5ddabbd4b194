/** Who uses the clusters of an account. */
import type { Cluster } from '@aws-sdk/client-eks'
import { Fault } from '#engine/value/fault.ts'
import { isCredentialsRefused, type CloudAccount } from '#streams/cloud/connector.ts'
import { balancedBy, clusterUsage, type BalancerFinder } from '#streams/cloud/kubernetes/usage/cluster-usage.ts'
import { mapConcurrently, mergeConcurrently } from '#streams/cloud/bill/merge.ts'
import type { KubernetesUsage } from '#streams/kubernetes/messages.ts'
import { intervalBefore, type Interval } from '#streams/kubernetes/interval.ts'
import { partsOf } from '#streams/kubernetes/split-usage.ts'
import { apiOf, type, type ClusterOptions } from './cluster.ts'
import { isStillKnown } from '#streams/cloud/aws/discover/discover.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import { globalRegion, type AwsSession } from '#streams/cloud/aws/session/session.ts'

const regionsAtOnce = 4
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
export async function* awsUsage(
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

async function* ofCluster(asked: UsageRequest, found: FoundCluster): AsyncGenerator<KubernetesUsage> {
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

async function usageOf(
  { options, account, interval }: UsageRequest,
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

/** A region that cannot be asked has none. */
async function clustersOf({ options, account, signal }: UsageRequest): Promise<FoundCluster[]> {
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

/** By the name that the load balancer answers to, as ELB tells it; asked once, where a service has one. */
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
