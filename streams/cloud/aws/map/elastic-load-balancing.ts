/** Maps load balancers of version 2: application, network, gateway. */
import type { LoadBalancer } from '@aws-sdk/client-elastic-load-balancing-v2'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { unitUsd } from '#streams/cloud/aws/resource/price.ts'
import { resource, timeOf, type AwsTags, type Where } from './resource.ts'

const types: Readonly<Record<string, string>> = { application: 'aws-alb', network: 'aws-nlb', gateway: 'aws-gwlb' }

export function loadBalancer(one: LoadBalancer, where: Where, tags: AwsTags): DiscoveredResource[] {
  const type = types[one.Type ?? 'application'] ?? 'aws-alb'
  return resource(type, one.LoadBalancerArn, where, {
    name: one.LoadBalancerName,
    tags,
    hourlyRateUSD: type === 'aws-alb' ? unitUsd('aws.elb.alb_hour', where.region) : undefined,
    specs: {
      created_at: timeOf(one.CreatedTime),
      state: one.State?.Code,
      scheme: one.Scheme,
      vpc_id: one.VpcId,
      dns_name: one.DNSName,
    },
  })
}
