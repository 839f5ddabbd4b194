/** Machines and scale sets. */
import { cloudFault, type CloudAction, type Capacity } from '#streams/cloud/connector.ts'
import { boundsIn } from '#streams/cloud/azure/scaling/autoscale.ts'
import { settingOf, writeBounds } from '#streams/cloud/azure/scaling/scaling.ts'
import { computeVersion } from '#streams/cloud/azure/discover/compute.ts'
import { machine as machineOf, powerIn, scaleSet } from '#streams/cloud/azure/map/compute.ts'
import { memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { numberAt } from '#streams/cloud/azure/map/resource.ts'
import {
  deleting,
  does,
  itemAt,
  ignoreNotFound,
  patchResource,
  askResource,
  deleteResource,
  resizing,
  scaling,
  seenAs,
  setting,
  switching,
  type At,
  type ResourceKind,
  type ResourceState,
} from './kind.ts'
import { machineSnapshot } from './snapshot.ts'

async function look(at: At): Promise<ResourceState> {
  const item = await itemAt(at, computeVersion, { $expand: 'instanceView' })
  return seenAs(item, (one) => machineOf(one, powerIn(memberOf(one, 'properties', 'instanceView'))))
}

/** Within its hardware a machine may change while it runs; on another it starts anew, which is for a person to choose. */
const resize = resizing(look, (at, vmSize, { status }) => {
  if (status !== 'stopped')
    throw cloudFault(
      'user_action',
      'invalid_state',
      `${at.ref.resourceUid} is ${status}: stop it before you resize it.`,
    )
  return patchResource(at, computeVersion, { properties: { hardwareProfile: { vmSize } } })
})

export const machine: ResourceKind = {
  look,
  sets: ['license_type'],
  acts: {
    start: switching(look, 'running', (at) => does(at, computeVersion, 'start')),
    // Deallocated: one that is merely stopped is paid for.
    stop: switching(stopLook, 'stopped', (at) => does(at, computeVersion, 'deallocate')),
    resize,
    set: setting(look, (at, { license_type: licenseType }) =>
      patchResource(at, computeVersion, { properties: { licenseType: licenseType ?? 'None' } }),
    ),
    snapshot: machineSnapshot,
    delete: deleting(look, (at) => deleteResource(at, computeVersion)),
  },
}

/** One that its own system has shut down is still paid for: it is off, and to be stopped. */
async function stopLook(at: At): Promise<ResourceState> {
  const seen = await look(at)
  return seen.specs?.['power_state'] === 'stopped' ? { ...seen, status: 'running' } : seen
}

/** A set may have so many machines where nothing else bounds it. */
const machinesMax = (item: unknown): number =>
  memberOf(item, 'properties', 'singlePlacementGroup') === true ? 100 : 1000

async function lookSet(at: At): Promise<ResourceState> {
  const item = await itemAt(at, computeVersion)
  if (!item) return seenAs(undefined, () => [])
  const view = await ignoreNotFound(askResource(at, computeVersion, { path: `${at.id}/instanceView` }))
  const setting = await settingOf(at)
  const bounds = setting && boundsIn(setting)
  const seen = seenAs(item, (one) =>
    scaleSet(one, { view, bounds: setting === undefined ? undefined : (bounds ?? null) }),
  )
  const desired = numberAt(item, 'sku', 'capacity') ?? 0
  const { min, max } = bounds?.isEnabled ? bounds : { min: 0, max: machinesMax(item) }
  return { ...seen, capacity: { min, max, desired } }
}

/** Without a setting that scales it a set has no bounds but Azure's. */
const fit = ({ min, max, desired }: Capacity, { item, specs = {} }: ResourceState): Capacity =>
  specs['autoscale'] === true ? { min, max, desired } : { min: 0, max: machinesMax(item), desired }

/** Its bounds first: what scales it would take back a number outside of them. */
async function setCount(at: At, to: Capacity, { item, capacity, specs = {} }: ResourceState): Promise<void> {
  if (specs['autoscale'] === true && (capacity?.min !== to.min || capacity.max !== to.max)) await writeBounds(at, to)
  if (capacity?.desired === to.desired) return
  await patchResource(at, computeVersion, { sku: { name: textAt(item, 'sku', 'name'), capacity: to.desired } })
}

const scale = scaling(lookSet, fit, setCount)

export const set: ResourceKind = {
  look: lookSet,
  sets: ['capacity'],
  acts: {
    start: switching(lookSet, 'running', startSet),
    stop: switching(lookSet, 'stopped', (at) => does(at, computeVersion, 'deallocate')),
    scale,
    resize: resizing(lookSet, (at, name, { capacity }) =>
      patchResource(at, computeVersion, { sku: { name, capacity: capacity?.desired } }),
    ),
    set: setting(lookSet, (at, { capacity }, { item }) =>
      patchResource(at, computeVersion, { sku: { name: textAt(item, 'sku', 'name'), capacity } }),
    ),
    delete: deleting(lookSet, (at) => deleteResource(at, computeVersion)),
  },
}

/** One that has no machines is given some: there is nothing else to be started. */
async function startSet(at: At, { item, capacity }: ResourceState, { params = {} }: CloudAction): Promise<void> {
  if (capacity?.desired === 0)
    await patchResource(at, computeVersion, {
      sku: { name: textAt(item, 'sku', 'name'), capacity: params.desired || Math.max(1, capacity.min) },
    })
  else await does(at, computeVersion, 'start')
}
