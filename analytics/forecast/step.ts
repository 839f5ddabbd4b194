/**
 * Steps of the level: an account that is new, a service that was switched off. From the day on which a step is seen the days before it are
 * taken as if they had been after it, so that the level is a new one within a week, and not half of each for three. Pure: costs are US
 * dollars by day, NaN where a day is not known.
 */
import { knownIn, median, weekdayMedians, type KnownDay, type LevelStep } from './level.ts'

/** Days of the new level that show a step. */
const stepDays = 7
/** Of these, days that may lie where days did before. */
const strayMax = 1
/** Known days of the four weeks before a step: three weeks. */
const beforeMin = 21
/** How many times as far off as days before it the days of a step lie. A trend is no step: after three weeks of it the next lies twice as far. */
const clearBy = 2

/** Oldest first. Each by the days until `seenAt` alone. */
export function stepsIn(costs: ArrayLike<number>): LevelStep[] {
  const steps: LevelStep[] = []
  const level = Float64Array.from(costs)
  for (let at = beforeMin; at + stepDays <= level.length; at++) {
    const size = mayStep(level, at) ? stepAt(level, at) : 0
    if (size === 0) continue
    steps.push({ at, seenAt: at + stepDays - 1, size })
    for (const before of knownIn(level, at - 1)) level[before.at]! += size
  }
  return steps
}

/** Whether nearly all days of the week differ in the same direction from those a week before: most weeks do not, and are not looked at further. */
function mayStep(level: Float64Array, at: number): boolean {
  let [up, down] = [0, 0]
  for (let day = at; day < at + stepDays; day++) {
    const change = level[day]! - level[day - stepDays]!
    if (change > 0) up++
    else if (change < 0) down++
  }
  return Math.max(up, down) >= stepDays - strayMax
}

/** 0 where the week from `at` on is no step. */
function stepAt(level: Float64Array, at: number): number {
  const before = knownIn(level, at - 1)
  const week = knownIn(level, at + stepDays - 1).filter((day) => day.at >= at)
  if (before.length < beforeMin || week.length < stepDays - strayMax) return 0
  const weekday = weekdayMedians(before)
  const off = ({ at: day, cost }: KnownDay) => cost - weekday[day % weekday.length]!
  const size = median(week.map(off))
  const usual = before.map((day) => Math.abs(off(day))).toSorted((a, b) => a - b)
  const spread = usual[Math.floor(0.9 * usual.length)]!
  const clear = week.filter((day) => Math.sign(size) * off(day) > clearBy * spread)
  return clear.length >= stepDays - strayMax ? size : 0
}
