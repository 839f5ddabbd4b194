/** Machines of Compute Engine. */
import { cloudFault } from '#streams/cloud/connector.ts'
import { t } from '#engine/value/schema.ts'
import { Instance } from '#streams/cloud/gcp/answer/compute.ts'
import { isSerial, serialKey, shieldOf } from '#streams/cloud/gcp/map/compute.ts'
import { lastOf, partsOf, pathOf } from '#streams/cloud/gcp/resource-path.ts'
import { statusOf } from '#streams/cloud/resource/status.ts'
import { applyChange, computePath, got } from './compute.ts'
import {
  absent,
  type Absent,
  requireStopped,
  snapshotProgress,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish, flagIn } from '#streams/cloud/resource/verb/spec.ts'
import type { At, Verbs } from './kind.ts'

interface SeenMachine extends ResourceState {
  machine: Instance
}

const pathOfMachine = (at: At): string => computePath(at, 'zones', 'instances')

async function look(at: At): Promise<SeenMachine | Absent> {
  const machine = await got(at, pathOfMachine(at), 'compute.instances.get', Instance)
  if (!machine) return absent
  return {
    exists: true,
    ...dropNullish({
      status: statusOf('gcp-vm', machine.status),
      instanceType: lastOf(machine.machineType) || undefined,
    }),
    specs: dropNullish({
      deletion_protection: machine.deletionProtection ?? false,
      serial_port_enabled: isSerial(machine),
      shielded_vm: shieldOf(machine),
    }),
    machine,
  }
}

const set: Required<ResourceKind<At, SeenMachine>>['set'] = async (at, specs, { machine }) => {
  const path = pathOfMachine(at)
  const isProtected = flagIn(specs, 'deletion_protection')
  const isOpen = flagIn(specs, 'serial_port_enabled')
  const isShielded = flagIn(specs, 'shielded_vm')
  if (isProtected !== undefined) {
    const query = { deletionProtection: isProtected }
    await applyChange(at, {
      path: `${path}/setDeletionProtection`,
      query,
      permission: 'compute.instances.setDeletionProtection',
    })
  }
  if (isOpen !== undefined) {
    const { fingerprint, items = [] } = machine.metadata ?? {}
    const others = items.filter(({ key }) => key !== serialKey)
    const body = {
      ...(fingerprint !== undefined && { fingerprint }),
      items: [...others, { key: serialKey, value: String(isOpen) }],
    }
    await applyChange(at, { path: `${path}/setMetadata`, body, permission: 'compute.instances.setMetadata' })
  }
  if (isShielded === undefined) return
  const body = { enableVtpm: isShielded, enableIntegrityMonitoring: isShielded }
  const change = { path: `${path}/updateShieldedInstanceConfig`, method: 'PATCH', body } as const
  await applyChange(at, { ...change, permission: 'compute.instances.updateShieldedInstanceConfig' })
}

const Image = t.Object({ status: t.Optional(t.String()) })

/** An image of all of its disks. Its name is unique in the project, so it is created once. */
const snapshot: Verbs['snapshot'] = {
  find: async (at, name) => {
    const { projects } = partsOf(at.ref.resourceUid, 'projects')
    const path = `/projects/${projects}/global/machineImages/${name}`
    const found = await got(at, path, 'compute.machineImages.get', Image)
    return found && snapshotProgress(name, found.status ?? '')
  },
  create: (at, name) => {
    const { projects } = partsOf(at.ref.resourceUid, 'projects')
    const body = {
      name,
      sourceInstance: pathOf(at.ref.resourceUid),
      description: `Tidemark: ${lastOf(at.ref.resourceUid)}`,
    }
    const path = `/projects/${projects}/global/machineImages`
    return applyChange(at, { path, body, permission: 'compute.machineImages.create' })
  },
}

export const machine: ResourceKind<At, SeenMachine> = {
  look,
  sets: ['deletion_protection', 'serial_port_enabled', 'shielded_vm'],
  // A suspended one continues where it was.
  start: (at, { machine: { status } }) =>
    status === 'SUSPENDED'
      ? applyChange(at, { path: `${pathOfMachine(at)}/resume`, permission: 'compute.instances.resume' })
      : applyChange(at, { path: `${pathOfMachine(at)}/start`, permission: 'compute.instances.start' }),
  stop: (at) => applyChange(at, { path: `${pathOfMachine(at)}/stop`, permission: 'compute.instances.stop' }),
  resize: (at, size, seen) => {
    if (!/^[a-z0-9-]{1,63}$/.test(size))
      throw cloudFault('user_action', 'invalid_size', `${size.slice(0, 80)} is not a machine type.`)
    requireStopped(at, seen)
    const { zones } = partsOf(at.ref.resourceUid, 'zones')
    return applyChange(at, {
      path: `${pathOfMachine(at)}/setMachineType`,
      body: { machineType: `zones/${zones}/machineTypes/${size}` },
      permission: 'compute.instances.setMachineType',
    })
  },
  set,
  snapshot,
  delete: (at) =>
    applyChange(at, { path: pathOfMachine(at), method: 'DELETE', permission: 'compute.instances.delete' }),
}
