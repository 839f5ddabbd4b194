/** Networks: a VPC with subnets, and an internet gateway for public ones. */
import type { Subnet } from '@aws-sdk/client-ec2'
import type { ProvisionAnswer, ProvisionRequest, UnprovisionAnswer } from '#streams/cloud/provision.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import {
  removeIfPresent,
  list,
  goneFault,
  madeBy,
  once,
  tryRemove,
  tagsOf,
  text,
  waiting,
  type ProvisionStep,
} from './step.ts'

type NetworkRequest = Pick<ProvisionRequest, 'region' | 'token'>

const withNameTag = (request: ProvisionRequest, name: string) => [...tagsOf(request), { Key: 'Name', Value: name }]

async function vpcOf(session: AwsSession, { region, token }: NetworkRequest): Promise<string | undefined> {
  const { Vpcs = [] } = await session.ask(
    'ec2',
    region,
    (m) => new m.DescribeVpcsCommand({ Filters: madeBy({ token }) }),
  )
  return Vpcs[0]?.VpcId
}

async function subnetsOf(session: AwsSession, { region, token }: NetworkRequest): Promise<Subnet[]> {
  const all: Subnet[] = []
  const pages = session.pages(
    'ec2',
    region,
    (m, NextToken) => new m.DescribeSubnetsCommand({ Filters: madeBy({ token }), NextToken }),
    ({ NextToken }) => NextToken,
  )
  for await (const { Subnets = [] } of pages) all.push(...Subnets)
  return all
}

async function make(session: AwsSession, request: ProvisionRequest): Promise<ProvisionAnswer> {
  const vpc = (await vpcOf(session, request)) ?? (await makeVpc(session, request))
  const wanted = list(request.config['subnets'])
  const known = new Map((await subnetsOf(session, request)).map((one) => [one.CidrBlock ?? '', one.SubnetId ?? '']))
  const subnets: { name: string; uid: string }[] = []
  for (const subnet of wanted) {
    const uid = known.get(text(subnet['cidr'])) ?? (await makeSubnet(session, request, vpc, subnet))
    subnets.push({ name: text(subnet['name']), uid })
  }
  const open = wanted.flatMap((subnet, i) => (subnet['public'] === true ? [subnets[i]!.uid] : []))
  if (open.length > 0) await openSubnets(session, request, vpc, open)
  return { status: 'done', output: { networkUid: vpc, subnets } }
}

async function makeVpc(session: AwsSession, request: ProvisionRequest): Promise<string> {
  const { region, config } = request
  const Tags = withNameTag(request, text(config['name']))
  const { Vpc } = await session.ask(
    'ec2',
    region,
    (m) =>
      new m.CreateVpcCommand({ CidrBlock: text(config['cidr']), TagSpecifications: [{ ResourceType: 'vpc', Tags }] }),
    once,
  )
  return Vpc?.VpcId ?? ''
}

async function makeSubnet(
  session: AwsSession,
  request: ProvisionRequest,
  VpcId: string,
  subnet: Record<string, unknown>,
): Promise<string> {
  const zone = text(subnet['zone'])
  const Tags = withNameTag(request, text(subnet['name']))
  const { Subnet: made } = await session.ask(
    'ec2',
    request.region,
    (m) =>
      new m.CreateSubnetCommand({
        VpcId,
        CidrBlock: text(subnet['cidr']),
        ...(zone !== '' && { AvailabilityZone: zone }),
        TagSpecifications: [{ ResourceType: 'subnet', Tags }],
      }),
    // The range would already be in use, so a second request is refused.
    once,
  )
  return made?.SubnetId ?? ''
}

const anywhere = '0.0.0.0/0'

/** Creates a gateway and a route table through it for the subnets. */
async function openSubnets(session: AwsSession, request: ProvisionRequest, VpcId: string, ids: readonly string[]) {
  const gateway = await gatewayOf(session, request, VpcId)
  const table = await tableOf(session, request, VpcId)
  const { region } = request
  const { RouteTables = [] } = await session.ask(
    'ec2',
    region,
    (m) => new m.DescribeRouteTablesCommand({ RouteTableIds: [table] }),
  )
  const known = RouteTables[0]
  const associated = new Set((known?.Associations ?? []).map(({ SubnetId }) => SubnetId))
  const isOpen = (known?.Routes ?? []).some(({ DestinationCidrBlock }) => DestinationCidrBlock === anywhere)
  if (!isOpen)
    await session.ask(
      'ec2',
      region,
      (m) => new m.CreateRouteCommand({ RouteTableId: table, DestinationCidrBlock: anywhere, GatewayId: gateway }),
      once,
    )
  for (const SubnetId of ids) {
    if (!associated.has(SubnetId))
      await session.ask('ec2', region, (m) => new m.AssociateRouteTableCommand({ RouteTableId: table, SubnetId }), once)
    await session.ask(
      'ec2',
      region,
      (m) => new m.ModifySubnetAttributeCommand({ SubnetId, MapPublicIpOnLaunch: { Value: true } }),
    )
  }
}

async function gatewayOf(session: AwsSession, request: ProvisionRequest, VpcId: string): Promise<string> {
  const { region } = request
  const { InternetGateways = [] } = await session.ask(
    'ec2',
    region,
    (m) => new m.DescribeInternetGatewaysCommand({ Filters: madeBy(request) }),
  )
  let gateway = InternetGateways[0]
  if (!gateway) {
    const TagSpecifications = [{ ResourceType: 'internet-gateway' as const, Tags: tagsOf(request) }]
    const made = await session.ask('ec2', region, (m) => new m.CreateInternetGatewayCommand({ TagSpecifications }), {
      repeatable: false,
    })
    gateway = made.InternetGateway
  }
  const InternetGatewayId = gateway?.InternetGatewayId ?? ''
  const isAttached = (gateway?.Attachments ?? []).some((one) => one.VpcId === VpcId)
  if (!isAttached)
    await session.ask('ec2', region, (m) => new m.AttachInternetGatewayCommand({ InternetGatewayId, VpcId }), once)
  return InternetGatewayId
}

async function tableOf(session: AwsSession, request: ProvisionRequest, VpcId: string): Promise<string> {
  const { region } = request
  const { RouteTables = [] } = await session.ask(
    'ec2',
    region,
    (m) => new m.DescribeRouteTablesCommand({ Filters: madeBy(request) }),
  )
  const known = RouteTables[0]?.RouteTableId
  if (known !== undefined) return known
  const TagSpecifications = [{ ResourceType: 'route-table' as const, Tags: tagsOf(request) }]
  const made = await session.ask('ec2', region, (m) => new m.CreateRouteTableCommand({ VpcId, TagSpecifications }), {
    repeatable: false,
  })
  return made.RouteTable?.RouteTableId ?? ''
}

async function unmake(session: AwsSession, request: ProvisionRequest): Promise<UnprovisionAnswer> {
  const { region } = request
  const uids: string[] = []
  for (const { SubnetId = '' } of await subnetsOf(session, request)) {
    uids.push(SubnetId)
    if (
      !(await tryRemove(/^InvalidSubnetID/, () =>
        session.ask('ec2', region, (m) => new m.DeleteSubnetCommand({ SubnetId })),
      ))
    )
      return waiting
  }
  if (!(await closeGateways(session, request))) return waiting
  const { RouteTables = [] } = await session.ask(
    'ec2',
    region,
    (m) => new m.DescribeRouteTablesCommand({ Filters: madeBy(request) }),
  )
  for (const { RouteTableId, Associations = [] } of RouteTables) {
    for (const { RouteTableAssociationId: AssociationId } of Associations)
      await removeIfPresent(/^InvalidAssociationID/, () =>
        session.ask('ec2', region, (m) => new m.DisassociateRouteTableCommand({ AssociationId })),
      )
    if (
      !(await tryRemove(/^InvalidRouteTableID/, () =>
        session.ask('ec2', region, (m) => new m.DeleteRouteTableCommand({ RouteTableId })),
      ))
    )
      return waiting
  }
  const VpcId = await vpcOf(session, request)
  if (VpcId === undefined) return { status: 'done', gone: uids }
  if (!(await tryRemove(/^InvalidVpcID/, () => session.ask('ec2', region, (m) => new m.DeleteVpcCommand({ VpcId })))))
    return waiting
  return { status: 'done', gone: [VpcId, ...uids] }
}

async function closeGateways(session: AwsSession, request: ProvisionRequest): Promise<boolean> {
  const { region } = request
  const { InternetGateways = [] } = await session.ask(
    'ec2',
    region,
    (m) => new m.DescribeInternetGatewaysCommand({ Filters: madeBy(request) }),
  )
  for (const { InternetGatewayId, Attachments = [] } of InternetGateways) {
    for (const { VpcId } of Attachments) {
      const detach = () =>
        session.ask('ec2', region, (m) => new m.DetachInternetGatewayCommand({ InternetGatewayId, VpcId }))
      if (!(await tryRemove(/^(Gateway\.NotAttached|InvalidInternetGatewayID)/, detach))) return false
    }
    await removeIfPresent(/^InvalidInternetGatewayID/, () =>
      session.ask('ec2', region, (m) => new m.DeleteInternetGatewayCommand({ InternetGatewayId })),
    )
  }
  return true
}

export const create: ProvisionStep = { make, unmake }

export const verify: ProvisionStep = {
  make: async (session, request) => {
    const VpcId = text(request.outputs['create']?.['networkUid'])
    const { Vpcs = [] } = await session.ask(
      'ec2',
      request.region,
      (m) => new m.DescribeVpcsCommand({ Filters: [{ Name: 'vpc-id', Values: [VpcId] }] }),
    )
    if (!Vpcs[0]) throw goneFault(`The network ${VpcId}`)
    return Vpcs[0].State === 'pending' ? waiting : { status: 'done' }
  },
}

/** The current state: subnets by the recorded ids, and the main range of the network. */
export async function describe(
  session: AwsSession,
  { region, config, outputs }: Pick<ProvisionRequest, 'region' | 'config' | 'outputs'>,
): Promise<Record<string, unknown> | null> {
  const VpcId = text(outputs['create']?.['networkUid'])
  const Filters = [{ Name: 'vpc-id', Values: [VpcId] }]
  const { Vpcs = [] } = await session.ask('ec2', region, (m) => new m.DescribeVpcsCommand({ Filters }))
  const vpc = Vpcs[0]
  if (!vpc) return null
  const nameOf = new Map(list(outputs['create']?.['subnets']).map((one) => [text(one['uid']), text(one['name'])]))
  const there: Subnet[] = []
  const pages = session.pages(
    'ec2',
    region,
    (m, NextToken) => new m.DescribeSubnetsCommand({ Filters, NextToken }),
    ({ NextToken }) => NextToken,
  )
  for await (const { Subnets = [] } of pages) there.push(...Subnets)
  const wanted = new Map(list(config['subnets']).map((one) => [text(one['name']), one]))
  const subnets = there.map((one) => {
    const name = nameOf.get(one.SubnetId ?? '') ?? one.SubnetId ?? ''
    const zone = wanted.get(name)?.['zone']
    return {
      name,
      cidr: one.CidrBlock,
      ...(zone !== undefined && { zone: one.AvailabilityZone }),
      public: one.MapPublicIpOnLaunch === true,
    }
  })
  return { ...config, cidr: vpc.CidrBlock, subnets }
}
