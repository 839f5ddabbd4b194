/** How long CloudWatch keeps values, and at which resolution: older values only hourly, then not at all. */
import { dayMs } from '#engine/value/day.ts'

/** Milliseconds since 1970; `stepMs` in milliseconds. */
export interface MeasureSpan {
  from: number
  to: number
  stepMs: number
}

export interface MetricPeriod extends MeasureSpan {
  /** Seconds that one value covers. */
  seconds: number
}

/** Values with this resolution are kept for this many days. */
const retentions = [
  { seconds: 60, days: 15 },
  { seconds: 300, days: 63 },
  { seconds: 3600, days: 455 },
] as const

/**
 * Splits a span into parts with the same resolution, oldest first, each of whole steps. The resolution is five minutes,
 * or one minute if the step is not a multiple of five, as long as CloudWatch keeps such values.
 */
export function periodsOf({ from, to, stepMs }: MeasureSpan, now: number): MetricPeriod[] {
  const base = stepMs % 300_000 === 0 ? 300 : 60
  const up = (at: number) => Math.ceil(at / stepMs) * stepMs
  const periods: MetricPeriod[] = []
  let end = up(to)
  for (const { seconds, days } of retentions) {
    if (seconds < base) continue
    const oldest = up(now - days * dayMs)
    const begin = Math.max(up(from), oldest)
    if (begin < end) periods.unshift({ from: begin, to: end, stepMs, seconds })
    end = Math.min(end, begin)
  }
  return periods
}
