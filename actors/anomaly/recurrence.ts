/** Whether an anomaly was to be expected because a similar one occurs every week or month (decision G-118). Pure. */
import { addDays, addMonths, firstOf, isWeekend, lastOf, monthOf, startOf } from '#engine/value/day.ts'
import { isAtLeast, isSimilar, rule, tolerance } from './rule.ts'

/** US dollars of a day; `charged` is before credits. */
export interface HistoryDay {
  cost: number
  charged: number
}
/** By day; days without costs are not in it. */
export type History = ReadonlyMap<string, HistoryDay>

/** Earlier days that would have a similar anomaly, and how many of them must have one. */
interface Rhythm {
  name: string
  days: readonly string[]
  least: number
}

const weeks = 4
const months = 3

/** Every rhythm that the day could belong to. */
function rhythmsOf(date: string): Rhythm[] {
  const weekly = Array.from({ length: weeks }, (_, week) => addDays(date, -7 * (week + 1)))
  const weekday = new Date(startOf(date)).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' })
  const month = monthOf(date)
  const monthly = (name: string, dayIn: (month: string) => string): Rhythm[] => {
    if (dayIn(month) !== date) return []
    const days = Array.from({ length: months }, (_, back) => dayIn(addMonths(month, -back - 1)))
    return [{ name: `on the ${name} of each month`, days, least: rule.monthsMin }]
  }
  return [
    { name: `every ${weekday}`, days: weekly, least: rule.weeksMin },
    ...monthly(ordinal(Number(date.slice(8))), (one) => sameDay(date, one)),
    ...monthly('last day', lastOf),
    ...monthly('first business day', (one) => workingDay(firstOf(one), 1)),
    ...monthly('last business day', (one) => workingDay(lastOf(one), -1)),
  ]
}

/** The same day of another month, or its last day if it is shorter. */
const sameDay = (date: string, month: string): string => {
  const day = `${month}${date.slice(7)}`
  return day > lastOf(month) ? lastOf(month) : day
}

function workingDay(from: string, step: 1 | -1): string {
  let day = from
  while (isWeekend(startOf(day))) day = addDays(day, step)
  return day
}

const suffixes: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' }
const plural = new Intl.PluralRules('en', { type: 'ordinal' })
const ordinal = (day: number): string => `${day}${suffixes[plural.select(day)]}`

const daysBefore = (date: string, count: number): string[] =>
  Array.from({ length: count }, (_, back) => addDays(date, -back - 1))

/** The days whose costs `recurrenceOf` reads, oldest first. */
export function historyDays(date: string): string[] {
  const earlier = rhythmsOf(date).flatMap(({ days }) => days)
  const compared = earlier.flatMap((day) => [day, ...daysBefore(day, rule.baselineDays)])
  return [...new Set([...compared, ...daysBefore(date, rule.recentDays)])].toSorted()
}

export interface OutOfLine {
  date: string
  actual: number
  /** The day is not over: its cost may still rise to that of similar days. */
  isRunning: boolean
}

/** When similar anomalies occur, as a text that can follow "expected"; empty for a new one. */
export function recurrenceOf(anomaly: OutOfLine, history: History): string {
  const rhythm = rhythmsOf(anomaly.date).find(
    ({ days, least }) => days.filter((day) => isLike(day, anomaly, history)).length >= least,
  )
  if (rhythm) return rhythm.name
  const recent = daysBefore(anomaly.date, rule.recentDays).filter((day) => {
    const known = history.get(day)
    return known !== undefined && isAtLeast(known.cost, 1 - rule.difference, anomaly.actual)
  })
  return recent.length >= rule.recentDaysMin ? `also on ${recent.length} of the ${rule.recentDays} previous days` : ''
}

/** Whether an earlier day cost about the same, and stood out at least half as far as an anomaly must. */
function isLike(day: string, { actual, isRunning }: OutOfLine, history: History): boolean {
  const known = history.get(day)
  if (!known || !(isSimilar(actual, known.cost) || (isRunning && actual < known.cost))) return false
  const before = daysBefore(day, rule.baselineDays).flatMap((one) => history.get(one) ?? [])
  if (before.length < rule.baselineDaysMin) return false
  const [cost, charged] = [mean(before.map((one) => one.cost)), mean(before.map((one) => one.charged))]
  const scale = cost >= rule.baselineUsdMin - tolerance ? cost : charged
  return scale >= rule.baselineUsdMin - tolerance && 100 * (known.cost - cost) >= (rule.percentMin / 2) * scale
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
