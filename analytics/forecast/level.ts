/**
 * What days to come will cost by the days before them: the robust level of each weekday, and the trend over it. Pure: costs are US
 * dollars by day, NaN where a day is not known, and an origin is the place of the last known day.
 */

/** A lasting change of the level, as step.ts finds it. */
export interface LevelStep {
  /** The first day of the new level. */
  at: number
  /** The last day of the week that shows it. */
  seenAt: number
  /** US dollars a day, negative for a fall. */
  size: number
}

/** Days that are looked back at: four of each weekday. */
export const windowDays = 28
/** Of these, days that must be known. */
const knownMin = 14
/** Days that a trend goes on for; behind them the level stays where it is. */
const trendDays = 28
const weekDays = 7
/** Part of the way that the level is moved to where the last week stands. */
const lastWeekWeight = 0.5

export const methods = ['level', 'level_and_trend'] as const
export type Method = (typeof methods)[number]

export interface Outlook {
  origin: number
  /** By place modulo seven: a weekday each, as the last week stands. */
  level: readonly number[]
  /** The same of costs without the trend, as they would be at the origin. */
  line: readonly number[]
  /** US dollars a day. */
  slope: number
}

/**
 * What is known at `origin`; undefined where too few days of the window are known. Days before a step of the level that was seen by then
 * count as if they had been after it.
 */
export function outlookAt(
  costs: ArrayLike<number>,
  origin: number,
  steps: readonly LevelStep[] = [],
): Outlook | undefined {
  const known = knownIn(costs, origin)
  if (known.length < knownMin) return undefined
  for (const { at, seenAt, size } of steps)
    if (seenAt <= origin) for (const one of known) if (one.at < at) one.cost += size
  const slope = slopeOf(known)
  const level = levelOf(known, origin)
  if (slope === 0) return { origin, level, line: level, slope }
  for (const one of known) one.cost += slope * (origin - one.at)
  return { origin, level, line: levelOf(known, origin), slope }
}

/** The median of each weekday, all moved half of the way to where the last week stands compared with them. */
function levelOf(known: readonly KnownDay[], origin: number): number[] {
  const weekday = weekdayMedians(known)
  let count = 0
  for (const { at, cost } of known) if (at > origin - weekDays) scratch[count++] = cost - weekday[at % weekDays]!
  const move = count === 0 ? 0 : lastWeekWeight * medianOf(scratch, count)
  return weekday.map((cost) => cost + move)
}

/** By place modulo seven; that of all days for a weekday of which none is known. */
export function weekdayMedians(known: readonly KnownDay[]): number[] {
  const medians: number[] = []
  for (let weekday = 0; weekday < weekDays; weekday++) {
    let count = 0
    for (const { at, cost } of known) if (at % weekDays === weekday) scratch[count++] = cost
    if (count === 0) for (const { cost } of known) scratch[count++] = cost
    medians.push(medianOf(scratch, count))
  }
  return medians
}

/** Mean size of the costs of the window, which errors are measured by; 0 where nothing of it is known. */
export function sizeAt(costs: ArrayLike<number>, origin: number): number {
  const known = knownIn(costs, origin)
  return known.reduce((sum, { cost }) => sum + Math.abs(cost), 0) / Math.max(1, known.length)
}

/** US dollars of the day that many days behind the origin. */
export function expectedAhead(outlook: Outlook, method: Method, ahead: number): number {
  const weekday = (outlook.origin + ahead) % weekDays
  if (method === 'level') return outlook.level[weekday]!
  return outlook.line[weekday]! + outlook.slope * Math.min(ahead, trendDays)
}

export interface KnownDay {
  at: number
  cost: number
}

/** The known days of the window that ends at `origin`. */
export function knownIn(costs: ArrayLike<number>, origin: number): KnownDay[] {
  const known: KnownDay[] = []
  for (let at = Math.max(0, origin - windowDays + 1); at <= origin; at++)
    if (!Number.isNaN(costs[at]!)) known.push({ at, cost: costs[at]! })
  return known
}

/** The median of the slopes of all pairs of the same weekday (Theil and Sen): what a few days cost beside the others moves it little. */
function slopeOf(known: readonly KnownDay[]): number {
  let count = 0
  for (const { at, cost } of known)
    for (const before of known) {
      if (before.at >= at) break
      if ((at - before.at) % weekDays === 0) scratch[count++] = (cost - before.cost) / (at - before.at)
    }
  return count === 0 ? 0 : medianOf(scratch, count)
}

/** Medians are of few values and of many days: this room is used again and again. It holds all pairs of a window. */
const scratch = new Float64Array(windowDays * windowDays)

/** Of the first values, at least one, which are put in order. */
function medianOf(values: Float64Array, count: number): number {
  for (let at = 1; at < count; at++) {
    const value = values[at]!
    let to = at
    for (; to > 0 && values[to - 1]! > value; to--) values[to] = values[to - 1]!
    values[to] = value
  }
  const half = count >> 1
  return count % 2 === 1 ? values[half]! : (values[half - 1]! + values[half]!) / 2
}

/** Of at least one value. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort()
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}
