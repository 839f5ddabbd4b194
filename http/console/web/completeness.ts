/** How complete the costs of a period are: bills come days after the usage that they are for. */
import { daysOfPeriod } from './day.ts'
import type { DateRange } from './range.ts'

/** `none`: no bill yet; `partial`: some of its costs are still to come, or the days shown are only a part of it. */
export type Completeness = 'none' | 'partial' | 'whole'

interface Bills {
  /** The newest day with a line of a bill; null where there is none. */
  costsThrough?: string | null
  /** The last day whose costs are complete. */
  settledThrough?: string | null
}

/**
 * @param periods days, weeks or months of a report, such as 2026-01-31, 2026-W05, 2026-01
 * @param shown the days that the report is of
 */
export function completenessOf(periods: readonly string[], shown: DateRange, bills: Bills | undefined): Completeness[] {
  const { costsThrough, settledThrough } = bills ?? {}
  return periods.map((period) => {
    const { from, to } = daysOfPeriod(period)
    if (costsThrough === null || (costsThrough !== undefined && from > costsThrough)) return 'none'
    if (from < shown.from || to > shown.to) return 'partial'
    return settledThrough !== undefined && (settledThrough === null || to > settledThrough) ? 'partial' : 'whole'
  })
}
