/** Ways to flag days of a series: the product's own is asked of the product, these are candidates that it does not have. */
import { addDays } from '#engine/value/day.ts'
import { judgeDay, rule } from '#actors/anomaly/rule.ts'
import { sum, type Daily } from '#test/real/anomaly/series.ts'

/** The days that are out of line. */
export type Judge = (daily: Daily) => string[]

/** Same weekdays that a baseline is the median of, and how many of them must have data. */
const weeks = { count: 4, least: 3 }
/** Robust deviations above the baseline, and share of it, that a day must reach. */
const bounds = { deviations: 3, share: 0.3 }
/** Days whose distances from their own baselines say how much is usual. */
const usualDays = 28

/** As the rule: a day against the mean of the seven before. */
function isOverMean(daily: Daily, day: string): boolean {
  const before = valuesOf(daily, day, [1, 2, 3, 4, 5, 6, 7])
  const expected = sum(before) / before.length
  if (before.length < rule.baselineDaysMin || expected < rule.baselineUsdMin) return false
  return (
    judgeDay({
      actual: daily.get(day)!,
      expected,
      charged: expected,
      prior_days: 0,
      prior_mean: 0,
      prior_deviation: 0,
    }) !== undefined
  )
}

/** The median of the same weekday of the four weeks before. */
function weekdayBaseline(daily: Daily, day: string): number | undefined {
  const before = valuesOf(
    daily,
    day,
    Array.from({ length: weeks.count }, (_, week) => 7 * (week + 1)),
  )
  return before.length < weeks.least ? undefined : median(before)
}

/** Far above the median of its weekday, measured by the median distance of the days before from theirs (MAD). */
function isOverWeekday(daily: Daily, day: string, expected: number): boolean {
  const excess = daily.get(day)! - expected
  const distances = Array.from({ length: usualDays }, (_, back) => addDays(day, -back - 1)).flatMap((one) => {
    const usual = daily.has(one) ? weekdayBaseline(daily, one) : undefined
    return usual === undefined ? [] : [Math.abs(daily.get(one)! - usual)]
  })
  const spread = distances.length < 7 ? 0 : 1.4826 * median(distances)
  return excess >= bounds.share * expected && excess >= bounds.deviations * spread
}

/** Where a weekday has no baseline yet, the rule. */
const weekdayOrRule: Judge = (daily) =>
  [...daily.keys()].filter((day) => {
    const expected = weekdayBaseline(daily, day)
    return expected === undefined ? isOverMean(daily, day) : isOverWeekday(daily, day, expected)
  })

/** The rule, unless its weekday is always so. */
const ruleAndWeekday: Judge = (daily) =>
  [...daily.keys()].filter((day) => {
    const expected = weekdayBaseline(daily, day)
    const isUsual = expected !== undefined && daily.get(day)! < (1 + bounds.share) * expected
    return isOverMean(daily, day) && !isUsual
  })

export const candidates: Readonly<Record<string, Judge>> = {
  'weekday median and MAD': weekdayOrRule,
  'rule, unless its weekday is so': ruleAndWeekday,
}

const valuesOf = (daily: Daily, day: string, back: readonly number[]): number[] =>
  back.flatMap((days) => daily.get(addDays(day, -days)) ?? [])

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
