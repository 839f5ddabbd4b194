import type { IpPermission } from '@aws-sdk/client-ec2'
import { listType } from '#streams/cloud/aws/discover/listed.ts'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'

const adminPorts = [22, 3389]
const databasePorts = [1433, 1521, 3306, 5432, 6379, 9200, 27_017]

/** A page has as many groups as a filter takes values. */
export const securityGroups = listType('ec2', {
  type: 'aws-security-group',
  permissions: ['ec2:DescribeSecurityGroups', 'ec2:DescribeNetworkInterfaces'],
  list: (m, NextToken) => new m.DescribeSecurityGroupsCommand({ MaxResults: 200, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: async ({ SecurityGroups }, place) => {
    // Groups of shared VPCs are listed too and belong to another account.
    const own = listOf(SecurityGroups).filter(({ OwnerId }) => OwnerId === place.account)
    const counts = await place.more('ec2:DescribeNetworkInterfaces', () =>
      countInterfaces(
        place,
        own.flatMap(({ GroupId }) => GroupId ?? []),
      ),
    )
    return own.map((group) => ({ ...group, interfaceCount: counts && (counts.get(group.GroupId ?? '') ?? 0) }))
  },
  uid: ({ GroupId }) => GroupId,
  fields: ({ GroupName, VpcId, Tags }) => ({ name: GroupName, parentUID: VpcId, tags: Tags }),
  specs: {
    vpc_id: ({ VpcId }) => VpcId,
    open_admin_ports: ({ IpPermissions }) => adminPorts.filter((port) => isOpen(port, IpPermissions)),
    open_database_ports: ({ IpPermissions }) => databasePorts.filter((port) => isOpen(port, IpPermissions)),
    is_default_with_rules: ({ GroupName, IpPermissions }) =>
      GroupName === 'default' && listOf(IpPermissions).length > 0,
    interface_count: ({ interfaceCount }) => interfaceCount,
  },
})

/** By the id of the group. */
async function countInterfaces(place: RegionScan, groupIds: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  if (groupIds.length === 0) return counts
  const answers = place.pages(
    'ec2',
    (m, NextToken) =>
      new m.DescribeNetworkInterfacesCommand({
        Filters: [{ Name: 'group-id', Values: [...groupIds] }],
        MaxResults: 1000,
        ...(NextToken && { NextToken }),
      }),
    ({ NextToken }) => NextToken,
  )
  for await (const { NetworkInterfaces } of answers)
    for (const { GroupId = '' } of listOf(NetworkInterfaces).flatMap(({ Groups }) => listOf(Groups)))
      counts.set(GroupId, (counts.get(GroupId) ?? 0) + 1)
  return counts
}

/** To every address of the internet. `-1` is every protocol, on every port. */
const isOpen = (port: number, permissions: readonly IpPermission[] | undefined): boolean =>
  listOf(permissions).some(({ IpProtocol, FromPort, ToPort, IpRanges, Ipv6Ranges }) => {
    const hasPort =
      IpProtocol === '-1' || (IpProtocol === 'tcp' && (FromPort ?? 0) <= port && port <= (ToPort ?? 65_535))
    const isPublic =
      listOf(IpRanges).some(({ CidrIp }) => CidrIp === '0.0.0.0/0') ||
      listOf(Ipv6Ranges).some(({ CidrIpv6 }) => CidrIpv6 === '::/0')
    return hasPort && isPublic
  })
