/** Which days could be judged at all: by the rule of docs/anomalies.md, as far as it goes by days alone. */
import { addDays } from '../../day.ts'

const [baselineDays, baselineDaysMin] = [7, 4]

/** Days from which on it must be known which have bills. */
export const knownFrom = (from: string): string => addDays(from, -baselineDays)

/** Of the days that have bills, those from `from` on that have enough of them in the week before, oldest first. */
export function judgedDays(billed: readonly string[], from: string): string[] {
  const known = new Set(billed)
  const week = (day: string) => Array.from({ length: baselineDays }, (_, at) => addDays(day, -1 - at))
  return [...known]
    .filter((day) => day >= from && week(day).filter((one) => known.has(one)).length >= baselineDaysMin)
    .toSorted()
}
