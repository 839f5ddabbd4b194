/**
 * Decides how many units a target should have. Pure: used by policies, by what-if replays and by the benchmark
 * (decision G-77).
 */
import type { AutoscalerTerms, Counts } from '#streams/autoscaling.ts'
import { effectiveMin } from './trigger.ts'

/** Milliseconds of samples in the mean CPU. */
export const sampleMs = 300_000
/** Tolerated relative difference between CPU and its target. */
const band = 0.1
const epsilon = 1e-9

type Optional = Pick<AutoscalerTerms, 'adoption' | 'step' | 'maxHourlyUsd'>
export type DecideTerms = Pick<AutoscalerTerms, 'min' | 'max' | 'targetCpuPercent' | 'triggers'> & {
  readonly [K in keyof Optional]?: Optional[K] | undefined
}

export interface ScalingState {
  current: Counts
  /** Percent, mean of the last five minutes; null without a sample. */
  cpu: number | null
  /** Units that the load needed at the last change; null before it, and after a person has set the number. */
  need: number | null
  /** US dollars per hour of one unit; null if unknown. */
  unitUsd: number | null
  /** A trigger has opened or closed: units at their minimum follow it. Any other cause removes no units. */
  byClock?: boolean
}

/** The counts that the target should have. */
export interface Wish extends Counts {
  /** Whether they differ from the current counts. */
  isChange: boolean
  /** Units that the load needs, stored with the change. */
  need: number | null
  /** Caused by the load, not only by time or a person. */
  byLoad: boolean
  /** The minimum comes from a trigger. */
  byTrigger: boolean
  reason: string
  /** The cost limit could not be applied. */
  note?: string
}

/** Rounds up, but treats rounding errors of binary floats as exact. */
const ceil = (value: number): number => Math.ceil(value - epsilon)

/**
 * Mean of the samples with `now` - 5 min < time <= `now`; null without samples. Points are [milliseconds since 1970,
 * percent].
 */
export function cpuOf(points: readonly (readonly [number, number])[], now: number): number | null {
  const recent = points.filter(([ts]) => ts > now - sampleMs && ts <= now)
  return recent.length === 0 ? null : recent.reduce((sum, [, value]) => sum + value, 0) / recent.length
}

const isOutside = (cpu: number, target: number): boolean => Math.abs(cpu - target) > band * target + epsilon

/** The units that the load needs; undefined if CPU is missing or close enough to its target. */
function computeNeed(
  { targetCpuPercent, step }: DecideTerms,
  { current: { desired }, cpu }: ScalingState,
): number | undefined {
  if (cpu === null || !isOutside(cpu, targetCpuPercent)) return undefined
  const wanted = ceil((desired * cpu) / targetCpuPercent)
  const { up = Infinity, down = Infinity } = step ?? {}
  return Math.min(Math.max(wanted, desired - down), desired + up)
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most)

/** The maximum number of units: by the policy, and by its cost limit. */
function capOf({ max, maxHourlyUsd }: DecideTerms, unitUsd: number | null, least: number) {
  if (typeof maxHourlyUsd !== 'number') return { cap: max }
  if (unitUsd === null || unitUsd <= 0)
    return { cap: max, note: 'The price of a unit is unknown, so the hourly cost limit is not applied.' }
  const affordable = Math.floor(maxHourlyUsd / unitUsd + epsilon)
  return { cap: Math.max(least, Math.min(max, affordable)) }
}

/** `now` is milliseconds since 1970. */
export function decide(terms: DecideTerms, standing: ScalingState, now: number): Wish {
  const { current } = standing
  const least = effectiveMin(terms.triggers, terms, now)
  const { cap, note } = capOf(terms, standing.unitUsd, least)
  const load = computeNeed(terms, standing)
  const need = load ?? standing.need
  const min = clamp(need ?? least, least, cap)
  const desired = desiredOf(terms, standing, { min, max: cap, isMoved: load !== undefined })
  const isOther = min !== current.min || cap !== current.max
  const isMove = load !== undefined && terms.adoption !== 'adopt' && min !== current.desired
  return {
    min,
    max: cap,
    desired,
    isChange: isOther || isMove,
    need,
    byLoad: load !== undefined,
    byTrigger: least !== terms.min,
    reason: reasonOf(terms, standing, { least, cap, isMoved: load !== undefined }),
    ...(note !== undefined && { note }),
  }
}

/**
 * The load sets the number. Without a sample, a fleet at its minimum follows triggers, and any other stays within its
 * bounds.
 */
function desiredOf(
  { adoption }: DecideTerms,
  { current, cpu, byClock = false }: ScalingState,
  { min, max, isMoved }: { min: number; max: number; isMoved: boolean },
): number {
  const isAtLeast = byClock && cpu === null && current.desired <= current.min
  return adoption !== 'adopt' && (isMoved || isAtLeast) ? min : clamp(current.desired, min, max)
}

const percent = (value: number): string => `${Math.round(value * 10) / 10}%`

function reasonOf(
  { min, max, targetCpuPercent }: DecideTerms,
  { cpu, current }: ScalingState,
  { least, cap, isMoved }: { least: number; cap: number; isMoved: boolean },
): string {
  const limit = cap < max ? ` The hourly cost limit allows at most ${cap}.` : ''
  if (isMoved)
    return `CPU averaged ${percent(cpu!)} across ${current.desired} units in the last 5 minutes; the target is ${percent(targetCpuPercent)}.${limit}`
  if (least > min) return `A trigger raises the minimum to ${least}.`
  if (least < min) return `A trigger lowers the minimum to ${least}.`
  return `The limits of the policy apply.${limit}`
}
