import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'

export const networkFirewalls = listType('network-firewall', {
  type: 'aws-network-firewall',
  permissions: ['network-firewall:ListFirewalls', 'network-firewall:DescribeFirewall'],
  list: (m, NextToken) => new m.ListFirewallsCommand({ MaxResults: 100, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ Firewalls }) => Firewalls,
  detail: async ({ FirewallArn }, place) => {
    const answer = await also(place, 'network-firewall:DescribeFirewall', () =>
      place.ask('network-firewall', (m) => new m.DescribeFirewallCommand({ FirewallArn })),
    )
    return answer && { ...answer.Firewall, zones: Object.keys(answer.FirewallStatus?.SyncStates ?? {}) }
  },
  uid: ({ FirewallArn }) => FirewallArn,
  fields: ({ FirewallName }, _, detail) => ({ name: FirewallName, parentUID: detail?.VpcId, tags: detail?.Tags }),
  specs: {
    zones: (_, detail) => detail?.zones,
    vpc_id: (_, detail) => detail && (detail.VpcId || null),
    // One that is attached to a transit gateway has zones instead of subnets.
    endpoint_count: (_, detail) =>
      detail && listOf(detail.SubnetMappings).length + listOf(detail.AvailabilityZoneMappings).length,
  },
})
