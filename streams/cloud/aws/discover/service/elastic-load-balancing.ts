import type { Listener, LoadBalancer } from '@aws-sdk/client-elastic-load-balancing-v2'
import { loadBalancer } from '#streams/cloud/aws/map/elastic-load-balancing.ts'
import { listOf, type AwsTags } from '#streams/cloud/aws/map/resource.ts'
import { chunks, mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { callsAtOnce, present, type Finder, type RegionScan } from '#streams/cloud/aws/discover/finder.ts'

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
    let targets: ReturnType<typeof targetsIn> | undefined
    for await (const { LoadBalancers } of answers) {
      const balancers = listOf(LoadBalancers)
      const tags = await tagsOf(place, balancers)
      if (balancers.length > 0) targets ??= targetsIn(place)
      const registered = await targets
      const listeners = await mapConcurrently(balancers, callsAtOnce, (one) => listenersOf(place, one))
      yield balancers.flatMap((one, at) =>
        loadBalancer(one, place, {
          tags: tags.get(one.LoadBalancerArn),
          targets: registered && (registered.get(one.LoadBalancerArn ?? '') ?? []),
          listeners: listeners[at],
        }),
      )
    }
  },
}

/** Registered targets by load balancer. A target group says which load balancers send to it. */
const targetsIn = (place: RegionScan): Promise<ReadonlyMap<string, readonly string[]> | undefined> =>
  place.more('targets', async () => {
    const found = new Map<string, string[]>()
    const answers = place.pages(
      'elastic-load-balancing-v2',
      (m, Marker) => new m.DescribeTargetGroupsCommand({ PageSize: 400, ...(Marker && { Marker }) }),
      ({ NextMarker }) => NextMarker,
    )
    for await (const { TargetGroups } of answers) {
      const used = listOf(TargetGroups).filter(({ LoadBalancerArns }) => listOf(LoadBalancerArns).length > 0)
      const health = await mapConcurrently(used, callsAtOnce, ({ TargetGroupArn }) =>
        present(place.ask('elastic-load-balancing-v2', (m) => new m.DescribeTargetHealthCommand({ TargetGroupArn }))),
      )
      for (const [at, { LoadBalancerArns }] of used.entries())
        for (const arn of listOf(LoadBalancerArns)) {
          const targets = listOf(health[at]?.TargetHealthDescriptions).map(({ Target }) => Target?.Id ?? '')
          found.set(arn, [...(found.get(arn) ?? []), ...targets])
        }
    }
    return found
  })

/** Of load balancers that the internet reaches by HTTP. */
async function listenersOf(
  place: RegionScan,
  { LoadBalancerArn, Type, Scheme }: LoadBalancer,
): Promise<readonly Listener[] | undefined> {
  if (Type !== 'application' || Scheme !== 'internet-facing') return undefined
  const answer = await place.more('listeners', () =>
    present(
      place.ask('elastic-load-balancing-v2', (m) => new m.DescribeListenersCommand({ LoadBalancerArn, PageSize: 400 })),
    ),
  )
  return answer?.Listeners
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
