/** Finds machines, volumes, snapshots, addresses and NAT gateways in a region. */
import type { Instance, NatGateway, Snapshot, Volume } from '@aws-sdk/client-ec2'
import {
  address,
  instance,
  isDeleted,
  isGone,
  isUnattached,
  natGateway,
  rootVolume,
  snapshot,
  volume,
} from '#streams/cloud/aws/map/ec2.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { chunks } from '#streams/cloud/bill/merge.ts'
import { detachmentsOf } from '#streams/cloud/aws/discover/trail/detachments.ts'
import { disassociationsOf, idOf, isFree } from '#streams/cloud/aws/discover/trail/disassociations.ts'
import { countBy, volumesSince } from './snapshot-uses.ts'
import type { Finder, RegionScan } from '#streams/cloud/aws/discover/finder.ts'

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
    let unlimited: ReadonlySet<string> | undefined | null = null
    for await (const { Reservations } of answers) {
      const there = listOf(Reservations)
        .flatMap(({ Instances }) => listOf(Instances))
        .filter((one) => !isGone(one))
      for (const one of there) roots.add(copyOf(rootVolume(one) ?? ''))
      if (unlimited === null && there.some(isBurstable))
        unlimited = await place.more('credits', () => unlimitedIn(place))
      const creditsOf = (one: Instance) =>
        unlimited && isBurstable(one) ? (unlimited.has(one.InstanceId ?? '') ? 'unlimited' : 'standard') : undefined
      yield there.flatMap((one) => instance(one, place, (name) => place.known.groups.get(name), creditsOf(one)))
    }
    place.known.roots = roots
  },
}

/** A part of an answer keeps all of it in memory, which is a thousand times more than an id. */
const copyOf = (id: string): string => Buffer.from(id, 'latin1').toString('latin1')

const isBurstable = ({ InstanceType }: Instance): boolean => /^t\d/.test(InstanceType ?? '')

/** Asked for no machine by name, AWS names those that pay for bursts, and those that did as another type. */
async function unlimitedIn(place: RegionScan): Promise<ReadonlySet<string>> {
  const answers = place.pages(
    'ec2',
    (m, NextToken) =>
      new m.DescribeInstanceCreditSpecificationsCommand({ MaxResults: pageMax, ...(NextToken && { NextToken }) }),
    ({ NextToken }) => NextToken,
  )
  const found = new Set<string>()
  for await (const { InstanceCreditSpecifications } of answers)
    for (const { InstanceId, CpuCredits } of listOf(InstanceCreditSpecifications))
      if (InstanceId && CpuCredits === 'unlimited') found.add(copyOf(InstanceId))
  return found
}

/** Unattached ones come last, after one look-up of when they were detached. */
const volumes: Finder = {
  ...ec2,
  types: ['aws-ebs-volume'],
  async *find(place) {
    const answers = place.pages(
      'ec2',
      (m, NextToken) => new m.DescribeVolumesCommand({ MaxResults: pageMax, ...(NextToken && { NextToken }) }),
      ({ NextToken }) => NextToken,
    )
    const isRoot = (id: string) => place.known.roots?.has(id)
    const free: Volume[] = []
    for await (const { Volumes } of answers) {
      free.push(...listOf(Volumes).filter(isUnattached))
      yield listOf(Volumes)
        .filter((one) => !isUnattached(one))
        .flatMap((one) => volume(one, place, isRoot))
    }
    const detachments = await detachmentsOf(place, new Set(free.map(({ VolumeId = '' }) => VolumeId)))
    for (const page of chunks(free, pageMax))
      yield page.flatMap((one) => volume(one, place, isRoot, detachments.get(one.VolumeId ?? '')))
  },
}

/** Only the account's own snapshots. All of the region are read first, to count the newer ones of each volume. */
const snapshots: Finder = {
  ...ec2,
  types: ['aws-ebs-snapshot'],
  async *find(place) {
    const all: Snapshot[] = []
    const answers = place.pages(
      'ec2',
      (m, NextToken) =>
        new m.DescribeSnapshotsCommand({ OwnerIds: ['self'], MaxResults: pageMax, ...(NextToken && { NextToken }) }),
      ({ NextToken }) => NextToken,
    )
    for await (const { Snapshots } of answers) all.push(...listOf(Snapshots))
    if (all.length === 0) return
    const newerThan = volumesSince(all)
    const images = await place.more('images', () => snapshotsOfImages(place))
    const zones = await place.more('fast restores', () => fastZonesIn(place))
    const shared = await place.more('public snapshots', () => publicIn(place))
    for (const page of chunks(all, pageMax))
      yield page.flatMap((one) => {
        const { SnapshotId: id = '' } = one
        const uses = {
          images: images && (images.get(id) ?? 0),
          fastZones: zones && (zones.get(id) ?? 0),
          isPublic: shared?.has(id),
        }
        return snapshot(one, place, { ...uses, newer: newerThan(one) })
      })
  },
}

/** Number of the account's images by snapshot. */
async function snapshotsOfImages(place: RegionScan): Promise<ReadonlyMap<string, number>> {
  const answers = place.pages(
    'ec2',
    (m, NextToken) =>
      new m.DescribeImagesCommand({ Owners: ['self'], MaxResults: pageMax, ...(NextToken && { NextToken }) }),
    ({ NextToken }) => NextToken,
  )
  const disks: (string | undefined)[] = []
  for await (const { Images } of answers)
    for (const { BlockDeviceMappings } of listOf(Images))
      disks.push(...listOf(BlockDeviceMappings).map(({ Ebs }) => Ebs?.SnapshotId))
  return countBy(disks)
}

/** The account's snapshots that every account may restore. */
async function publicIn(place: RegionScan): Promise<ReadonlySet<string>> {
  const ask = { OwnerIds: ['self'], RestorableByUserIds: ['all'], MaxResults: pageMax }
  const answers = place.pages(
    'ec2',
    (m, NextToken) => new m.DescribeSnapshotsCommand({ ...ask, ...(NextToken && { NextToken }) }),
    ({ NextToken }) => NextToken,
  )
  const found = new Set<string>()
  for await (const { Snapshots } of answers)
    for (const { SnapshotId = '' } of listOf(Snapshots)) found.add(copyOf(SnapshotId))
  return found
}

/** Number of zones with fast restore by snapshot. */
async function fastZonesIn(place: RegionScan): Promise<ReadonlyMap<string, number>> {
  const Filters = [{ Name: 'state', Values: ['enabling', 'optimizing', 'enabled'] }]
  const answers = place.pages(
    'ec2',
    (m, NextToken) =>
      new m.DescribeFastSnapshotRestoresCommand({ Filters, MaxResults: 200, ...(NextToken && { NextToken }) }),
    ({ NextToken }) => NextToken,
  )
  const found: (string | undefined)[] = []
  for await (const { FastSnapshotRestores } of answers)
    found.push(...listOf(FastSnapshotRestores).map(({ SnapshotId }) => SnapshotId))
  return countBy(found)
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
    if (all.length === 0) return
    const routes = await place.more('routes', () => routesTo(place))
    const endpoints = await place.more('endpoints', () => networksWithS3(place))
    yield all.flatMap((one) =>
      natGateway(one, place, {
        inNetwork: networks.get(one.VpcId)?.length ?? 1,
        routes: routes && (routes.get(one.NatGatewayId ?? '') ?? 0),
        hasS3Endpoint: endpoints?.has(one.VpcId),
      }),
    )
  },
}

/** Number of routes by NAT gateway. */
async function routesTo(place: RegionScan): Promise<ReadonlyMap<string, number>> {
  const answers = place.pages(
    'ec2',
    (m, NextToken) => new m.DescribeRouteTablesCommand({ MaxResults: 100, ...(NextToken && { NextToken }) }),
    ({ NextToken }) => NextToken,
  )
  const found: (string | undefined)[] = []
  for await (const { RouteTables } of answers)
    for (const { Routes } of listOf(RouteTables)) found.push(...listOf(Routes).map(({ NatGatewayId }) => NatGatewayId))
  return countBy(found)
}

/** Networks with a gateway endpoint for S3. */
async function networksWithS3(place: RegionScan): Promise<ReadonlySet<string | undefined>> {
  const Filters = [
    { Name: 'service-name', Values: [`com.amazonaws.${place.region}.s3`] },
    { Name: 'vpc-endpoint-type', Values: ['Gateway'] },
  ]
  const answers = place.pages(
    'ec2',
    (m, NextToken) =>
      new m.DescribeVpcEndpointsCommand({ Filters, MaxResults: pageMax, ...(NextToken && { NextToken }) }),
    ({ NextToken }) => NextToken,
  )
  const found = new Set<string | undefined>()
  for await (const { VpcEndpoints } of answers)
    for (const { VpcId, State } of listOf(VpcEndpoints)) if (!/delet/i.test(State ?? '')) found.add(VpcId)
  return found
}

/** One answer contains all addresses. Of those that are free one look-up says since when. */
const addresses: Finder = {
  ...ec2,
  types: ['aws-eip'],
  async *find(place) {
    const { Addresses } = await place.ask('ec2', (m) => new m.DescribeAddressesCommand({}))
    const all = listOf(Addresses)
    const ends = await disassociationsOf(place, all.filter(isFree))
    const holderOf = (id: string) => place.known.gateways.get(id)
    yield all.flatMap((one) => address(one, place, holderOf, ends.get(idOf(one))))
  },
}

export const ec2Finders: readonly Finder[] = [instances, volumes, snapshots, natGateways, addresses]
