/**
 * Start, stop and scale of what is counted in units. Bounds are those of an autoscaler at Google: without one that is on there are none,
 * and a fleet is told as bounded by what it has. A stop switches it off first, for it would bring back what was taken; a start that
 * names bounds switches it on again.
 */
import { toStartedCapacity } from '#streams/cloud/resource/counts.ts'
import type { CloudAction, ActionOutcome, Capacity } from '#streams/cloud/connector.ts'
import { requireExisting, unsupported, type notThere, type At, type ResourceKind, type ResourceState } from './kind.ts'

export interface Fleet extends ResourceState {
  capacity: Capacity
  /** An autoscaler that is on says how many there are. */
  isBounded: boolean
  /** There is one, be it on or off. */
  hasBounds: boolean
  /** Units are set by so many at once. */
  step: number
}

export interface Calls<F extends Fleet> {
  /** A start binds before it counts: the other way round the number would keep it waiting. */
  bindsFirst: boolean
  resize: (at: At, units: number, fleet: F) => Promise<unknown>
  bound: (at: At, bounds: Pick<Capacity, 'min' | 'max'>, fleet: F) => Promise<unknown>
  unbound: (at: At, fleet: F) => Promise<unknown>
}

export function counting<F extends Fleet>(
  look: (at: At) => Promise<F | typeof notThere>,
  calls: Calls<F>,
): Pick<ResourceKind['acts'], 'start' | 'stop' | 'scale'> {
  const after = async (at: At, desired: number): Promise<ActionOutcome> => {
    const { status } = (await look(at)) as ResourceState
    const want = desired > 0 ? 'running' : 'stopped'
    if (status === want) return { status: 'succeeded', observedState: want }
    return { status: 'running', ...(status !== undefined && { observedState: status }) }
  }
  const resized = async (at: At, units: number, fleet: F): Promise<void> => {
    if (units !== fleet.capacity.desired) await calls.resize(at, units, fleet)
  }
  return {
    start: async (at, action) => {
      const fleet = await requireExisting(look, at)
      const { capacity: now } = fleet
      const { params = {} } = action
      const to = toStartedCapacity({ ...now, floor: now.min }, params)
      const units = now.desired > 0 ? now.desired : up(to.desired, fleet)
      const isToBind = !fleet.isBounded && fleet.hasBounds && namesBounds(params)
      if (isToBind && calls.bindsFirst) await calls.bound(at, to, fleet)
      await resized(at, units, fleet)
      if (isToBind && !calls.bindsFirst) await calls.bound(at, to, fleet)
      return after(at, units)
    },
    stop: async (at) => {
      const fleet = await requireExisting(look, at)
      if (fleet.isBounded) await calls.unbound(at, fleet)
      await resized(at, 0, fleet)
      return after(at, 0)
    },
    scale: async (at, action) => {
      const fleet = await requireExisting(look, at)
      return fleet.isBounded ? scaleBounds(at, fleet, action) : scaleUnits(at, fleet, action)
    },
  }

  async function scaleBounds(at: At, fleet: F, { params = {} }: CloudAction): Promise<ActionOutcome> {
    const { capacity: now } = fleet
    const { min, max, kept } = boundsFor(at, now, params)
    if (min !== now.min || max !== now.max) await calls.bound(at, { min, max }, fleet)
    return after(at, Math.max(min, kept))
  }

  async function scaleUnits(at: At, fleet: F, action: CloudAction): Promise<ActionOutcome> {
    const { min = 0, max = Number.MAX_SAFE_INTEGER, desired } = action.params ?? {}
    const units = up(desired ?? Math.min(Math.max(fleet.capacity.desired, min), max), fleet)
    await resized(at, units, fleet)
    return after(at, units)
  }
}

/**
 * An autoscaler keeps the number within its bounds. One above what they keep is had by the least; a lower one it comes to by itself once
 * it is not needed. Without bounds beside it no other number can be set.
 */
function boundsFor({ ref }: At, now: Capacity, params: Partial<Capacity>) {
  const { min: least, max } = { ...now, ...params }
  const kept = Math.min(Math.max(now.desired, least), Math.max(least, max))
  const { desired = kept } = params
  const isAlone = params.min === undefined && params.max === undefined
  if (desired !== kept && (isAlone || desired > max))
    throw unsupported(
      ref,
      `setting its size: an autoscaler keeps it between ${least} and ${max}; change those limits instead`,
    )
  // Asked again it is so already, and the number no longer above what is kept.
  const isRaised = params.desired === now.min && max === now.max
  return { min: desired > kept || isRaised ? Math.max(least, desired) : least, max, kept }
}

const up = (units: number, { step }: Fleet): number => Math.ceil(units / step) * step

/** Those of a fleet that nothing scaled are no bounds: as many as it had. */
const namesBounds = ({ min, max, desired }: Partial<Capacity>): boolean =>
  min !== undefined && max !== undefined && !(min === max && max === (desired ?? max))
