import { database, databaseCluster } from '#streams/cloud/aws/map/rds.ts'
import { arnOf, listOf } from '#streams/cloud/aws/map/resource.ts'
import type { Finder, RegionScan } from '#streams/cloud/aws/discover/finder.ts'

const pageMax = 100

const rds = { service: 'rds', scope: 'region' } as const

const clusters: Finder = {
  ...rds,
  types: ['aws-aurora-cluster', 'aws-documentdb', 'aws-neptune'],
  async *find(place) {
    const answers = place.pages(
      'rds',
      (m, Marker) => new m.DescribeDBClustersCommand({ MaxRecords: pageMax, ...(Marker && { Marker }) }),
      ({ Marker }) => Marker,
    )
    let copies: ReadonlySet<string> | undefined | null = null
    for await (const { DBClusters } of answers) {
      const clusters = listOf(DBClusters)
      if (copies === null && clusters.length > 0) copies = await place.more('global', () => copiesIn(place))
      yield clusters.flatMap((one) => databaseCluster(one, place, copies?.has(one.DBClusterArn ?? '')))
    }
  },
}

/** Clusters that follow one of another region. */
async function copiesIn(place: RegionScan): Promise<ReadonlySet<string>> {
  const answers = place.pages(
    'rds',
    (m, Marker) => new m.DescribeGlobalClustersCommand({ MaxRecords: pageMax, ...(Marker && { Marker }) }),
    ({ Marker }) => Marker,
  )
  const found = new Set<string>()
  for await (const { GlobalClusters } of answers)
    for (const { GlobalClusterMembers } of listOf(GlobalClusters))
      for (const { DBClusterArn, IsWriter } of listOf(GlobalClusterMembers))
        if (DBClusterArn && IsWriter === false) found.add(DBClusterArn)
  return found
}

const databases: Finder = {
  ...rds,
  types: ['aws-rds'],
  async *find(place) {
    const answers = place.pages(
      'rds',
      (m, Marker) => new m.DescribeDBInstancesCommand({ MaxRecords: pageMax, ...(Marker && { Marker }) }),
      ({ Marker }) => Marker,
    )
    for await (const { DBInstances } of answers)
      yield listOf(DBInstances).flatMap((one) => database(one, place, (name) => arnOf('rds', place, `cluster:${name}`)))
  },
}

export const databaseFinders: readonly Finder[] = [clusters, databases]
