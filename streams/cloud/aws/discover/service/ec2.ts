/** Finds machines, volumes, snapshots, addresses and NAT gateways in a region. */
import type { NatGateway } from '@aws-sdk/client-ec2'
import {
  address,
  instance,
  isDeleted,
  isGone,
  natGateway,
  rootVolume,
  snapshot,
  volume,
} from '#streams/cloud/aws/map/ec2.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import type { Finder } from '#streams/cloud/aws/discover/finder.ts'

/** Maximum page size of these calls. */
const pageMax = 1000

const ec2 = { service: 'ec2', scope: 'region' } as const

const instances: Finder = {
  ...ec2,
  types: ['aws-ec2'],
  async *find(place) {
    const roots = new Set<string>()
    const answers = place.pages(
      'ec2',
      (m, NextToken) => new m.DescribeInstancesCommand({ MaxResults: pageMax, ...(NextToken && { NextToken }) }),
      ({ NextToken }) => NextToken,
    )
    for await (const { Reservations } of answers) {
      const there = listOf(Reservations)
        .flatMap(({ Instances }) => listOf(Instances))
        .filter((one) => !isGone(one))
      for (const one of there) roots.add(rootVolume(one) ?? '')
      yield there.flatMap((one) => instance(one, place, (name) => place.known.groups.get(name)))
    }
    place.known.roots = roots
  },
}

const volumes: Finder = {
  ...ec2,
  types: ['aws-ebs-volume'],
  async *find(place) {
    const answers = place.pages(
      'ec2',
      (m, NextToken) => new m.DescribeVolumesCommand({ MaxResults: pageMax, ...(NextToken && { NextToken }) }),
      ({ NextToken }) => NextToken,
    )
    for await (const { Volumes } of answers)
      yield listOf(Volumes).flatMap((one) => volume(one, place, (id) => place.known.roots?.has(id)))
  },
}

/** Only the account's own snapshots. */
const snapshots: Finder = {
  ...ec2,
  types: ['aws-ebs-snapshot'],
  async *find(place) {
    const answers = place.pages(
      'ec2',
      (m, NextToken) =>
        new m.DescribeSnapshotsCommand({ OwnerIds: ['self'], MaxResults: pageMax, ...(NextToken && { NextToken }) }),
      ({ NextToken }) => NextToken,
    )
    for await (const { Snapshots } of answers) yield listOf(Snapshots).flatMap((one) => snapshot(one, place))
  },
}

/** Collects all of the region, which has few, to count those of each network. */
const natGateways: Finder = {
  ...ec2,
  types: ['aws-nat-gateway'],
  async *find(place) {
    const all: NatGateway[] = []
    const answers = place.pages(
      'ec2',
      (m, NextToken) => new m.DescribeNatGatewaysCommand({ MaxResults: pageMax, ...(NextToken && { NextToken }) }),
      ({ NextToken }) => NextToken,
    )
    for await (const { NatGateways } of answers) all.push(...listOf(NatGateways).filter((one) => !isDeleted(one)))
    const networks = Map.groupBy(all, ({ VpcId }) => VpcId)
    for (const { NatGatewayId = '', NatGatewayAddresses } of all)
      for (const { NetworkInterfaceId } of listOf(NatGatewayAddresses))
        if (NetworkInterfaceId) place.known.gateways.set(NetworkInterfaceId, NatGatewayId)
    yield all.flatMap((one) => natGateway(one, place, networks.get(one.VpcId)?.length ?? 1))
  },
}

/** One answer contains all addresses. */
const addresses: Finder = {
  ...ec2,
  types: ['aws-eip'],
  async *find(place) {
    const { Addresses } = await place.ask('ec2', (m) => new m.DescribeAddressesCommand({}))
    yield listOf(Addresses).flatMap((one) => address(one, place, (id) => place.known.gateways.get(id)))
  },
}

export const ec2Finders: readonly Finder[] = [instances, volumes, snapshots, natGateways, addresses]
