/** Suggests a policy for a target by its usage (decision G-78). Pure. */
import { unitsMax } from '#streams/autoscaling.ts'

export const windowDays = 14

/** Usage of a target in the window; null if not measured. */
export interface Usage {
  /** The 95th percentile of hourly mean CPU, percent. */
  p95CpuPercent: number | null
  /** The maximum number of units. */
  peakUnits: number | null
}

export interface SmartDefaults {
  min: number
  max: number
  targetCpuPercent: number
  cooldownSeconds: number
}

export const cooldownDefault = 300

export function smartDefaults({ p95CpuPercent, peakUnits }: Usage): SmartDefaults {
  const peak = peakUnits ?? 1
  const min = atMost(Math.max(1, Math.ceil(0.25 * peak)))
  const max = peakUnits === null ? 2 : atMost(Math.max(min + 1, Math.ceil(1.5 * peak)))
  return { min, max, targetCpuPercent: targetOf(p95CpuPercent), cooldownSeconds: cooldownDefault }
}

const atMost = (units: number): number => Math.min(units, unitsMax)

function targetOf(p95: number | null): number {
  if (p95 === null) return 60
  if (p95 < 40) return 70
  return p95 < 70 ? 60 : 50
}
