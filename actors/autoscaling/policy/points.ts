/** Reduces a replay to a few points for a chart. Pure. */
import type { Minute } from './what-if.ts'

/** Means over the minutes of a point; null if none was measured. */
export interface Point {
  /** Start of the point, milliseconds since 1970. */
  at: number
  cpuPercent: number | null
  recordedUnits: number | null
  /** Units of the policy; null if nothing was measured that it could have used. */
  units: number | null
}

const mean = ({ sum, count }: Mean): number | null => (count === 0 ? null : sum / count)
interface Mean {
  sum: number
  count: number
}
const none = (): Mean => ({ sum: 0, count: 0 })

function take(to: Mean, value: number | null): void {
  if (value === null) return
  to.sum += value
  to.count++
}

/**
 * At most `count` points of equal length from `from` to `to`, milliseconds since 1970. Minutes are added first; the
 * points are read at the end.
 */
export class Points {
  private readonly kept: { cpu: Mean; recorded: Mean; units: Mean }[]
  private readonly from: number
  private readonly ms: number

  constructor(from: number, to: number, count: number) {
    const minutes = Math.max(1, Math.ceil((to - from) / 60_000))
    this.from = from
    this.ms = Math.ceil(minutes / count) * 60_000
    const length = Math.ceil((minutes * 60_000) / this.ms)
    this.kept = Array.from({ length }, () => ({ cpu: none(), recorded: none(), units: none() }))
  }

  take({ at, load, units: recorded }: Minute, units: number): void {
    const point = this.kept[Math.floor((at - this.from) / this.ms)]
    if (!point) return
    take(point.recorded, recorded)
    if (load === null) return
    take(point.units, units)
    if (recorded !== null && recorded > 0) take(point.cpu, load / recorded)
  }

  read(): Point[] {
    return this.kept.map(({ cpu, recorded, units }, n) => ({
      at: this.from + n * this.ms,
      cpuPercent: mean(cpu),
      recordedUnits: mean(recorded),
      units: mean(units),
    }))
  }
}
