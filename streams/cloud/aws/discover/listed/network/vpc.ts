import type { FlowLog } from '@aws-sdk/client-ec2'
import { listType } from '#streams/cloud/aws/discover/listed.ts'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { arnOf, listOf, nameIn, timeOf } from '#streams/cloud/aws/map/resource.ts'

/** A page has as many VPCs as a filter takes values. */
export const vpcs = listType('ec2', {
  type: 'aws-vpc',
  permissions: ['ec2:DescribeVpcs', 'ec2:DescribeFlowLogs'],
  list: (m, NextToken) => new m.DescribeVpcsCommand({ MaxResults: 200, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: async ({ Vpcs }, place) => {
    // A VPC of another account is listed where one of its subnets is shared with this account.
    const own = listOf(Vpcs).filter(({ OwnerId }) => OwnerId === place.account)
    const ids = own.flatMap(({ VpcId }) => VpcId ?? [])
    const logs = await place.more('ec2:DescribeFlowLogs', () => activeFlowLogs(place, ids))
    return own.map((vpc) => ({ ...vpc, logs: logs?.filter(({ ResourceId }) => ResourceId === vpc.VpcId) }))
  },
  uid: ({ VpcId }) => VpcId,
  fields: ({ Tags }) => ({ name: nameIn(Tags), tags: Tags }),
  specs: {
    is_default: ({ IsDefault }) => IsDefault,
    flow_logs_enabled: ({ logs }) => logs && logs.length > 0,
    flow_logs_destination: ({ logs }) => logs && (mostExpensive(logs)?.LogDestinationType ?? null),
    flow_log_group: ({ logs }, _, where) => {
      const group = logs && mostExpensive(logs)?.LogGroupName
      return logs && (group ? arnOf('logs', where, `log-group:${group}`) : null)
    },
  },
})

async function activeFlowLogs(place: RegionScan, vpcIds: readonly string[]): Promise<FlowLog[]> {
  if (vpcIds.length === 0) return []
  const answers = place.pages(
    'ec2',
    (m, NextToken) =>
      new m.DescribeFlowLogsCommand({
        Filter: [{ Name: 'resource-id', Values: [...vpcIds] }],
        MaxResults: 1000,
        ...(NextToken && { NextToken }),
      }),
    ({ NextToken }) => NextToken,
  )
  const logs = (await Array.fromAsync(answers)).flatMap(({ FlowLogs }) => listOf(FlowLogs))
  return logs.filter(({ FlowLogStatus }) => FlowLogStatus === 'ACTIVE')
}

/** CloudWatch Logs costs more than the other destinations. */
const mostExpensive = (logs: readonly FlowLog[]): FlowLog | undefined =>
  logs.find(({ LogDestinationType }) => LogDestinationType === 'cloud-watch-logs') ?? logs[0]

export const vpcEndpoints = listType('ec2', {
  type: 'aws-vpc-endpoint',
  permissions: ['ec2:DescribeVpcEndpoints'],
  list: (m, NextToken) => new m.DescribeVpcEndpointsCommand({ MaxResults: 1000, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  // An endpoint of another account is listed where its VPC is shared with this account.
  items: ({ VpcEndpoints }, { account }) => listOf(VpcEndpoints).filter(({ OwnerId = account }) => OwnerId === account),
  // A deleted endpoint is listed for a while.
  isOwn: ({ State }) => String(State).toLowerCase() !== 'deleted',
  uid: ({ VpcEndpointId }) => VpcEndpointId,
  fields: ({ Tags, VpcId }) => ({ name: nameIn(Tags), parentUID: VpcId, tags: Tags }),
  specs: {
    created_at: ({ CreationTimestamp }) => timeOf(CreationTimestamp),
    endpoint_type: ({ VpcEndpointType }) => VpcEndpointType,
    service_name: ({ ServiceName }) => ServiceName,
    az_count: ({ SubnetIds }) => listOf(SubnetIds).length,
    vpc_id: ({ VpcId }) => VpcId,
    // The service that made it deletes it.
    managed: ({ RequesterManaged }) => RequesterManaged,
  },
})
