import { warehouse } from '#streams/cloud/aws/map/redshift.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import type { Finder, RegionScan } from '#streams/cloud/aws/discover/finder.ts'

export const warehouseFinder: Finder = {
  types: ['aws-redshift'],
  service: 'redshift',
  scope: 'region',
  async *find(place) {
    const answers = place.pages(
      'redshift',
      (m, Marker) => new m.DescribeClustersCommand({ MaxRecords: 100, ...(Marker && { Marker }) }),
      ({ Marker }) => Marker,
    )
    let paused: ReadonlySet<string> | undefined | null = null
    for await (const { Clusters } of answers) {
      const clusters = listOf(Clusters)
      if (paused === null && clusters.length > 0) paused = await place.more('schedules', () => pausedIn(place))
      yield clusters.flatMap((one) => warehouse(one, place, paused?.has(one.ClusterIdentifier ?? '')))
    }
  },
}

/** Names of clusters that a schedule pauses. */
async function pausedIn(place: RegionScan): Promise<ReadonlySet<string>> {
  const order = { TargetActionType: 'PauseCluster', Active: true, MaxRecords: 100 } as const
  const answers = place.pages(
    'redshift',
    (m, Marker) => new m.DescribeScheduledActionsCommand({ ...order, ...(Marker && { Marker }) }),
    ({ Marker }) => Marker,
  )
  const found = new Set<string>()
  for await (const { ScheduledActions } of answers)
    for (const { TargetAction } of listOf(ScheduledActions))
      if (TargetAction?.PauseCluster?.ClusterIdentifier) found.add(TargetAction.PauseCluster.ClusterIdentifier)
  return found
}
