/** Start, stop and scale of what is set to whole counts. */
import { sameData } from '#engine/actor/row.ts'
import type { Capacity, CloudAction } from '#streams/cloud/connector.ts'
import { toScaledCapacity, toStartedCapacity, toStoppedCapacity } from '#streams/cloud/resource/counts.ts'
import { requireCapacity, type VerbTarget, type ResourceKind, type ResourceState } from './kind.ts'

/** `write` sets the counts; `fit` says what of them the type can have. */
export function wholeCounts<A extends VerbTarget, S extends ResourceState>(
  write: (at: A, to: Capacity, seen: S, action: CloudAction) => Promise<unknown>,
  fit: (wanted: Capacity, seen: S) => Capacity = (wanted) => wanted,
): NonNullable<ResourceKind<A, S>['scale']> {
  return (at, seen, action) => {
    const now = requireCapacity(at, seen, action)
    const to = fit(wantedCounts(now, action), seen)
    return { desired: to.desired, ...(!sameData(now, to) && { call: () => write(at, to, seen, action) }) }
  }
}

/** A resource that has units is started already. */
function wantedCounts(now: Capacity, { kind, params = {}, resource }: CloudAction): Capacity {
  if (kind === 'stop') return toStoppedCapacity(now, resource.type)
  if (kind === 'scale') return toScaledCapacity(now, params)
  return now.desired > 0 ? now : toStartedCapacity({ ...now, floor: now.min }, params)
}
