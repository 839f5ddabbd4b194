/** The periods of a range: its days, ISO weeks or months. */
import type { granularities } from '#analytics/cost/questions.ts'
import { days, firstOf, mondayOf, monthOf, weekOf } from '#engine/value/day.ts'
import type { Range } from '#http/edge/parameter/range.ts'

type Granularity = (typeof granularities)[number]

/** `first` is its first day, which may lie before the range. */
export interface ReportPeriod {
  first: string
  name: string
}

const ofDay: Readonly<Record<Granularity, (day: string) => ReportPeriod>> = {
  daily: (day) => ({ first: day, name: day }),
  weekly: (day) => ({ first: mondayOf(day), name: weekOf(day) }),
  monthly: (day) => ({ first: firstOf(monthOf(day)), name: monthOf(day) }),
}

/** Each once, oldest first. */
export function periodsOf(
  { fromDay, toDay }: Pick<Range, 'fromDay' | 'toDay'>,
  granularity: Granularity,
): ReportPeriod[] {
  const found = new Map<string, ReportPeriod>()
  for (const day of days(fromDay, toDay)) {
    const period = ofDay[granularity](day)
    found.set(period.first, period)
  }
  return [...found.values()]
}
