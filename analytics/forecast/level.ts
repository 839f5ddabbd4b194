/**
 * What days to come will cost by the days before them: the robust level of each weekday, and the trend over it. Pure: costs are US
 * dollars by day, NaN where a day is not known, and an origin is the place of the last known day.
 */

/** Days that are looked back at: four of each weekday. */
export const windowDays = 28
/** Of these, days that must be known. */
export const knownMin = 14
/** Days that a trend goes on for; behind them the level stays where it is. */
export const trendDays = 28
const weekDays = 7
/** Part of the way that the level is moved to where the last week stands. */
const moved = 0.5

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

/** What is known at `origin`; undefined where too few days of the window are known. */
export function outlookAt(costs: ArrayLike<number>, origin: number): Outlook | undefined {
  const known = knownIn(costs, origin)
  if (known.length < knownMin) return undefined
  const slope = slopeOf(costs, known)
  const level = levelOf(known, origin)
  const flat = known.map(({ at, cost }) => ({ at, cost: cost + slope * (origin - at) }))
  return { origin, level, line: slope === 0 ? level : levelOf(flat, origin), slope }
}

/** The median of each weekday, that of all for one that is not known; all moved to where the last week stands beside them, half of the way. */
function levelOf(known: readonly Known[], origin: number): number[] {
  const middle = median(known.map(({ cost }) => cost))
  const weekday = Array.from({ length: weekDays }, (_, day) => {
    const own = known.filter(({ at }) => at % weekDays === day)
    return own.length === 0 ? middle : median(own.map(({ cost }) => cost))
  })
  const week = known.filter(({ at }) => at > origin - weekDays)
  const move = week.length === 0 ? 0 : moved * median(week.map(({ at, cost }) => cost - weekday[at % weekDays]!))
  return weekday.map((cost) => cost + move)
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

export interface Known {
  at: number
  cost: number
}

/** The known days of the window that ends at `origin`. */
export function knownIn(costs: ArrayLike<number>, origin: number): Known[] {
  const known: Known[] = []
  for (let at = Math.max(0, origin - windowDays + 1); at <= origin; at++)
    if (!Number.isNaN(costs[at]!)) known.push({ at, cost: costs[at]! })
  return known
}

/** The median of the slopes of all pairs of the same weekday (Theil and Sen): what a few days cost beside the others moves it little. */
function slopeOf(costs: ArrayLike<number>, known: readonly Known[]): number {
  const slopes: number[] = []
  for (const { at, cost } of known)
    for (let before = at - weekDays; before >= known[0]!.at; before -= weekDays)
      if (!Number.isNaN(costs[before]!)) slopes.push((cost - costs[before]!) / (at - before))
  return slopes.length === 0 ? 0 : median(slopes)
}

/** Of at least one value. */
export const median = (values: readonly number[]): number => middleOf(Float64Array.from(values).sort())

function middleOf(sorted: Float64Array): number {
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}
