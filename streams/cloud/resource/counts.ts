/** Unit counts of a fleet when it is started, stopped or scaled, for all clouds. */
import type { Capacity } from '#streams/cloud/connector.ts'

/** A stop sets the count to 0. The maximum stays; for managed node groups it is at least 1. */
export const toStoppedCapacity = ({ max }: Capacity, type: string): Capacity => ({
  min: 0,
  max: type === 'aws-eks-nodegroup' ? Math.max(1, max) : max,
  desired: 0,
})

/** A start restores the given counts; without any, the former minimum (`floor`), at least 1. */
export function toStartedCapacity({ max, floor }: { max: number; floor: number }, params: Partial<Capacity>): Capacity {
  const min = params.min ?? floor
  const desired = params.desired ?? Math.max(1, min)
  return { min, max: Math.max(params.max ?? max, desired), desired }
}

/** New bounds change the count only if it would be outside; a new count outside the bounds changes the bounds. */
export function toScaledCapacity(now: Capacity, params: Partial<Capacity>): Capacity {
  const { min, max } = { ...now, ...params }
  const desired = params.desired ?? Math.min(Math.max(now.desired, min), max)
  return { min: Math.min(min, desired), max: Math.max(max, desired), desired }
}
