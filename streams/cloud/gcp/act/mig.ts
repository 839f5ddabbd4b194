/** Managed groups of machines, and their autoscalers. */
import type { Capacity } from '#streams/cloud/connector.ts'
import { Autoscaler, Group } from '#streams/cloud/gcp/answer/compute.ts'
import { groupStatus, isOn } from '#streams/cloud/gcp/map/compute.ts'
import { lastOf, partsOf, pathIn } from '#streams/cloud/gcp/resource-path.ts'
import { applyChange, computePath, got } from './compute.ts'
import { fleetUnits, type Fleet } from './fleet.ts'
import { absent, type Absent, unsupportedFault, type ResourceKind } from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish, numberIn } from '#streams/cloud/resource/verb/spec.ts'
import type { At } from './kind.ts'

export interface FoundGroup extends Fleet {
  group: Group
  autoscaler: Autoscaler | undefined
}

const pathOfGroup = (at: At): string => computePath(at, 'instanceGroupManagers')

/** Where the autoscalers of the group's place are: `/projects/p/zones/z/autoscalers`. */
export function scalersOf(at: At): string {
  const { projects, zones, regions } = partsOf(at.ref.resourceUid, 'projects')
  return `/projects/${projects}/${zones === undefined ? `regions/${regions}` : `zones/${zones}`}/autoscalers`
}

export async function lookGroup(at: At): Promise<FoundGroup | Absent> {
  const group = await got(at, pathOfGroup(at), 'compute.instanceGroupManagers.get', Group)
  if (!group) return absent
  const link = pathIn(group.status?.autoscaler)
  const autoscaler = link && (await got(at, `${scalersOf(at)}/${lastOf(link)}`, 'compute.autoscalers.get', Autoscaler))
  return seenOf(group, autoscaler || undefined)
}

function seenOf(group: Group, autoscaler: Autoscaler | undefined): FoundGroup {
  const { targetSize: desired = 0 } = group
  const policy = autoscaler?.autoscalingPolicy
  const isBounded = policy !== undefined && isOn(policy.mode)
  const bounds = isBounded
    ? { min: policy.minNumReplicas ?? 0, max: policy.maxNumReplicas ?? desired }
    : { min: desired, max: desired }
  return {
    exists: true,
    status: groupStatus(group),
    capacity: { ...bounds, desired },
    specs: dropNullish({
      target_size: desired,
      min_replicas: policy?.minNumReplicas,
      max_replicas: policy?.maxNumReplicas,
      autoscaler: policy && isBounded,
    }),
    isBounded,
    hasBounds: policy !== undefined,
    step: 1,
    group,
    autoscaler,
  }
}

const resize = (at: At, size: number): Promise<void> =>
  applyChange(at, {
    path: `${pathOfGroup(at)}/resize`,
    query: { size },
    permission: 'compute.instanceGroupManagers.update',
  })

/** Only what is told is changed. */
const scaler = (at: At, { autoscaler }: FoundGroup, policy: object): Promise<void> =>
  applyChange(at, {
    path: scalersOf(at),
    method: 'PATCH',
    query: { autoscaler: autoscaler?.name },
    body: { autoscalingPolicy: policy },
    permission: 'compute.autoscalers.update',
  })

const writeBounds = (at: At, { min, max }: Pick<Capacity, 'min' | 'max'>, fleet: FoundGroup): Promise<void> =>
  scaler(at, fleet, { mode: 'ON', minNumReplicas: min, maxNumReplicas: max })

const unbound = (at: At, fleet: FoundGroup): Promise<void> => scaler(at, fleet, { mode: 'OFF' })

const set: Required<ResourceKind<At, FoundGroup>>['set'] = async (at, specs, fleet) => {
  const min = numberIn(specs, 'min_replicas')
  const max = numberIn(specs, 'max_replicas')
  const size = numberIn(specs, 'target_size')
  if ((min ?? max) !== undefined) {
    if (!fleet.hasBounds) throw unsupportedFault(at.ref, 'setting limits without an autoscaler')
    await scaler(at, fleet, dropNullish({ minNumReplicas: min, maxNumReplicas: max }))
  }
  if (size === undefined) return
  if (fleet.isBounded) throw unsupportedFault(at.ref, 'setting its size while its autoscaler is on')
  await resize(at, size)
}

export const group: ResourceKind<At, FoundGroup> = {
  look: lookGroup,
  sets: ['min_replicas', 'max_replicas', 'target_size'],
  scale: fleetUnits({ resize, bound: writeBounds, unbound, bindsFirst: false }),
  set,
  // With its machines: of an empty group it is the same.
  delete: (at) =>
    applyChange(at, { path: pathOfGroup(at), method: 'DELETE', permission: 'compute.instanceGroupManagers.delete' }),
}
