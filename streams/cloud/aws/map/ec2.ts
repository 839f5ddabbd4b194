/** Maps EC2 instances, volumes, snapshots, addresses and NAT gateways. */
import type { Address, Instance, NatGateway, Snapshot, Volume } from '@aws-sdk/client-ec2'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { machineUsd, unitUsd } from '#streams/cloud/aws/resource/price.ts'
import { listOf, nameIn, orNull, resource, tagsOf, timeOf, type Where } from './resource.ts'

/** A terminated instance stays in lists for an hour. */
export const isGone = ({ State }: Instance): boolean => State?.Name === 'terminated'

const isLinux = ({ Platform, PlatformDetails }: Instance): boolean =>
  String(Platform).toLowerCase() !== 'windows' && (PlatformDetails ?? 'Linux/UNIX') === 'Linux/UNIX'

/**
 * `groupOf` returns the uid for the name of an Auto Scaling group. The price tables contain neither spot prices nor
 * prices of other software. `credits`: how it is charged for bursts; undefined if unknown.
 */
export function instance(
  one: Instance,
  where: Where,
  groupOf: (name: string) => string | undefined,
  credits?: 'standard' | 'unlimited',
): DiscoveredResource[] {
  const group = tagsOf(one.Tags)['aws:autoscaling:groupName']
  const isPriced = one.InstanceLifecycle === undefined && isLinux(one)
  return resource('aws-ec2', one.InstanceId, where, {
    name: nameIn(one.Tags),
    state: one.State?.Name,
    zone: one.Placement?.AvailabilityZone,
    instanceType: one.InstanceType,
    tags: one.Tags,
    parentUID: group === undefined ? undefined : groupOf(group),
    // Its group would consider a stopped instance unhealthy and replace it.
    schedulable: group === undefined ? undefined : false,
    hourlyRateUSD: isPriced ? machineUsd(one.InstanceType, where.region) : undefined,
    specs: { ...specsOf(one), cpu_credits: credits },
  })
}

function specsOf(one: Instance): Record<string, unknown> {
  return {
    created_at: madeAt(one),
    launched_at: timeOf(one.LaunchTime),
    image_id: one.ImageId,
    vpc_id: one.VpcId,
    subnet_id: one.SubnetId,
    lifecycle: one.InstanceLifecycle ?? 'on-demand',
    platform_details: one.PlatformDetails ?? (one.Platform ? 'Windows' : undefined),
    architecture: one.Architecture,
    monitoring_detailed: one.Monitoring ? ['enabled', 'pending'].includes(one.Monitoring.State ?? '') : undefined,
    imds_v1_allowed: one.MetadataOptions?.HttpTokens ? one.MetadataOptions.HttpTokens === 'optional' : undefined,
    public_ipv4: one.PublicIpAddress || null,
    tenancy: one.Placement?.Tenancy,
    iam_profile: one.IamInstanceProfile?.Arn ?? null,
    ebs_optimized: one.EbsOptimized,
    arm_ready: isLinux(one),
  }
}

/**
 * The earliest known time. Restarting changes the launch time, but not the times when the first volumes and interfaces
 * were attached.
 */
function madeAt(one: Instance): string | undefined {
  const attached = listOf(one.BlockDeviceMappings).map((disk) => timeOf(disk.Ebs?.AttachTime))
  const plugged = listOf(one.NetworkInterfaces).map((card) => timeOf(card.Attachment?.AttachTime))
  return [timeOf(one.LaunchTime), ...attached, ...plugged].filter((time) => time !== undefined).toSorted()[0]
}

/** Id of the volume that it starts from. */
export const rootVolume = (one: Instance): string | undefined =>
  listOf(one.BlockDeviceMappings).find(({ DeviceName }) => DeviceName === one.RootDeviceName)?.Ebs?.VolumeId

export const isUnattached = ({ Attachments }: Volume): boolean => listOf(Attachments).length === 0

/**
 * `isRoot` tells whether a volume in use is the root of its machine; undefined if unknown. `detachedAt`: when an unattached
 * volume was detached, if known.
 */
export function volume(
  one: Volume,
  where: Where,
  isRoot: (volumeId: string) => boolean | undefined,
  detachedAt?: Date,
): DiscoveredResource[] {
  const [held] = listOf(one.Attachments)
  return resource('aws-ebs-volume', one.VolumeId, where, {
    name: nameIn(one.Tags),
    zone: one.AvailabilityZone,
    parentUID: held?.InstanceId,
    instanceType: one.VolumeType,
    sizeGB: one.Size,
    tags: one.Tags,
    specs: {
      created_at: timeOf(one.CreateTime),
      state: one.State,
      attached: held !== undefined,
      volume_type: one.VolumeType,
      iops: one.Iops,
      throughput_mibps: one.Throughput,
      encrypted: one.Encrypted,
      multi_attach: one.MultiAttachEnabled,
      is_root: held === undefined ? false : isRoot(one.VolumeId ?? ''),
      detached_at: timeOf(detachedAt),
    },
  })
}

/** What other lists of a region say of a snapshot; undefined: unknown. */
export interface SnapshotUses {
  /** Images of the account that consist of it. */
  images: number | undefined
  /** Newer ones of the same volume. */
  newer: number | undefined
  /** Zones in which volumes of it are fast at once, which is paid by the hour. */
  fastZones: number | undefined
  /** Every account may restore it. */
  isPublic: boolean | undefined
}

export function snapshot(one: Snapshot, where: Where, uses: SnapshotUses): DiscoveredResource[] {
  const tags = Object.keys(tagsOf(one.Tags))
  return resource('aws-ebs-snapshot', one.SnapshotId, where, {
    name: nameIn(one.Tags),
    parentUID: one.VolumeId,
    sizeGB: one.VolumeSize,
    tags: one.Tags,
    specs: {
      created_at: timeOf(one.StartTime),
      state: one.State,
      volume_id: one.VolumeId,
      storage_tier: one.StorageTier,
      encrypted: one.Encrypted,
      managed_by_backup: tags.some((tag) => tag.startsWith('aws:backup:') || tag.startsWith('aws:dlm:')),
      ami_count: uses.images,
      newer_snapshot_count: uses.newer,
      fsr_zone_count: uses.fastZones,
      public: uses.isPublic,
    },
  })
}

/** `holderOf` returns the gateway that uses a network interface, if one does. `freeSince`: when its last association ended. */
export function address(
  one: Address,
  where: Where,
  holderOf: (interfaceId: string) => string | undefined,
  freeSince?: Date,
): DiscoveredResource[] {
  return resource('aws-eip', one.AllocationId ?? one.PublicIp, where, {
    name: nameIn(one.Tags) ?? one.PublicIp,
    parentUID: one.InstanceId || holderOf(one.NetworkInterfaceId ?? ''),
    tags: one.Tags,
    hourlyRateUSD: unitUsd('aws.ipv4.public_hour', where.region),
    specs: {
      associated: Boolean(one.AssociationId ?? one.InstanceId ?? one.NetworkInterfaceId),
      public_ipv4: one.PublicIp,
      network_interface_id: orNull(one.NetworkInterfaceId),
      unchanged_since: timeOf(freeSince),
    },
  })
}

/** Like a terminated instance. */
export const isDeleted = ({ State }: NatGateway): boolean => State === 'deleted'

/** What other lists of a region say of a NAT gateway; undefined: unknown. */
export interface GatewayUses {
  /** Gateways of its network. */
  inNetwork: number
  routes: number | undefined
  /** Whether its network reaches S3 without it. */
  hasS3Endpoint: boolean | undefined
}

export function natGateway(one: NatGateway, where: Where, uses: GatewayUses): DiscoveredResource[] {
  return resource('aws-nat-gateway', one.NatGatewayId, where, {
    name: nameIn(one.Tags),
    tags: one.Tags,
    specs: {
      created_at: timeOf(one.CreateTime),
      state: one.State,
      connectivity_type: one.ConnectivityType,
      vpc_id: one.VpcId,
      subnet_id: one.SubnetId,
      vpc_nat_gateway_count: uses.inNetwork,
      route_count: uses.routes,
      vpc_has_s3_endpoint: uses.hasS3Endpoint,
    },
  })
}
