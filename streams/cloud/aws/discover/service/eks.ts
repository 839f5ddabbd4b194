import type { Cluster } from '@aws-sdk/client-eks'
import { kubernetesCluster, nodeGroup } from '#streams/cloud/aws/map/eks.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { callsAtOnce, present, type Finder, type RegionScan } from '#streams/cloud/aws/discover/finder.ts'

/** Node groups are children of clusters, so both are found together, a cluster before its groups. */
export const kubernetesFinder: Finder = {
  types: ['aws-eks', 'aws-eks-nodegroup'],
  service: 'eks',
  scope: 'region',
  async *find(place) {
    const all: Cluster[] = []
    const lists = place.pages(
      'eks',
      (m, nextToken) => new m.ListClustersCommand({ maxResults: 100, ...(nextToken && { nextToken }) }),
      ({ nextToken }) => nextToken,
    )
    let ends: Promise<ReadonlyMap<string, number> | undefined> | undefined
    for await (const { clusters: names } of lists) {
      const answers = await mapConcurrently(listOf(names), callsAtOnce, (name) =>
        present(place.ask('eks', (m) => new m.DescribeClusterCommand({ name }))),
      )
      const clusters = answers.flatMap((answer) => answer?.cluster ?? [])
      all.push(...clusters)
      if (clusters.length > 0) ends ??= place.more('versions', () => supportEnds(place))
      const known = await ends
      yield clusters.flatMap((one) => kubernetesCluster(one, place, known?.get(one.version ?? '')))
      for (const cluster of clusters) yield* groupsOf(place, cluster)
    }
    place.known.clusters = all
  },
}

/** When standard support ends, milliseconds since 1970, by version of Kubernetes. */
async function supportEnds(place: RegionScan): Promise<ReadonlyMap<string, number>> {
  const answers = place.pages(
    'eks',
    (m, nextToken) => new m.DescribeClusterVersionsCommand({ maxResults: 100, ...(nextToken && { nextToken }) }),
    ({ nextToken }) => nextToken,
  )
  const ends = new Map<string, number>()
  for await (const { clusterVersions } of answers)
    for (const { clusterVersion, endOfStandardSupportDate: date } of listOf(clusterVersions))
      if (clusterVersion && date) ends.set(clusterVersion, new Date(date).getTime())
  return ends
}

async function* groupsOf(place: RegionScan, { name: clusterName, arn }: Cluster) {
  if (!clusterName) return
  const lists = place.pages(
    'eks',
    (m, nextToken) => new m.ListNodegroupsCommand({ clusterName, maxResults: 100, ...(nextToken && { nextToken }) }),
    ({ nextToken }) => nextToken,
  )
  for await (const { nodegroups } of lists) {
    const answers = await mapConcurrently(listOf(nodegroups), callsAtOnce, (nodegroupName) =>
      present(place.ask('eks', (m) => new m.DescribeNodegroupCommand({ clusterName, nodegroupName }))),
    )
    const groups = answers.flatMap((answer) => answer?.nodegroup ?? [])
    for (const { nodegroupArn, resources } of groups)
      for (const { name } of listOf(resources?.autoScalingGroups))
        if (name && nodegroupArn) place.known.groups.set(name, nodegroupArn)
    yield groups.flatMap((one) => nodeGroup(one, place, arn))
  }
}
