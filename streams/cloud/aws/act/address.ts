/** Addresses, NAT gateways and load balancers: what is only looked at and deleted, and the way to S3 past a NAT gateway. */
import {
  absent,
  ignoreNotFound,
  unsupportedFault,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish } from '#streams/cloud/resource/verb/spec.ts'
import type { At, Verbs } from './kind.ts'

async function lookAddress({ session, region, name }: At): Promise<ResourceState> {
  const filter = { AllocationIds: [name] }
  const answer = await ignoreNotFound(session.ask('ec2', region, (m) => new m.DescribeAddressesCommand(filter)))
  const found = answer?.Addresses?.[0]
  return found ? { exists: true, status: 'running', specs: { associated: found.AssociationId !== undefined } } : absent
}

/** One that hangs on something AWS does not release: it says so. */
export const address: ResourceKind<At> = {
  look: lookAddress,
  delete: ({ session, region, name }) =>
    session.ask('ec2', region, (m) => new m.ReleaseAddressCommand({ AllocationId: name })),
}

async function gatewayOf({ session, region, name }: At) {
  const answer = await ignoreNotFound(
    session.ask('ec2', region, (m) => new m.DescribeNatGatewaysCommand({ NatGatewayIds: [name] })),
  )
  const found = answer?.NatGateways?.[0]
  return found?.State === 'deleted' ? undefined : found
}

async function lookGateway(at: At): Promise<ResourceState> {
  const found = await gatewayOf(at)
  if (!found) return absent
  const endpoint = found.VpcId === undefined ? undefined : await s3Endpoint(at, found.VpcId)
  return {
    exists: true,
    status: found.State === 'deleting' ? 'stopping' : found.State === 'pending' ? 'pending' : 'running',
    specs: { ...dropNullish({ state: found.State }), vpc_has_s3_endpoint: endpoint !== undefined },
    isGoing: found.State === 'deleting',
  }
}

async function s3Endpoint({ session, region }: At, vpc: string) {
  const filter = {
    Filters: [
      { Name: 'vpc-id', Values: [vpc] },
      { Name: 'service-name', Values: [`com.amazonaws.${region}.s3`] },
    ],
  }
  const { VpcEndpoints = [] } = await session.ask('ec2', region, (m) => new m.DescribeVpcEndpointsCommand(filter))
  return VpcEndpoints.find(({ State }) => !/delet/i.test(State ?? ''))
}

/** A way of its own to S3, for every route table of the network. */
const setGateway: Verbs['set'] = async (at, specs, _, { id }) => {
  const { session, region, ref } = at
  if (specs['vpc_has_s3_endpoint'] !== true) throw unsupportedFault(ref, 'removing its S3 endpoint')
  const VpcId = (await gatewayOf(at))?.VpcId
  const filter = { Filters: [{ Name: 'vpc-id', Values: [VpcId ?? ''] }] }
  const { RouteTables = [] } = await session.ask('ec2', region, (m) => new m.DescribeRouteTablesCommand(filter))
  const order = {
    VpcId,
    ServiceName: `com.amazonaws.${region}.s3`,
    VpcEndpointType: 'Gateway' as const,
    RouteTableIds: RouteTables.flatMap(({ RouteTableId }) => RouteTableId ?? []),
    ClientToken: id.slice(0, 64),
  }
  await session.ask('ec2', region, (m) => new m.CreateVpcEndpointCommand(order))
}

export const gateway: ResourceKind<At> = {
  look: lookGateway,
  sets: ['vpc_has_s3_endpoint'],
  set: setGateway,
  delete: ({ session, region, name }) =>
    session.ask('ec2', region, (m) => new m.DeleteNatGatewayCommand({ NatGatewayId: name })),
}

async function lookBalancer({ session, region, ref }: At): Promise<ResourceState> {
  const filter = { LoadBalancerArns: [ref.resourceUid] }
  const answer = await ignoreNotFound(
    session.ask('elastic-load-balancing-v2', region, (m) => new m.DescribeLoadBalancersCommand(filter)),
  )
  return answer?.LoadBalancers?.length ? { exists: true, status: 'running' } : absent
}

export const balancer: ResourceKind<At> = {
  look: lookBalancer,
  delete: ({ session, region, ref }) =>
    session.ask(
      'elastic-load-balancing-v2',
      region,
      (m) => new m.DeleteLoadBalancerCommand({ LoadBalancerArn: ref.resourceUid }),
    ),
}
