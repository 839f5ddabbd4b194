import { database, databaseCluster } from '#streams/cloud/aws/map/rds.ts'
import { arnOf, listOf } from '#streams/cloud/aws/map/resource.ts'
import type { Finder } from '#streams/cloud/aws/discover/finder.ts'

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
    for await (const { DBClusters } of answers) yield listOf(DBClusters).flatMap((one) => databaseCluster(one, place))
  },
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
