/**
 * Start, stop and scale of groups and pools. Google keeps their bounds in an autoscaler: a fleet without an active one is
 * reported as bounded by the number it has. A stop turns the autoscaler off first, because it would restore the units; a
 * start that names bounds turns it on again.
 */
import { toStartedCapacity } from '#streams/cloud/resource/counts.ts'
import type { CloudAction, Capacity } from '#streams/cloud/connector.ts'
import { unsupportedFault, type ResourceState, type UnitsPlan } from '#streams/cloud/resource/verb/kind.ts'
import type { At } from './kind.ts'

export interface Fleet extends ResourceState {
  capacity: Capacity
  /** An active autoscaler sets the number of units. */
  isBounded: boolean
  /** It has an autoscaler, active or not. */
  hasBounds: boolean
  /** Units are added and removed in this many at once. */
  step: number
}

interface FleetCalls<F extends Fleet> {
  /** A start binds before it counts: otherwise the number would delay it. */
  bindsFirst: boolean
  resize: (at: At, units: number, fleet: F) => Promise<unknown>
  bound: (at: At, bounds: Pick<Capacity, 'min' | 'max'>, fleet: F) => Promise<unknown>
  unbound: (at: At, fleet: F) => Promise<unknown>
}

type Step = () => Promise<unknown>

const planOf = (desired: number, ...steps: readonly (Step | false)[]): UnitsPlan => {
  const left = steps.filter((step) => step !== false)
  if (left.length === 0) return { desired }
  return {
    desired,
    call: async () => {
      for (const step of left) await step()
    },
  }
}

export function fleetUnits<F extends Fleet>(calls: FleetCalls<F>) {
  const resized = (at: At, units: number, fleet: F): Step | false =>
    units !== fleet.capacity.desired && (() => calls.resize(at, units, fleet))

  function started(at: At, fleet: F, params: Partial<Capacity>): UnitsPlan {
    const { capacity: now } = fleet
    const to = toStartedCapacity({ ...now, floor: now.min }, params)
    const units = now.desired > 0 ? now.desired : up(to.desired, fleet)
    const isToBind = !fleet.isBounded && fleet.hasBounds && namesBounds(params)
    const steps = [isToBind && (() => calls.bound(at, to, fleet)), resized(at, units, fleet)]
    return planOf(units, ...(calls.bindsFirst ? steps : steps.toReversed()))
  }

  function scaled(at: At, fleet: F, params: Partial<Capacity>): UnitsPlan {
    const { capacity: now } = fleet
    if (fleet.isBounded) {
      const { min, max, kept } = boundsFor(at, now, params)
      const differs = min !== now.min || max !== now.max
      return planOf(Math.max(min, kept), differs && (() => calls.bound(at, { min, max }, fleet)))
    }
    const { min = 0, max = Number.MAX_SAFE_INTEGER, desired } = params
    const units = up(desired ?? Math.min(Math.max(now.desired, min), max), fleet)
    return planOf(units, resized(at, units, fleet))
  }

  return (at: At, fleet: F, { kind, params = {} }: CloudAction): UnitsPlan => {
    if (kind === 'stop') return planOf(0, fleet.isBounded && (() => calls.unbound(at, fleet)), resized(at, 0, fleet))
    return kind === 'start' ? started(at, fleet, params) : scaled(at, fleet, params)
  }
}

/**
 * An autoscaler keeps the number within its bounds. A higher number is reached through the minimum; a lower one by the
 * autoscaler itself once the units are not needed. Otherwise no number can be set.
 */
function boundsFor({ ref }: At, now: Capacity, params: Partial<Capacity>) {
  const { min: least, max } = { ...now, ...params }
  const kept = Math.min(Math.max(now.desired, least), Math.max(least, max))
  const { desired = kept } = params
  const isAlone = params.min === undefined && params.max === undefined
  if (desired !== kept && (isAlone || desired > max))
    throw unsupportedFault(
      ref,
      `setting its size: an autoscaler keeps it between ${least} and ${max}; change those limits instead`,
    )
  // A repeat finds the minimum raised, and the number no longer above what is kept.
  const isRaised = params.desired === now.min && max === now.max
  return { min: desired > kept || isRaised ? Math.max(least, desired) : least, max, kept }
}

const up = (units: number, { step }: Fleet): number => Math.ceil(units / step) * step

/** Those of a fleet without an autoscaler are not bounds: they are the number it had. */
const namesBounds = ({ min, max, desired }: Partial<Capacity>): boolean =>
  min !== undefined && max !== undefined && !(min === max && max === (desired ?? max))
