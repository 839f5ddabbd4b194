/** Maps load balancers of version 2: application, network, gateway. */
import type { Listener, LoadBalancer } from '@aws-sdk/client-elastic-load-balancing-v2'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { unitUsd } from '#streams/cloud/aws/resource/price.ts'
import { listOf, resource, timeOf, type AwsTags, type Where } from './resource.ts'

const types: Readonly<Record<string, string>> = { application: 'aws-alb', network: 'aws-nlb', gateway: 'aws-gwlb' }

/** Machines that are named of one load balancer. */
const instancesMax = 1000

/** Data of a load balancer from separate calls; undefined if the call is not permitted. */
export interface BalancerMore {
  tags?: AwsTags
  /** Registered targets of all of its target groups, as their groups name them: by instance, address or function. */
  targets?: readonly string[] | undefined
  listeners?: readonly Listener[] | undefined
}

export function loadBalancer(one: LoadBalancer, where: Where, more: BalancerMore): DiscoveredResource[] {
  const type = types[one.Type ?? 'application'] ?? 'aws-alb'
  return resource(type, one.LoadBalancerArn, where, {
    name: one.LoadBalancerName,
    tags: more.tags,
    hourlyRateUSD: type === 'aws-alb' ? unitUsd('aws.elb.alb_hour', where.region) : undefined,
    specs: {
      created_at: timeOf(one.CreatedTime),
      state: one.State?.Code,
      scheme: one.Scheme,
      vpc_id: one.VpcId,
      dns_name: one.DNSName,
      target_count: more.targets?.length,
      target_instances: more.targets?.filter((id) => id.startsWith('i-')).slice(0, instancesMax),
      http_redirects_to_https: more.listeners?.every(isRedirectedOrSecure),
    },
  })
}

/** Whether a listener takes no plain HTTP, or answers it with a redirect to HTTPS. */
const isRedirectedOrSecure = ({ Protocol, DefaultActions }: Listener): boolean =>
  Protocol !== 'HTTP' || listOf(DefaultActions).some(({ RedirectConfig }) => RedirectConfig?.Protocol === 'HTTPS')
