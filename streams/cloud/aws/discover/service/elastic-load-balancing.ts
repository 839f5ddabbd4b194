import type { LoadBalancer } from '@aws-sdk/client-elastic-load-balancing-v2'
import { loadBalancer } from '#streams/cloud/aws/map/elastic-load-balancing.ts'
import { listOf, type AwsTags } from '#streams/cloud/aws/map/resource.ts'
import { chunks, mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { callsAtOnce, type Finder, type RegionScan } from '#streams/cloud/aws/discover/finder.ts'

/** Maximum load balancers per call for tags. */
const tagsMax = 20

export const balancerFinder: Finder = {
  types: ['aws-alb', 'aws-nlb', 'aws-gwlb'],
  service: 'elastic-load-balancing-v2',
  scope: 'region',
  async *find(place) {
    const answers = place.pages(
      'elastic-load-balancing-v2',
      (m, Marker) => new m.DescribeLoadBalancersCommand({ PageSize: 400, ...(Marker && { Marker }) }),
      ({ NextMarker }) => NextMarker,
    )
    for await (const { LoadBalancers } of answers) {
      const balancers = listOf(LoadBalancers)
      const tags = await tagsOf(place, balancers)
      yield balancers.flatMap((one) => loadBalancer(one, place, tags.get(one.LoadBalancerArn)))
    }
  },
}

async function tagsOf(
  place: RegionScan,
  balancers: readonly LoadBalancer[],
): Promise<ReadonlyMap<string | undefined, AwsTags>> {
  const arns = balancers.flatMap(({ LoadBalancerArn }) => LoadBalancerArn ?? [])
  const answers = await mapConcurrently(chunks(arns, tagsMax), callsAtOnce, (ResourceArns) =>
    place.more('tags', () =>
      place.ask('elastic-load-balancing-v2', (m) => new m.DescribeTagsCommand({ ResourceArns })),
    ),
  )
  const told = answers.flatMap((answer) => listOf(answer?.TagDescriptions))
  return new Map(told.map(({ ResourceArn, Tags }) => [ResourceArn, Tags]))
}
