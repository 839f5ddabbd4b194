import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf, nameIn, timeOf } from '#streams/cloud/aws/map/resource.ts'

export const vpnConnections = listType('ec2', {
  type: 'aws-vpn-connection',
  permissions: ['ec2:DescribeVpnConnections'],
  list: (m) => new m.DescribeVpnConnectionsCommand({}),
  items: ({ VpnConnections }) => VpnConnections,
  // A deleted connection is listed for a while.
  isOwn: ({ State }) => State !== 'deleted',
  uid: ({ VpnConnectionId }) => VpnConnectionId,
  fields: ({ Tags }) => ({ name: nameIn(Tags), tags: Tags }),
  specs: {
    state: ({ State }) => State,
    tunnels_up: ({ VgwTelemetry }) => VgwTelemetry?.filter(({ Status }) => Status === 'UP').length,
    transit_gateway_id: ({ TransitGatewayId }) => TransitGatewayId ?? null,
  },
})

export const clientVpns = listType('ec2', {
  type: 'aws-client-vpn',
  permissions: ['ec2:DescribeClientVpnEndpoints', 'ec2:DescribeClientVpnTargetNetworks'],
  list: (m, NextToken) =>
    new m.DescribeClientVpnEndpointsCommand({ MaxResults: 1000, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ ClientVpnEndpoints }) => ClientVpnEndpoints,
  isOwn: ({ Status }) => Status?.Code !== 'deleted',
  // An endpoint has one network for each availability zone: one page has all of them.
  detail: async ({ ClientVpnEndpointId }, place) =>
    also(place, 'ec2:DescribeClientVpnTargetNetworks', () =>
      place.ask('ec2', (m) => new m.DescribeClientVpnTargetNetworksCommand({ ClientVpnEndpointId, MaxResults: 1000 })),
    ),
  uid: ({ ClientVpnEndpointId }) => ClientVpnEndpointId,
  fields: ({ Tags, Description }) => ({ name: nameIn(Tags) ?? Description, tags: Tags }),
  specs: {
    created_at: ({ CreationTime }) => timeOf(CreationTime),
    state: ({ Status }) => Status?.Code,
    vpc_id: ({ VpcId }) => VpcId ?? null,
    association_count: (_, detail) =>
      detail &&
      listOf(detail.ClientVpnTargetNetworks).filter(({ Status }) => Status?.Code?.startsWith('associat')).length,
  },
})
