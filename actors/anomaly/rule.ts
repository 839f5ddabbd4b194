/**
 * When a day of a dimension is an anomaly, and how severe (decisions G-50, G-51). Pure: the numbers come from
 * ClickHouse.
 */
import { daysBetween } from '#engine/value/day.ts'
import type { AnomalySeverity } from '#streams/anomaly.ts'
import type { StoredAnomaly } from './entity.ts'

export type Thresholds = readonly { severity: AnomalySeverity; percent: number; deviations: number }[]

/** Mildest first: per cent above the baseline, and standard deviations above the mean of up to 30 days. */
export const thresholds: Thresholds = [
  { severity: 'warning', percent: 30, deviations: 2 },
  { severity: 'critical', percent: 100, deviations: 3 },
  { severity: 'emergency', percent: 500, deviations: 5 },
]

export const rule = {
  /** Days in the baseline, how many of them must have rows, and their minimum mean in US dollars a day. */
  baselineDays: 7,
  baselineDaysMin: 4,
  baselineUsdMin: 1,
  percentMin: thresholds[0]!.percent,
  /** Days that the standard deviation is taken over, and how many of them must have rows. */
  priorDays: 30,
  priorDaysMin: 14,
  /** Ratio of standard deviation to mean up to which a series is too steady for standard deviations. */
  steady: 0.1,
  /** A resource is new if first seen on the day itself or at most this many days before. */
  newDays: 2,
  /** Anomalies are suppressed if new resources cause more than this part of the excess. */
  newShare: 0.5,
  /** Part of the excess that anomalies of a day must share to form one story. */
  shares: 0.5,
  /** Part of the excess that a cause must explain. */
  explains: 0.6,
  /** Days before the day that are searched for a cause. */
  causeDays: 14,
  /** Relative change of a rate or of usage above which it is a cause. */
  change: 0.5,
  /**
   * An anomaly is recurring if at least so many of the four weeks, or of the three months, before have a similar one.
   */
  weeksMin: 3,
  monthsMin: 2,
  /** An anomaly is not new if at least `recentDaysMin` of these days before it cost at least as much, minus 20%. */
  recentDays: 13,
  recentDaysMin: 2,
  /** Calendar days of the window for cooldown and repeats, including the first day. */
  windowDays: 7,
  /** Relative difference from the previous anomaly at which one counts as new. */
  difference: 0.2,
} as const

/** Rounding errors of sums of binary floats are smaller than this. */
export const tolerance = 1e-9

export interface MeasuredDay {
  actual: number
  expected: number
  /** Mean of the same days before credits. */
  charged: number
  prior_days: number
  prior_mean: number
  prior_deviation: number
}

export interface Judgement {
  severity: AnomalySeverity
  method: 'percent' | 'zscore'
  deviationPercent: number
}

/** Whether a day can be judged: it has costs, and so have enough of the seven days before it. */
export const isComparable = (day: { prior_days: number; is_there: number }): boolean =>
  day.is_there === 1 && day.prior_days >= rule.baselineDaysMin

/**
 * US dollars a day that a rise is compared with: the baseline, or the baseline before credits if credits cover nearly
 * all of it (decision G-119). Below `usdMin` the day is not judged.
 */
const scaleOf = ({ expected, charged }: Pick<MeasuredDay, 'expected' | 'charged'>, usdMin: number): number =>
  expected >= usdMin - tolerance ? expected : charged

/** Undefined below the first threshold in per cent: standard deviations only raise the severity. */
export function judgeDay(
  day: MeasuredDay,
  by: Thresholds = thresholds,
  usdMin: number = rule.baselineUsdMin,
): Judgement | undefined {
  const scale = scaleOf(day, usdMin)
  if (scale < usdMin - tolerance) return undefined
  const percent = (100 * (day.actual - day.expected)) / scale
  const byPercent = by.findLastIndex((at) => percent >= at.percent - tolerance)
  if (byPercent === -1) return undefined
  const byDeviation = scale === day.expected ? deviations(day, by) : -1
  const worst = Math.max(byPercent, byDeviation)
  return {
    severity: by[worst]!.severity,
    method: byDeviation > byPercent ? 'zscore' : 'percent',
    deviationPercent: withoutNoise(percent),
  }
}

function deviations(day: MeasuredDay, by: Thresholds): number {
  if (!isUneven(day)) return -1
  const z = (day.actual - day.prior_mean) / day.prior_deviation
  return by.findLastIndex((at) => z >= at.deviations - tolerance)
}

/** Whether standard deviations are meaningful. */
const isUneven = ({ prior_days: days, prior_mean: mean, prior_deviation: sd }: Omit<MeasuredDay, 'actual'>): boolean =>
  days >= rule.priorDaysMin && sd > rule.steady * mean && sd > 0

/**
 * The cost at which each severity begins, mildest first: by per cent or by standard deviations, whichever is lower, but
 * never below the first threshold. Undefined if the day is not judged.
 */
export function boundsOf(
  day: Omit<MeasuredDay, 'actual'> & { baseline_days: number },
  by: Thresholds = thresholds,
): number[] | undefined {
  const scale = scaleOf(day, rule.baselineUsdMin)
  if (day.baseline_days < rule.baselineDaysMin || scale < rule.baselineUsdMin - tolerance) return undefined
  const above = (percent: number): number => day.expected + (scale * percent) / 100
  return by.map(({ percent, deviations: times }) => {
    const deviant = scale === day.expected && isUneven(day) ? day.prior_mean + times * day.prior_deviation : Infinity
    return Math.max(above(by[0]!.percent), Math.min(above(percent), deviant))
  })
}

/** Rounds to 8 decimals, which removes rounding errors of binary floats. */
export const withoutNoise = (value: number): number => Number(value.toFixed(8))

/** Whether `part` is at least (below: more than) a share of `whole`, which must be positive. */
export const isAtLeast = (part: number, share: number, whole: number): boolean => part >= share * whole - tolerance
export const isMore = (part: number, share: number, whole: number): boolean => part > share * whole + tolerance

/** Whether `earlier` is before `date`, and `date` in its window. */
export const isBefore = (earlier: string, date: string): boolean => {
  const days = daysBetween(earlier, date)
  return days > 0 && days < rule.windowDays
}

/** Whether the costs differ by less than `difference`, relative to the earlier one. */
export const isSimilar = (cost: number, earlier: number, difference: number = rule.difference): boolean =>
  Math.abs(cost - earlier) / earlier < difference - tolerance

/** Whether the newest anomaly of the window cost about as much. */
export function isRepeat(
  stored: readonly Pick<StoredAnomaly, 'date' | 'actual'>[],
  { date, actualUsd }: { date: string; actualUsd: number },
  difference: number = rule.difference,
): boolean {
  const last = stored.findLast((one) => isBefore(one.date, date))
  return last !== undefined && isSimilar(actualUsd, last.actual, difference)
}
