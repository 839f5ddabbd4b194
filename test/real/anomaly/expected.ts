/** What the recorded daily costs must give, from numbers that were worked out apart from the product. */
import { addDays } from '#engine/value/day.ts'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { sum } from '#test/real/anomaly/series.ts'

const columns = [
  'date',
  'actual',
  'daysInBaseline',
  'baseline',
  'skipped',
  'deviationPercent',
  'percentSeverity',
  'z_prev7',
  'severity_z_prev7',
  'z_prev14',
  'severity_z_prev14',
  'z_allHistory',
  'severity_z_allHistory',
  'zSample_prev14',
]

/** A day of a series: cost, baseline, per cent over it, severity by per cent, z over 14 days; null where there is none. */
export interface Day {
  date: string
  actual: number
  baseline: number | null
  deviationPercent: number | null
  severity: string | null
  z14: number | null
}

/** The days of a series. */
export interface Days {
  days: readonly Day[]
}

export interface Expected extends Days {
  /** The days that are left once those that cost about as much as the one before are dropped. */
  afterDedup: readonly string[]
}

interface Series {
  columns: string[]
  rows: [string, number, number, number | null, string | null, number | null, string | null, ...(number | null)[]][]
  afterDedupPercentOnly: { date: string }[]
}

/** By the name of the series. @throws Error when the file has other columns */
export function expectedDays(folder: string): ReadonlyMap<string, Expected> {
  const file = JSON.parse(readFileSync(path.join(folder, 'expected/daily_cost_anomaly_shared.json'), 'utf8')) as Record<
    string,
    Series
  >
  return new Map(
    Object.entries(file).map(([name, series]) => {
      if (series.columns.join() !== columns.join()) throw new Error(`${name} has other columns`)
      const days = series.rows.map((row) => ({
        date: row[0],
        actual: row[1],
        baseline: row[3],
        deviationPercent: row[5],
        severity: row[6],
        z14: row[13] ?? null,
      }))
      return [name.replace('shared:', ''), { days, afterDedup: series.afterDedupPercentOnly.map(({ date }) => date) }]
    }),
  )
}

export const flagged = ({ days }: Days): Day[] =>
  days.filter(({ severity }) => severity !== null && severity !== 'none')

/** Standard deviations over the mean of the days with data among the `window` before; undefined when they vary by 10 % or less, or are fewer than `least`. */
export function deviations({ days }: Days, day: Day, window: number, least: number): number | undefined {
  const first = addDays(day.date, -window)
  const prior = days.filter(({ date }) => date >= first && date < day.date).map(({ actual }) => actual)
  if (prior.length < least) return undefined
  const mean = sum(prior) / prior.length
  const sd = Math.sqrt(sum(prior.map((cost) => (cost - mean) ** 2)) / (prior.length - 1))
  return sd > 0.1 * mean ? (day.actual - mean) / sd : undefined
}

const levels = ['warning', 'critical', 'emergency']

/** The higher of the severity by per cent and that by the standard deviation of up to 30 days, and whose it is. */
export function judged(series: Days, day: Day): { severity: string; method: string } {
  const z = deviations(series, day, 30, 14) ?? 0
  const byDeviation = [2, 3, 5].findLastIndex((least) => z >= least)
  const byPercent = levels.indexOf(day.severity!)
  const severity = levels[Math.max(byDeviation, byPercent)]!
  return { severity, method: byDeviation > byPercent ? 'zscore' : 'percent' }
}
