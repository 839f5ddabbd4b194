/** What a month will come to: as `forecast`, for many budgets at once, and for histories that are too short to be tested. */
import { days, firstOf, monthOf } from '#engine/value/day.ts'
import { bandsOf } from './band.ts'
import {
  aheadOf,
  toExpectedCost,
  centsOf,
  expectedIn,
  buildModel,
  restOf,
  seriesOf,
  settledIn,
  splitOf,
  sum,
  type ExpectedCost,
  type Forecast,
  type History,
  type ForecastModel,
} from './forecast.ts'
import { median, methods } from './level.ts'
import { comparedAhead } from './trial.ts'

/** `daily_median`: of the complete days, while they are too few for a level and its test. */
export const monthEndMethods = [...methods, 'daily_median'] as const

export interface MonthEnd extends Pick<ExpectedCost, 'expected' | 'low' | 'high' | 'basis'> {
  /** The newest complete day. */
  through: string
  /** Cents of the complete days of the month; `expected`, `low` and `high` are of the others. */
  settled: number
  /** Cents of each of the others, oldest first. */
  days: ReadonlyMap<string, number>
  method: (typeof monthEndMethods)[number]
  /** Bands of as many days as the others are that were made in the test. */
  held: Forecast['held']['rest']
}

export function monthEnd(history: History, today: string): MonthEnd {
  const { through } = history
  const rest = restOf(monthOf(today), through)
  const ahead = aheadOf(through, rest)
  const made = buildModel(history, Math.max(comparedAhead, ahead.to, reachMin))
  if (!made) return estimateFromMedian(history, today)
  const band = bandsOf(made.trial, [ahead])[0]!
  const each = [...days(rest.from, rest.to)].map((day) => [day, expectedOn(made, day)] as const)
  const { expected, low, high, basis } = toExpectedCost(rest, expectedIn(made, rest), band)
  const settled = sum(Object.values(settledIn(made.parts, firstOf(monthOf(today)))))
  return { through, settled, days: new Map(each), expected, low, high, basis, method: made.trial.method, held: band }
}

/** Days ahead that the bands of a year of days fall back on. */
const reachMin = 45

const expectedOn = (made: ForecastModel, day: string): number =>
  sum(Object.values(expectedIn(made, { from: day, to: day })))

/** What is charged seldom is settled and expected of no other day: too few months say when it comes. */
function estimateFromMedian(history: History, today: string): MonthEnd {
  const { through } = history
  const month = monthOf(today)
  const rest = restOf(month, through)
  const parts = splitOf(history)
  const series = parts ? [...seriesOf(parts, history.known).values()] : []
  const daily = sum(series.map((costs) => centsOf(medianOf(costs))))
  const each = [...days(rest.from, rest.to)].map((day) => [day, daily] as const)
  return {
    through,
    settled: parts ? sum(Object.values(settledIn(parts, firstOf(month)))) : 0,
    days: new Map(each),
    expected: daily * each.length,
    low: null,
    high: null,
    basis: 'untested',
    method: 'daily_median',
    held: { made: 0, held: 0 },
  }
}

function medianOf(costs: Float64Array): number {
  const known = [...costs].filter((cost) => !Number.isNaN(cost))
  return known.length === 0 ? 0 : median(known)
}
