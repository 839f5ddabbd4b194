import type { ReplicationGroup } from '@aws-sdk/client-elasticache'
import { cache, cacheArn } from '#streams/cloud/aws/map/elasticache.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { callsAtOnce, present, type Finder, type RegionScan } from '#streams/cloud/aws/discover/finder.ts'

const pageMax = 100

export const cacheFinder: Finder = {
  types: ['aws-elasticache'],
  service: 'elasticache',
  scope: 'region',
  async *find(place) {
    let groups: ReadonlyMap<string, ReplicationGroup> | undefined
    const answers = place.pages(
      'elasticache',
      (m, Marker) => new m.DescribeCacheClustersCommand({ MaxRecords: pageMax, ...(Marker && { Marker }) }),
      ({ Marker }) => Marker,
    )
    for await (const { CacheClusters } of answers) {
      const caches = listOf(CacheClusters)
      if (caches.some(({ ReplicationGroupId }) => ReplicationGroupId))
        groups ??= (await place.more('replication groups', () => groupsIn(place))) ?? new Map()
      const tags = await mapConcurrently(caches, callsAtOnce, (one) => tagsOf(place, cacheArn(one, place)))
      yield caches.flatMap((one, i) => cache(one, place, groups?.get(one.ReplicationGroupId ?? ''), tags[i]))
    }
  },
}

async function groupsIn(place: RegionScan): Promise<ReadonlyMap<string, ReplicationGroup>> {
  const groups = new Map<string, ReplicationGroup>()
  const answers = place.pages(
    'elasticache',
    (m, Marker) => new m.DescribeReplicationGroupsCommand({ MaxRecords: pageMax, ...(Marker && { Marker }) }),
    ({ Marker }) => Marker,
  )
  for await (const { ReplicationGroups } of answers)
    for (const one of listOf(ReplicationGroups)) groups.set(one.ReplicationGroupId ?? '', one)
  return groups
}

/** Clusters that are being created or deleted have no tags. */
async function tagsOf(place: RegionScan, ResourceName: string | undefined) {
  if (ResourceName === undefined) return undefined
  const answer = await place.more('tags', () =>
    present(place.ask('elasticache', (m) => new m.ListTagsForResourceCommand({ ResourceName }))),
  )
  return answer?.TagList
}
