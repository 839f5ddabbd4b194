/** What a policy for a target might say, by how the target was used: decision G-78. Pure. */
import { unitsMax } from '#streams/autoscaling.ts'

export const windowDays = 14

/** What was measured of a target in the window; null where nothing was. */
export interface Usage {
  /** The 95th percentile of the hourly means of its CPU, percent. */
  p95CpuPercent: number | null
  /** The most units it had. */
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
