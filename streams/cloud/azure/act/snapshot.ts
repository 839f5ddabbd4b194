/** Copies of disks and backups of servers. */
import { cloudFault } from '#streams/cloud/connector.ts'
import { goneFault, ignoreNotFound, snapshotProgress } from '#streams/cloud/resource/verb/kind.ts'
import { computeVersion, diskVersion } from '#streams/cloud/azure/discover/compute.ts'
import { groupOf } from '#streams/cloud/azure/session/path.ts'
import { listOf, memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import { askResource, itemAt, type At, type AzureKind } from './kind.ts'

type Snapshot = NonNullable<AzureKind['snapshot']>

/** A disk and the snapshot of it, which lies beside it. */
interface Copy {
  disk: string
  snapshot: At
}

function copyOf(at: At, disk: string, name: string): Copy {
  const group = encodeURIComponent(groupOf(disk) ?? '')
  const id = at.session.path(`/resourceGroups/${group}/providers/Microsoft.Compute/snapshots/${name}`)
  return { disk, snapshot: { ...at, id } }
}

/** Its snapshot is there once there is one of every disk. */
const copies = (version: string, copiesOf: (at: At, item: Item, name: string) => readonly Copy[]): Snapshot => ({
  find: async (at, name) => {
    const item = await itemAt(at, version)
    if (!item) throw goneFault(at)
    const found = await Promise.all(copiesOf(at, item, name).map(({ snapshot }) => itemAt(snapshot, diskVersion)))
    const states = found.map(
      (one) => one && snapshotProgress(name, textAt(one, 'properties', 'provisioningState') ?? ''),
    )
    if (states.includes(undefined)) return undefined
    return states.every((one) => one === 'done') ? 'done' : 'underWay'
  },
  create: async (at, name, { item }) => {
    for (const { disk, snapshot } of copiesOf(at, item!, name)) {
      if (await itemAt(snapshot, diskVersion)) continue
      const body = {
        location: textAt(item, 'location') ?? '',
        tags: { 'tidemark-of': disk.split('/').at(-1)!.slice(0, 256) },
        properties: { incremental: true, creationData: { createOption: 'Copy', sourceResourceId: disk } },
      }
      await askResource(snapshot, diskVersion, { method: 'PUT', body })
    }
  },
})

export const diskSnapshot = copies(diskVersion, (at, { id }, name) => [copyOf(at, id, name)])

/** Of all of its disks, the one it starts from first. */
export const machineSnapshot = copies(computeVersion, (at, item, name) => {
  const profile = memberOf(item, 'properties', 'storageProfile')
  const disks = [memberOf(profile, 'osDisk'), ...listOf(memberOf(profile, 'dataDisks'))]
  const ids = disks.flatMap((one) => textAt(one, 'managedDisk', 'id') ?? [])
  if (ids.length === 0)
    throw cloudFault('user_action', 'unsupported_action', `${at.ref.resourceUid} has no managed disk to copy.`)
  return ids.map((id, place) => copyOf(at, id, `${name}-${place}`))
})

/** Of a server, kept by it. */
export const backup = (version: string): Snapshot => {
  const backupAt = (at: At, name: string): At => ({ ...at, id: `${at.id}/backups/${name}` })
  return {
    find: async (at, name) =>
      (await ignoreNotFound(askResource(backupAt(at, name), version))) === undefined ? undefined : 'done',
    create: (at, name) => askResource(backupAt(at, name), version, { method: 'PUT' }),
  }
}
