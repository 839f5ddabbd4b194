/** The counts that a target gets for an event (decision G-83). Pure. */
import type { Counts } from '#streams/autoscaling.ts'

/** Percent, used if no CPU was measured. */
const assumedCpu = 50
export const assumedTargetCpu = 70
/** Requests per minute and unit, used if none were measured. */
export const assumedRequests = 1000
const epsilon = 1e-9

export interface Load {
  multiplier: number
  /** Percent, mean of the last 14 days; null if not measured. */
  averageCpu: number | null
  /** Target CPU of the policy, percent. */
  targetCpuPercent: number
}

export interface CalculatedCounts {
  scaled: Counts
  factor: number
  isEstimated: boolean
}

export function factorOf({ multiplier, averageCpu, targetCpuPercent }: Load): number {
  return averageCpu === null
    ? (multiplier * assumedCpu) / assumedTargetCpu
    : (multiplier * averageCpu) / targetCpuPercent
}

/** Never fewer units than before; the desired number is within the new bounds. */
export function calculate(originals: Counts, load: Load): CalculatedCounts {
  const factor = factorOf(load)
  const scaled = (count: number): number => Math.max(count, Math.ceil(count * factor - epsilon))
  const [min, max] = [scaled(originals.min), scaled(originals.max)]
  const desired = Math.min(Math.max(scaled(originals.desired), min), max)
  return { scaled: { min, max, desired }, factor, isEstimated: load.averageCpu === null }
}
