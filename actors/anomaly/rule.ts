/** When a day of a dimension is an anomaly, and how bad (decisions G-50, G-51). Numbers come from ClickHouse; nothing is read here. */
import { daysBetween } from '#engine/value/day.ts'
import type { AnomalySeverity } from '#streams/anomaly.ts'
import type { StoredAnomaly } from './entity.ts'

export type Thresholds = readonly { severity: AnomalySeverity; percent: number; deviations: number }[]

/** From the mildest on: per cent over the baseline, and standard deviations over the mean of up to 30 days. */
export const thresholds: Thresholds = [
  { severity: 'warning', percent: 30, deviations: 2 },
  { severity: 'critical', percent: 100, deviations: 3 },
  { severity: 'emergency', percent: 500, deviations: 5 },
]

export const rule = {
  /** Days of the seven before that must have rows, and US dollars a day they must come to on average. */
  baselineDays: 7,
  baselineDaysMin: 4,
  baselineUsdMin: 1,
  percentMin: thresholds[0]!.percent,
  /** Days before that the standard deviation is taken over, as far as they have rows; fewer than the least say nothing. */
  priorDays: 30,
  priorDaysMin: 14,
  /** Standard deviation by mean at and below which a series is too steady for it to say anything. */
  steady: 0.1,
  /** First seen on the day itself or so many days before is new. */
  newDays: 2,
  /** New resources with a larger part of the excess make it no surprise. */
  newShare: 0.5,
  /** Part of the excess that several anomalies of a day must have in common to be one story. */
  shares: 0.5,
  /** Part of the excess that explains it. */
  explains: 0.6,
  /** Days before that a cause is looked for in. */
  causeDays: 14,
  /** Change of a rate or of use by more than this is a cause. */
  change: 0.5,
  /** Of the four weeks and the three months before, those with a similar anomaly that make one recurring. */
  weeksMin: 3,
  monthsMin: 2,
  /** Days before of which so many that cost at least as much, less a fifth, make an anomaly nothing new. */
  recentDays: 13,
  recentDaysMin: 2,
  /** A window counts calendar days, the first included: for cooldown and repeats. */
  windowDays: 7,
  /** Difference from the anomaly before, as a part of it, that makes it a new one. */
  difference: 0.2,
} as const

/** Sums of binary floats miss round values by less than this. */
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

/** Whether a day can be out of line: it has costs, and so have enough of the seven days before it. */
export const isComparable = (day: { prior_days: number; is_there: number }): boolean =>
  day.is_there === 1 && day.prior_days >= rule.baselineDaysMin

/**
 * US dollars a day that a rise is measured by: the baseline, or what it was before credits where credits cover nearly all of it
 * (decision G-119). Below `usdMin` the day is not judged.
 */
const scaleOf = ({ expected, charged }: Pick<MeasuredDay, 'expected' | 'charged'>, usdMin: number): number =>
  expected >= usdMin - tolerance ? expected : charged

/** Undefined below the first threshold: the standard deviation only makes what is found worse. */
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

/** Whether standard deviations say anything. */
const isUneven = ({ prior_days: days, prior_mean: mean, prior_deviation: sd }: Omit<MeasuredDay, 'actual'>): boolean =>
  days >= rule.priorDaysMin && sd > rule.steady * mean && sd > 0

/**
 * From what cost on a day is of each severity, the mildest first: whichever of the two columns is reached sooner, but nothing below the
 * first threshold. Undefined where a day is not judged.
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

/** Without the noise of binary floats. */
export const withoutNoise = (value: number): number => Number(value.toFixed(8))

/** Whether `part` is at least, or more than, a share of `whole`, which is positive. */
export const isAtLeast = (part: number, share: number, whole: number): boolean => part >= share * whole - tolerance
export const isMore = (part: number, share: number, whole: number): boolean => part > share * whole + tolerance

/** Whether one day lies before the other, and the other in its window. */
export const isBefore = (earlier: string, date: string): boolean => {
  const days = daysBetween(earlier, date)
  return days > 0 && days < rule.windowDays
}

/** Less than a fifth more or less than an earlier cost, or less than `difference`. */
export const isSimilar = (cost: number, earlier: number, difference: number = rule.difference): boolean =>
  Math.abs(cost - earlier) / earlier < difference - tolerance

/** The newest anomaly of the window cost about as much. */
export function isRepeat(
  stored: readonly Pick<StoredAnomaly, 'date' | 'actual'>[],
  { date, actualUsd }: { date: string; actualUsd: number },
  difference: number = rule.difference,
): boolean {
  const last = stored.findLast((one) => isBefore(one.date, date))
  return last !== undefined && isSimilar(actualUsd, last.actual, difference)
}
