/** Machines and scale sets. */
import type { CloudAction, Capacity } from '#streams/cloud/connector.ts'
import { boundsIn } from '#streams/cloud/azure/scaling/autoscale.ts'
import { settingOf, writeBounds } from '#streams/cloud/azure/scaling/scaling.ts'
import { computeVersion } from '#streams/cloud/azure/discover/compute.ts'
import { machine as machineOf, powerIn, scaleSet } from '#streams/cloud/azure/map/compute.ts'
import { memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { numberAt } from '#streams/cloud/azure/map/resource.ts'
import { ignoreNotFound, requireStopped } from '#streams/cloud/resource/verb/kind.ts'
import { wholeCounts } from '#streams/cloud/resource/verb/units.ts'
import {
  askResource,
  deleteResource,
  does,
  itemAt,
  patchResource,
  seenAs,
  type At,
  type AzureKind,
  type AzureState,
} from './kind.ts'
import { machineSnapshot } from './snapshot.ts'

async function look(at: At): Promise<AzureState> {
  const item = await itemAt(at, computeVersion, { $expand: 'instanceView' })
  return seenAs(item, (one) => machineOf(one, powerIn(memberOf(one, 'properties', 'instanceView'))))
}

export const machine: AzureKind = {
  look,
  sets: ['license_type'],
  start: (at) => does(at, computeVersion, 'start'),
  // Deallocated: a machine that is merely stopped is still billed.
  stop: (at) => does(at, computeVersion, 'deallocate'),
  // A machine that its own system has shut down is off, and still to be stopped.
  powerOf: ({ status, specs }, want) =>
    want === 'stopped' && specs?.['power_state'] === 'stopped' ? 'running' : status,
  resize: (at, vmSize, seen) => {
    requireStopped(at, seen)
    return patchResource(at, computeVersion, { properties: { hardwareProfile: { vmSize } } })
  },
  set: (at, { license_type: licenseType }) =>
    patchResource(at, computeVersion, { properties: { licenseType: licenseType ?? 'None' } }),
  snapshot: machineSnapshot,
  delete: (at) => deleteResource(at, computeVersion),
}

/** A set may have so many machines where nothing else bounds it. */
const machinesMax = (item: unknown): number =>
  memberOf(item, 'properties', 'singlePlacementGroup') === true ? 100 : 1000

async function lookSet(at: At): Promise<AzureState> {
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
const fit = ({ min, max, desired }: Capacity, { item, specs = {} }: AzureState): Capacity =>
  specs['autoscale'] === true ? { min, max, desired } : { min: 0, max: machinesMax(item), desired }

/** Its bounds first: what scales it would take back a number outside of them. */
async function setCount(at: At, to: Capacity, { item, capacity, specs = {} }: AzureState): Promise<void> {
  if (specs['autoscale'] === true && (capacity?.min !== to.min || capacity.max !== to.max)) await writeBounds(at, to)
  if (capacity?.desired === to.desired) return
  await patchResource(at, computeVersion, { sku: { name: textAt(item, 'sku', 'name'), capacity: to.desired } })
}

export const set: AzureKind = {
  look: lookSet,
  sets: ['capacity'],
  start: startSet,
  stop: (at) => does(at, computeVersion, 'deallocate'),
  scale: wholeCounts(setCount, fit),
  resize: (at, name, { capacity }) => patchResource(at, computeVersion, { sku: { name, capacity: capacity?.desired } }),
  set: (at, { capacity }, { item }) =>
    patchResource(at, computeVersion, { sku: { name: textAt(item, 'sku', 'name'), capacity } }),
  delete: (at) => deleteResource(at, computeVersion),
}

/** One that has no machines is given some: there is nothing else to be started. */
async function startSet(at: At, { item, capacity }: AzureState, { params = {} }: CloudAction): Promise<void> {
  if (capacity?.desired === 0)
    await patchResource(at, computeVersion, {
      sku: { name: textAt(item, 'sku', 'name'), capacity: params.desired || Math.max(1, capacity.min) },
    })
  else await does(at, computeVersion, 'start')
}
