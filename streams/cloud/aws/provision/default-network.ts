/** The account's default network, used if the config names none. */
import { cloudFault } from '#streams/cloud/connector.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'

export interface DefaultNetwork {
  vpcId: string
  /** One per zone, sorted by zone. */
  subnetIds: readonly string[]
}

/** @throws a `user_action` fault if the region has no default network */
export async function defaultPlace(session: AwsSession, region: string): Promise<DefaultNetwork> {
  const { Subnets = [] } = await session.ask(
    'ec2',
    region,
    (m) => new m.DescribeSubnetsCommand({ Filters: [{ Name: 'default-for-az', Values: ['true'] }] }),
  )
  const sorted = Subnets.toSorted((a, b) => ((a.AvailabilityZone ?? '') < (b.AvailabilityZone ?? '') ? -1 : 1))
  const [first] = sorted
  if (first) return { vpcId: first.VpcId ?? '', subnetIds: sorted.map(({ SubnetId }) => SubnetId ?? '') }
  throw cloudFault('user_action', 'no_default_network', `There is no default VPC in ${region}.`, {
    fixHint: 'Create one there (aws ec2 create-default-vpc), then retry.',
    consoleUrl: `https://${region}.console.aws.amazon.com/vpcconsole/home?region=${region}`,
  })
}

/** One subnet per zone of a network, sorted by zone. */
export async function subnetsIn(session: AwsSession, region: string, vpcId: string): Promise<string[]> {
  const zones = new Map<string, string>()
  const pages = session.pages(
    'ec2',
    region,
    (m, NextToken) => new m.DescribeSubnetsCommand({ Filters: [{ Name: 'vpc-id', Values: [vpcId] }], NextToken }),
    ({ NextToken }) => NextToken,
  )
  for await (const { Subnets = [] } of pages)
    for (const { AvailabilityZone = '', SubnetId = '' } of Subnets) zones.set(AvailabilityZone, SubnetId)
  return [...zones.keys()].toSorted().map((zone) => zones.get(zone)!)
}
