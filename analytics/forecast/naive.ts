/** Forecasts that anybody would make without a product: what ours is measured beside. */
import { dayMs, startOf } from '#engine/value/day.ts'
import { knownIn } from './level.ts'

export const naiveMethods = ['last_month', 'straight_line', 'mean_of_28_days'] as const
export type NaiveMethod = (typeof naiveMethods)[number]

/** What a naive method says at `origin` of the day at a place behind it, by the days until then; NaN where it cannot say. */
export type Naive = (costs: ArrayLike<number>, origin: number) => (at: number) => number

/** `first` is the day of the first cost. */
export function naives(first: string, days: number): Record<NaiveMethod, Naive> {
  const before = Int32Array.from({ length: days }, (_, at) => at - monthAt(startOf(first) + at * dayMs))
  return {
    last_month: (costs) => (at) => costs[before[at]!] ?? Number.NaN,
    straight_line: straightLine,
    mean_of_28_days(costs, origin) {
      const known = knownIn(costs, origin)
      const mean = meanOf(known.map(({ cost }) => cost))
      return () => mean
    },
  }
}

/** Days back to the same day of the month before, or to its last. */
function monthAt(ms: number): number {
  const day = new Date(ms)
  const lastBefore = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 0)).getUTCDate()
  return Math.max(lastBefore, day.getUTCDate())
}

/** Through the last 28 days, by least squares. */
function straightLine(costs: ArrayLike<number>, origin: number): (at: number) => number {
  const known = knownIn(costs, origin)
  const [middle, mean] = [meanOf(known.map(({ at }) => at)), meanOf(known.map(({ cost }) => cost))]
  const spread = known.reduce((sum, { at }) => sum + (at - middle) ** 2, 0)
  const slope = known.reduce((sum, { at, cost }) => sum + (at - middle) * (cost - mean), 0) / spread
  return (at) => mean + slope * (at - middle)
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
