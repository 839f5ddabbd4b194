/** Disks of EBS, and snapshots of them. */
import type { Volume } from '@aws-sdk/client-ec2'
import {
  absent,
  ignoreNotFound,
  snapshotProgress,
  unsupportedFault,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish, numberIn, textIn } from '#streams/cloud/resource/verb/spec.ts'
import { actionTag, type At, type Verbs } from '#streams/cloud/aws/act/kind.ts'

async function look(at: At): Promise<ResourceState> {
  const { session, region, name } = at
  const answer = await ignoreNotFound(
    session.ask('ec2', region, (m) => new m.DescribeVolumesCommand({ VolumeIds: [name] })),
  )
  const volume = answer?.Volumes?.[0]
  if (!volume || volume.State === 'deleted') return absent
  return {
    exists: true,
    status: volume.State === 'deleting' ? 'stopping' : 'running',
    ...dropNullish({ instanceType: volume.VolumeType as string | undefined }),
    specs: specsOf(volume),
    isGoing: volume.State === 'deleting',
    coming: await comingTo(at),
  }
}

const specsOf = ({ State, VolumeType, Iops, Throughput, Size }: Volume) =>
  dropNullish({ state: State, volume_type: VolumeType, iops: Iops, throughput_mibps: Throughput, size_gb: Size })

/** What a change that AWS has taken makes of it. While it is being optimized it is so already. */
async function comingTo({ session, region, name }: At): Promise<Record<string, unknown>> {
  const answer = await ignoreNotFound(
    session.ask('ec2', region, (m) => new m.DescribeVolumesModificationsCommand({ VolumeIds: [name] })),
  )
  const change = answer?.VolumesModifications?.find(({ ModificationState: state }) => state === 'modifying')
  if (!change) return {}
  const { TargetVolumeType, TargetIops, TargetThroughput, TargetSize } = change
  return dropNullish({
    volume_type: TargetVolumeType,
    iops: TargetIops,
    throughput_mibps: TargetThroughput,
    size_gb: TargetSize,
  })
}

const set: Verbs['set'] = async ({ session, region, name, ref }, specs, { specs: now = {} }) => {
  const Size = numberIn(specs, 'size_gb')
  if (Size !== undefined && Size < Number(now['size_gb'] ?? 0)) throw unsupportedFault(ref, 'shrinking')
  const change = dropNullish({
    VolumeType: textIn(specs, 'volume_type') as 'gp3' | undefined,
    Iops: numberIn(specs, 'iops'),
    Throughput: numberIn(specs, 'throughput_mibps'),
    Size,
  })
  await session.ask('ec2', region, (m) => new m.ModifyVolumeCommand({ VolumeId: name, ...change }))
}

/** EBS has no token for snapshots: one is found by its tag. It is asked for once, because a lost answer may have created it. */
const snapshot: Verbs['snapshot'] = {
  find: async ({ session, region }, name) => {
    const filter = { OwnerIds: ['self'], Filters: [{ Name: `tag:${actionTag}`, Values: [name] }] }
    const { Snapshots = [] } = await session.ask('ec2', region, (m) => new m.DescribeSnapshotsCommand(filter))
    return snapshotProgress(name, Snapshots[0]?.State)
  },
  create: ({ session, region, name }, id) => {
    const Tags = [actionTag, 'Name'].map((Key) => ({ Key, Value: id }))
    const order = {
      VolumeId: name,
      Description: `Tidemark: ${name}`,
      TagSpecifications: [{ ResourceType: 'snapshot' as const, Tags }],
    }
    return session.ask('ec2', region, (m) => new m.CreateSnapshotCommand(order), { repeatable: false })
  },
}

export const volume: ResourceKind<At> = {
  look,
  sets: ['volume_type', 'iops', 'throughput_mibps', 'size_gb'],
  set,
  snapshot,
  delete: ({ session, region, name }) =>
    session.ask('ec2', region, (m) => new m.DeleteVolumeCommand({ VolumeId: name })),
}

async function lookSnapshot({ session, region, name }: At): Promise<ResourceState> {
  const answer = await ignoreNotFound(
    session.ask('ec2', region, (m) => new m.DescribeSnapshotsCommand({ SnapshotIds: [name] })),
  )
  const found = answer?.Snapshots?.[0]
  if (!found) return absent
  const zones = await fastZones({ session, region, name })
  return {
    exists: true,
    status: 'running',
    specs: dropNullish({ storage_tier: found.StorageTier, encrypted: found.Encrypted, fsr_zone_count: zones?.length }),
  }
}

/** Zones in which it is restored fast; undefined where that may not be looked at. */
async function fastZones({ session, region, name }: Omit<At, 'ref'>): Promise<string[] | undefined> {
  const filter = { Filters: [{ Name: 'snapshot-id', Values: [name] }] }
  const answer = await session
    .ask('ec2', region, (m) => new m.DescribeFastSnapshotRestoresCommand(filter))
    .catch(() => undefined)
  const found = answer?.FastSnapshotRestores?.filter(({ State }) => State !== 'disabled' && State !== 'disabling')
  return found?.flatMap(({ AvailabilityZone }) => AvailabilityZone ?? [])
}

const setSnapshot: Verbs['set'] = async (at, specs) => {
  const { session, region, name, ref } = at
  if (specs['fsr_zone_count'] !== undefined) {
    if (specs['fsr_zone_count'] !== 0) throw unsupportedFault(ref, 'turning on fast restore')
    const zones = (await fastZones(at)) ?? []
    const order = { SourceSnapshotIds: [name], AvailabilityZones: zones }
    await session.ask('ec2', region, (m) => new m.DisableFastSnapshotRestoresCommand(order))
  }
  if (specs['storage_tier'] === undefined) return
  if (specs['storage_tier'] !== 'archive') throw unsupportedFault(ref, 'restoring from the archive tier')
  const order = { SnapshotId: name, StorageTier: 'archive' } as const
  await session.ask('ec2', region, (m) => new m.ModifySnapshotTierCommand(order))
}

export const volumeSnapshot: ResourceKind<At> = {
  look: lookSnapshot,
  sets: ['storage_tier', 'fsr_zone_count'],
  set: setSnapshot,
  delete: ({ session, region, name }) =>
    session.ask('ec2', region, (m) => new m.DeleteSnapshotCommand({ SnapshotId: name })),
}
