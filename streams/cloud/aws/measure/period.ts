/** For how long CloudWatch keeps what it measures, and how finely: what is older it knows by the hour only, and then not at all. */
import { dayMs } from '#engine/value/day.ts'

/** Milliseconds since 1970; a step in milliseconds. */
export interface MeasureSpan {
  from: number
  to: number
  stepMs: number
}

export interface MetricPeriod extends MeasureSpan {
  /** Seconds that one number of CloudWatch stands for. */
  seconds: number
}

/** Numbers of a period are there for so many days. */
const retentions = [
  { seconds: 60, days: 15 },
  { seconds: 300, days: 63 },
  { seconds: 3600, days: 455 },
] as const

/**
 * A span in parts of the same fineness, oldest first, whole steps each: five minutes, or one where the step is no multiple of five,
 * as long as CloudWatch keeps them.
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
