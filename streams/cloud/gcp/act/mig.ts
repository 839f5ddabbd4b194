/** Managed groups of machines, and their autoscalers. */
import type { Capacity } from '#streams/cloud/connector.ts'
import { Autoscaler, Group } from '#streams/cloud/gcp/answer/compute.ts'
import { groupStatus, isOn } from '#streams/cloud/gcp/map/compute.ts'
import { lastOf, partsOf, pathIn } from '#streams/cloud/gcp/resource-path.ts'
import { applyChange, computePath, got } from './compute.ts'
import { counting, type Fleet } from './fleet.ts'
import {
  deleting,
  notThere,
  numberIn,
  setting,
  told,
  unsupported,
  type At,
  type ResourceKind,
  type ResourceState,
} from './kind.ts'

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

export async function lookGroup(at: At): Promise<FoundGroup | typeof notThere> {
  const group = await got(at, pathOfGroup(at), 'compute.instanceGroupManagers.get', Group)
  if (!group) return notThere
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
    specs: told({
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

const set = setting(lookGroup, async (at, specs, fleet) => {
  const min = numberIn(specs, 'min_replicas')
  const max = numberIn(specs, 'max_replicas')
  const size = numberIn(specs, 'target_size')
  if ((min ?? max) !== undefined) {
    if (!fleet.hasBounds) throw unsupported(at.ref, 'setting limits without an autoscaler')
    await scaler(at, fleet, told({ minNumReplicas: min, maxNumReplicas: max }))
  }
  if (size === undefined) return
  if (fleet.isBounded) throw unsupported(at.ref, 'setting its size while its autoscaler is on')
  await resize(at, size)
})

export const group: ResourceKind = {
  look: async (at) => plain(await lookGroup(at)),
  sets: ['min_replicas', 'max_replicas', 'target_size'],
  acts: {
    ...counting(lookGroup, { resize, bound: writeBounds, unbound, bindsFirst: false }),
    set,
    // With its machines: of an empty group it is the same.
    delete: deleting(lookGroup, (at) =>
      applyChange(at, { path: pathOfGroup(at), method: 'DELETE', permission: 'compute.instanceGroupManagers.delete' }),
    ),
  },
}

function plain(seen: FoundGroup | typeof notThere): ResourceState {
  if (!seen.exists) return seen
  const { exists, status, capacity, specs } = seen as FoundGroup
  return { exists, capacity, ...told({ status, specs }) } as ResourceState
}
