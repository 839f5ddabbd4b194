/** Disks of EBS, and snapshots of them. */
import type { Volume } from '@aws-sdk/client-ec2'
import { cloudFault, type ActionOutcome } from '#streams/cloud/connector.ts'
import {
  actionTag,
  deleting,
  ignoreNotFound,
  requireExisting,
  madeName,
  notThere,
  numberIn,
  setting,
  textIn,
  dropNullish,
  unsupportedFault,
  type At,
  type ActionHandler,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/aws/act/kind.ts'

async function look(at: At): Promise<ResourceState> {
  const { session, region, name } = at
  const answer = await ignoreNotFound(
    session.ask('ec2', region, (m) => new m.DescribeVolumesCommand({ VolumeIds: [name] })),
  )
  const volume = answer?.Volumes?.[0]
  if (!volume || volume.State === 'deleted') return notThere
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

const set = setting(look, async ({ session, region, name, ref }, specs, { specs: now = {} }) => {
  const Size = numberIn(specs, 'size_gb')
  if (Size !== undefined && Size < Number(now['size_gb'] ?? 0)) throw unsupportedFault(ref, 'shrinking')
  const change = dropNullish({
    VolumeType: textIn(specs, 'volume_type') as 'gp3' | undefined,
    Iops: numberIn(specs, 'iops'),
    Throughput: numberIn(specs, 'throughput_mibps'),
    Size,
  })
  await session.ask('ec2', region, (m) => new m.ModifyVolumeCommand({ VolumeId: name, ...change }))
})

/**
 * AWS has no token for snapshots: one is known again by the tag it is made with, which is there with it. A call is asked once, for
 * one that is not answered may have made it.
 */
const snapshot: ActionHandler = async (at, action) => {
  const { session, region, name } = at
  const id = madeName(action)
  const found = await snapshotState(at, id)
  if (found) return found
  await requireExisting({ look }, at)
  const Tags = [
    { Key: actionTag, Value: id },
    { Key: 'Name', Value: id },
  ]
  const order = {
    VolumeId: name,
    Description: `Tidemark: ${name}`,
    TagSpecifications: [{ ResourceType: 'snapshot' as const, Tags }],
  }
  const made = await session.ask('ec2', region, (m) => new m.CreateSnapshotCommand(order), { repeatable: false })
  return stateOf(made.State, id)
}

async function snapshotState({ session, region }: At, id: string): Promise<ActionOutcome | undefined> {
  const filter = { OwnerIds: ['self'], Filters: [{ Name: `tag:${actionTag}`, Values: [id] }] }
  const { Snapshots = [] } = await session.ask('ec2', region, (m) => new m.DescribeSnapshotsCommand(filter))
  return Snapshots[0] && stateOf(Snapshots[0].State, id)
}

function stateOf(state: string | undefined, id: string): ActionOutcome {
  if (state === 'error') throw cloudFault('user_action', 'snapshot_failed', `AWS could not create the snapshot ${id}.`)
  return { status: state === 'completed' ? 'succeeded' : 'running' }
}

export const volume: ResourceKind = {
  look,
  sets: ['volume_type', 'iops', 'throughput_mibps', 'size_gb'],
  acts: {
    set,
    snapshot,
    delete: deleting(look, ({ session, region, name }) =>
      session.ask('ec2', region, (m) => new m.DeleteVolumeCommand({ VolumeId: name })),
    ),
  },
}

async function lookSnapshot({ session, region, name }: At): Promise<ResourceState> {
  const answer = await ignoreNotFound(
    session.ask('ec2', region, (m) => new m.DescribeSnapshotsCommand({ SnapshotIds: [name] })),
  )
  const found = answer?.Snapshots?.[0]
  if (!found) return notThere
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

const setSnapshot = setting(lookSnapshot, async (at, specs) => {
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
})

export const volumeSnapshot: ResourceKind = {
  look: lookSnapshot,
  sets: ['storage_tier', 'fsr_zone_count'],
  acts: {
    set: setSnapshot,
    delete: deleting(lookSnapshot, ({ session, region, name }) =>
      session.ask('ec2', region, (m) => new m.DeleteSnapshotCommand({ SnapshotId: name })),
    ),
  },
}
