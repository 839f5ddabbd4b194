import type { Tag } from '@aws-sdk/client-elastic-load-balancing'
import { listType } from '#streams/cloud/aws/discover/listed.ts'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { arnOf, listOf, timeOf } from '#streams/cloud/aws/map/resource.ts'

/** As many as one question for tags takes. */
const pageSize = 20

export const classicLoadBalancers = listType('elastic-load-balancing', {
  type: 'aws-clb',
  permissions: ['elasticloadbalancing:DescribeLoadBalancers', 'elasticloadbalancing:DescribeTags'],
  list: (m, Marker) => new m.DescribeLoadBalancersCommand({ PageSize: pageSize, ...(Marker && { Marker }) }),
  next: ({ NextMarker }) => NextMarker,
  items: async ({ LoadBalancerDescriptions }, place) => {
    const page = listOf(LoadBalancerDescriptions)
    const names = page.flatMap(({ LoadBalancerName }) => LoadBalancerName ?? [])
    const tags = await place.more('elasticloadbalancing:DescribeTags of classic', () => tagsByName(place, names))
    return page.map((one) => ({ ...one, tags: tags?.get(one.LoadBalancerName ?? '') }))
  },
  uid: ({ LoadBalancerName }, where) =>
    LoadBalancerName && arnOf('elasticloadbalancing', where, `loadbalancer/${LoadBalancerName}`),
  fields: ({ LoadBalancerName, tags }) => ({ name: LoadBalancerName, tags }),
  specs: {
    created_at: ({ CreatedTime }) => timeOf(CreatedTime),
    scheme: ({ Scheme }) => Scheme,
    vpc_id: ({ VPCId }) => VPCId,
    dns_name: ({ DNSName }) => DNSName,
    target_count: ({ Instances }) => listOf(Instances).length,
  },
})

async function tagsByName(
  place: RegionScan,
  LoadBalancerNames: string[],
): Promise<ReadonlyMap<string | undefined, Tag[] | undefined>> {
  if (LoadBalancerNames.length === 0) return new Map()
  const { TagDescriptions } = await place.ask(
    'elastic-load-balancing',
    (m) => new m.DescribeTagsCommand({ LoadBalancerNames }),
  )
  return new Map(listOf(TagDescriptions).map(({ LoadBalancerName, Tags }) => [LoadBalancerName, Tags]))
}
