/** Disks of Compute Engine, snapshots of them, addresses and forwarding rules. */
import { cloudFault, type ActionOutcome } from '#streams/cloud/connector.ts'
import { Address, Disk, ForwardingRule, Snapshot } from '#streams/cloud/gcp/answer/compute.ts'
import { lastOf, partsOf } from '#streams/cloud/gcp/resource-path.ts'
import { numberOf } from '#streams/cloud/gcp/map/resource.ts'
import { applyChange, computePath, got, removable } from './compute.ts'
import {
  deleting,
  requireExisting,
  madeName,
  notThere,
  numberIn,
  setting,
  told,
  unlessMade,
  unsupported,
  type At,
  type ActionHandler,
  type ResourceKind,
  type ResourceState,
} from './kind.ts'

const pathOfDisk = (at: At): string => computePath(at, 'disks')

async function look(at: At): Promise<ResourceState> {
  const disk = await got(at, pathOfDisk(at), 'compute.disks.get', Disk)
  if (!disk) return notThere
  const isGoing = disk.status === 'DELETING'
  return {
    exists: true,
    status: isGoing ? 'stopping' : disk.status === 'CREATING' || disk.status === 'RESTORING' ? 'pending' : 'running',
    instanceType: lastOf(disk.type),
    specs: told({
      size_gb: numberOf(disk.sizeGb),
      provisioned_iops: numberOf(disk.provisionedIops),
      attached: Boolean(disk.users?.length),
    }),
    isGoing,
  }
}

const set = setting(look, async (at, specs, { specs: now = {} }) => {
  const size = numberIn(specs, 'size_gb')
  const iops = numberIn(specs, 'provisioned_iops')
  if (size !== undefined && size < Number(now['size_gb'] ?? 0)) throw unsupported(at.ref, 'shrinking')
  const path = pathOfDisk(at)
  if (size !== undefined)
    await applyChange(at, {
      path: `${path}/resize`,
      body: { sizeGb: String(size) },
      permission: 'compute.disks.resize',
    })
  if (iops === undefined) return
  const body = { provisionedIops: String(iops) }
  await applyChange(at, {
    path,
    method: 'PATCH',
    query: { paths: 'provisionedIops' },
    body,
    permission: 'compute.disks.update',
  })
})

/** One of the name that follows from the action: Google makes no second of a name. */
const snapshot: ActionHandler = async (at, action) => {
  const name = madeName(action)
  const found = await snapshotState(at, name)
  if (found) return found
  await requireExisting(look, at)
  const body = { name, description: `Tidemark: ${lastOf(at.ref.resourceUid)}` }
  await unlessMade(
    applyChange(at, { path: `${pathOfDisk(at)}/createSnapshot`, body, permission: 'compute.disks.createSnapshot' }),
  )
  return (await snapshotState(at, name)) ?? { status: 'running' }
}

async function snapshotState(at: At, name: string): Promise<ActionOutcome | undefined> {
  const { projects } = partsOf(at.ref.resourceUid, 'projects')
  const found = await got(at, `/projects/${projects}/global/snapshots/${name}`, 'compute.snapshots.get', Snapshot)
  if (!found) return undefined
  if (found.status === 'FAILED')
    throw cloudFault('user_action', 'snapshot_failed', `Google could not create the snapshot ${name}.`)
  return { status: found.status === 'READY' ? 'succeeded' : 'running' }
}

export const disk: ResourceKind = {
  look,
  sets: ['size_gb', 'provisioned_iops'],
  acts: {
    set,
    snapshot,
    delete: deleting(look, (at) =>
      applyChange(at, { path: pathOfDisk(at), method: 'DELETE', permission: 'compute.disks.delete' }),
    ),
  },
}

export const diskSnapshot = removable('snapshots', Snapshot, ({ snapshotType, status }) => ({
  exists: true,
  status: 'running',
  specs: told({ snapshot_type: snapshotType }),
  isGoing: status === 'DELETING',
}))

/** One that hangs on something Google does not release: it says so. */
export const address = removable('addresses', Address, ({ status }) => ({
  exists: true,
  status: 'running',
  specs: { associated: status === 'IN_USE' },
}))

export const forwardingRule = removable('forwardingRules', ForwardingRule, () => ({ exists: true, status: 'running' }))
