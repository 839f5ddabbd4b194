/** Machines of Compute Engine. */
import { cloudFault, type ActionOutcome } from '#streams/cloud/connector.ts'
import { t } from '#engine/value/schema.ts'
import { Instance } from '#streams/cloud/gcp/answer/compute.ts'
import { isSerial, serialKey, shieldOf } from '#streams/cloud/gcp/map/compute.ts'
import { lastOf, partsOf, pathOf } from '#streams/cloud/gcp/resource-path.ts'
import { statusOf } from '#streams/cloud/resource/status.ts'
import { applyChange, computePath, got } from './compute.ts'
import {
  deleting,
  flagIn,
  requireExisting,
  madeName,
  notThere,
  setting,
  switching,
  told,
  unlessMade,
  type At,
  type ActionHandler,
  type ResourceKind,
  type ResourceState,
} from './kind.ts'

interface SeenMachine extends ResourceState {
  machine: Instance
}

const pathOfMachine = (at: At): string => computePath(at, 'zones', 'instances')

async function look(at: At): Promise<SeenMachine | typeof notThere> {
  const machine = await got(at, pathOfMachine(at), 'compute.instances.get', Instance)
  if (!machine) return notThere
  return {
    exists: true,
    ...told({ status: statusOf('gcp-vm', machine.status), instanceType: lastOf(machine.machineType) || undefined }),
    specs: told({
      deletion_protection: machine.deletionProtection ?? false,
      serial_port_enabled: isSerial(machine),
      shielded_vm: shieldOf(machine),
    }),
    machine,
  }
}

/** One that is suspended goes on from where it was. */
const start = switching(look, 'running', (at, { machine }) => {
  const path = pathOfMachine(at)
  return machine.status === 'SUSPENDED'
    ? applyChange(at, { path: `${path}/resume`, permission: 'compute.instances.resume' })
    : applyChange(at, { path: `${path}/start`, permission: 'compute.instances.start' })
})

const stop = switching(look, 'stopped', (at) =>
  applyChange(at, { path: `${pathOfMachine(at)}/stop`, permission: 'compute.instances.stop' }),
)

const resize: ActionHandler = async (at, action) => {
  const { size } = action
  const { resourceUid } = at.ref
  if (size === undefined || !/^[a-z0-9-]{1,63}$/.test(size))
    throw cloudFault('user_action', 'invalid_size', `The new size of ${resourceUid} is missing.`)
  const { status, instanceType } = await requireExisting(look, at)
  if (instanceType === size) return { status: 'succeeded' }
  if (status !== 'stopped')
    throw cloudFault('user_action', 'invalid_state', `${resourceUid} is ${status}: stop it before you resize it.`)
  const { zones } = partsOf(resourceUid, 'zones')
  const body = { machineType: `zones/${zones}/machineTypes/${size}` }
  await applyChange(at, {
    path: `${pathOfMachine(at)}/setMachineType`,
    body,
    permission: 'compute.instances.setMachineType',
  })
  const { instanceType: now } = await requireExisting(look, at)
  return { status: now === size ? 'succeeded' : 'running' }
}

const set = setting(look, async (at, specs, { machine }) => {
  const path = pathOfMachine(at)
  const isProtected = flagIn(at, specs, 'deletion_protection')
  const isOpen = flagIn(at, specs, 'serial_port_enabled')
  const isShielded = flagIn(at, specs, 'shielded_vm')
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
})

const Image = t.Object({ status: t.Optional(t.String()) })

/** An image of all of its disks: the name is unique in the project, so that it is made once. */
const snapshot: ActionHandler = async (at, action) => {
  const name = madeName(action)
  const found = await imageState(at, name)
  if (found) return found
  await requireExisting(look, at)
  const { projects } = partsOf(at.ref.resourceUid, 'projects')
  const body = {
    name,
    sourceInstance: pathOf(at.ref.resourceUid),
    description: `Tidemark: ${lastOf(at.ref.resourceUid)}`,
  }
  const path = `/projects/${projects}/global/machineImages`
  await unlessMade(applyChange(at, { path, body, permission: 'compute.machineImages.create' }))
  return (await imageState(at, name)) ?? { status: 'running' }
}

async function imageState(at: At, name: string): Promise<ActionOutcome | undefined> {
  const { projects } = partsOf(at.ref.resourceUid, 'projects')
  const found = await got(at, `/projects/${projects}/global/machineImages/${name}`, 'compute.machineImages.get', Image)
  if (!found) return undefined
  if (found.status === 'INVALID')
    throw cloudFault('user_action', 'snapshot_failed', `Google could not create the image ${name}.`)
  return { status: found.status === 'READY' ? 'succeeded' : 'running' }
}

export const machine: ResourceKind = {
  look: seenOf,
  sets: ['deletion_protection', 'serial_port_enabled', 'shielded_vm'],
  acts: {
    start,
    stop,
    resize,
    set,
    snapshot,
    delete: deleting(look, (at) =>
      applyChange(at, { path: pathOfMachine(at), method: 'DELETE', permission: 'compute.instances.delete' }),
    ),
  },
}

async function seenOf(at: At): Promise<ResourceState> {
  const seen = await look(at)
  if (!seen.exists) return seen
  const { machine: _, ...rest } = seen as SeenMachine
  return rest
}
