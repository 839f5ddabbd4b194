import { warehouse } from '#streams/cloud/aws/map/redshift.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import type { Finder } from '#streams/cloud/aws/discover/finder.ts'

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
    for await (const { Clusters } of answers) yield listOf(Clusters).flatMap((one) => warehouse(one, place))
  },
}
