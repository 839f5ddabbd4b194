/** What counts a fleet is to have when it is started, stopped and scaled, whatever its cloud. */
import type { Capacity } from '#streams/cloud/connector.ts'

/** A stop leaves none; the most it may have stays, of a managed node group at least one. */
export const toStoppedCapacity = ({ max }: Capacity, type: string): Capacity => ({
  min: 0,
  max: type === 'aws-eks-nodegroup' ? Math.max(1, max) : max,
  desired: 0,
})

/** What a start is asked to bring back; the least it had (`floor`), and at least one, when nobody says. */
export function toStartedCapacity({ max, floor }: { max: number; floor: number }, params: Partial<Capacity>): Capacity {
  const min = params.min ?? floor
  const desired = params.desired ?? Math.max(1, min)
  return { min, max: Math.max(params.max ?? max, desired), desired }
}

/** The bounds move the number only where it would be outside of them; a number outside of the bounds moves those. */
export function toScaledCapacity(now: Capacity, params: Partial<Capacity>): Capacity {
  const { min, max } = { ...now, ...params }
  const desired = params.desired ?? Math.min(Math.max(now.desired, min), max)
  return { min: Math.min(min, desired), max: Math.max(max, desired), desired }
}
