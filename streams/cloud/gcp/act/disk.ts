/** Disks of Compute Engine, snapshots of them, addresses and forwarding rules. */
import { Address, Disk, ForwardingRule, Snapshot } from '#streams/cloud/gcp/answer/compute.ts'
import { lastOf, partsOf } from '#streams/cloud/gcp/resource-path.ts'
import { numberOf } from '#streams/cloud/gcp/map/resource.ts'
import { applyChange, computePath, got, removable } from './compute.ts'
import {
  absent,
  snapshotProgress,
  unsupportedFault,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish, numberIn } from '#streams/cloud/resource/verb/spec.ts'
import type { At, Verbs } from './kind.ts'

const pathOfDisk = (at: At): string => computePath(at, 'disks')

async function look(at: At): Promise<ResourceState> {
  const disk = await got(at, pathOfDisk(at), 'compute.disks.get', Disk)
  if (!disk) return absent
  const isGoing = disk.status === 'DELETING'
  return {
    exists: true,
    status: isGoing ? 'stopping' : disk.status === 'CREATING' || disk.status === 'RESTORING' ? 'pending' : 'running',
    instanceType: lastOf(disk.type),
    specs: dropNullish({
      size_gb: numberOf(disk.sizeGb),
      provisioned_iops: numberOf(disk.provisionedIops),
      attached: Boolean(disk.users?.length),
    }),
    isGoing,
  }
}

const set: Verbs['set'] = async (at, specs, { specs: now = {} }) => {
  const size = numberIn(specs, 'size_gb')
  const iops = numberIn(specs, 'provisioned_iops')
  if (size !== undefined && size < Number(now['size_gb'] ?? 0)) throw unsupportedFault(at.ref, 'shrinking')
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
}

/** Google creates no second one of a name. */
const snapshot: Verbs['snapshot'] = {
  find: async (at, name) => {
    const { projects } = partsOf(at.ref.resourceUid, 'projects')
    const found = await got(at, `/projects/${projects}/global/snapshots/${name}`, 'compute.snapshots.get', Snapshot)
    return found && snapshotProgress(name, found.status ?? '')
  },
  create: (at, name) => {
    const body = { name, description: `Tidemark: ${lastOf(at.ref.resourceUid)}` }
    return applyChange(at, {
      path: `${pathOfDisk(at)}/createSnapshot`,
      body,
      permission: 'compute.disks.createSnapshot',
    })
  },
}

export const disk: ResourceKind<At> = {
  look,
  sets: ['size_gb', 'provisioned_iops'],
  set,
  snapshot,
  delete: (at) => applyChange(at, { path: pathOfDisk(at), method: 'DELETE', permission: 'compute.disks.delete' }),
}

export const diskSnapshot = removable('snapshots', Snapshot, ({ snapshotType, status }) => ({
  exists: true,
  status: 'running',
  specs: dropNullish({ snapshot_type: snapshotType }),
  isGoing: status === 'DELETING',
}))

/** One that hangs on something Google does not release: it says so. */
export const address = removable('addresses', Address, ({ status }) => ({
  exists: true,
  status: 'running',
  specs: { associated: status === 'IN_USE' },
}))

export const forwardingRule = removable('forwardingRules', ForwardingRule, () => ({ exists: true, status: 'running' }))
