/**
 * The rolling-origin test: the forecast as it would have been made on each day of the history, by the days until then alone, against
 * what the days behind came to. It says whether a trend is worth having, how naive forecasts do, and how far off the chosen method is.
 * Costs are US dollars by day, NaN where a day is not known.
 */
import { expectedAhead, methods, outlookAt, sizeAt, type Method, type Outlook } from './level.ts'
import { naiveMethods, naives, type NaiveMethod } from './naive.ts'
import { stepsIn } from './step.ts'

/** Days ahead that methods are compared over. */
export const comparedAhead = 28

export interface Trial {
  /** Origins of the test, places of days: the first of which enough was known before, and the last, which the forecast is made at. */
  first: number
  last: number
  method: Method
  /** Mean absolute error in US dollars of the days up to 28 ahead, over the same days for all; null where a method has none. */
  errors: () => Record<Method | NaiveMethod, number | null>
  /** Mean size of a day's cost at the last origin, US dollars. */
  size: number
  /**
   * Of the chosen method: what the days `from` to `to` ahead of an origin came to beyond what was expected, as a multiple of the mean
   * size of a day's cost then. NaN where it is not known.
   */
  error: (origin: number, from: number, to: number) => number
}

type Errors = ReturnType<Trial['errors']>

/** By origin: errors in US dollars, added up from the day behind it on; none where too little was known. */
type Run = readonly Float64Array[]

/**
 * `parts` are forecast each by itself and judged in sum; `day` is that of their first cost, and errors are known of `reach` days ahead.
 * Undefined where no origin knows enough.
 */
export function runTrial(parts: readonly Float64Array[], day: string, reach = Infinity): Trial | undefined {
  const costs = sumParts(parts)
  const steps = parts.map((part) => stepsIn(part))
  const known = Array.from(costs, (_, origin) => parts.flatMap((part, n) => outlookAt(part, origin, steps[n]) ?? []))
  const first = known.findIndex((some) => some.length > 0)
  if (first === -1) return undefined
  const runs = {
    level: runOf(costs, known, 'level', reach),
    level_and_trend: runOf(costs, known, 'level_and_trend', reach),
  }
  const method = isTrendBetter(costs, runs, first) ? 'level_and_trend' : 'level'
  const sizes = Array.from(costs, (_, origin) => sizeAt(costs, origin))
  const last = costs.length - 1
  return {
    first,
    last,
    method,
    errors: () => compareMethods(costs, runs, first, day),
    size: sizes[last]!,
    error(origin, from, to) {
      const run = runs[method][origin]!
      if (to >= run.length || sizes[origin] === 0) return Number.NaN
      if (from === to && Number.isNaN(costs[origin + to]!)) return Number.NaN
      return (run[to]! - run[from - 1]!) / sizes[origin]!
    },
  }
}

function sumParts(parts: readonly Float64Array[]): Float64Array {
  const sum = new Float64Array(parts[0]!.length)
  for (const part of parts) for (let at = 0; at < sum.length; at++) sum[at]! += part[at]!
  return sum
}

/** Days that are not known add nothing. */
function runOf(costs: Float64Array, known: readonly (readonly Outlook[])[], method: Method, reach: number): Run {
  return known.map((outlooks, origin) => {
    if (outlooks.length === 0) return new Float64Array(0)
    const run = new Float64Array(Math.min(reach + 1, costs.length - origin))
    for (let ahead = 1; ahead < run.length; ahead++) {
      let expected = 0
      for (const outlook of outlooks) expected += expectedAhead(outlook, method, ahead)
      const cost = costs[origin + ahead]!
      run[ahead] = run[ahead - 1]! + (Number.isNaN(cost) ? 0 : cost - expected)
    }
    return run
  })
}

/** Whether the trend is nearer in the older half of the test and in the newer one: luck of one stretch is no reason to believe in it. */
function isTrendBetter(
  costs: Float64Array,
  { level, level_and_trend: trend }: Record<Method, Run>,
  first: number,
): boolean {
  const middle = Math.ceil((first + costs.length - 1) / 2)
  return [
    [first, middle],
    [middle, costs.length],
  ].every(([from, to]) => {
    let [count, gain] = [0, 0]
    for (let origin = from!; origin < to!; origin++)
      for (let ahead = 1; ahead <= comparedAhead && ahead < level[origin]!.length; ahead++) {
        if (Number.isNaN(costs[origin + ahead]!)) continue
        count++
        gain += errorOf(level[origin]!, ahead) - errorOf(trend[origin]!, ahead)
      }
    return count >= comparedAhead && gain > 0
  })
}

/** Days behind the first origin from which on last month has something to say. */
const monthMax = 31

/** Errors of all methods, over the days that each of them says something of; of last month none where it never does. */
function compareMethods(costs: Float64Array, runs: Record<Method, Run>, first: number, day: string): Errors {
  const ways = naives(day, costs.length)
  const hasLastMonth = costs.length - 1 - first > monthMax
  const names = naiveMethods.filter((name) => name !== 'last_month' || hasLastMonth)
  const sums = new Float64Array(names.length + methods.length)
  const errors = new Float64Array(sums.length)
  let count = 0
  for (let origin = first; origin < costs.length; origin++) {
    const said = names.map((name) => ways[name](costs, origin))
    for (let ahead = 1; ahead <= comparedAhead && ahead < runs.level[origin]!.length; ahead++) {
      const at = origin + ahead
      for (const [n, of] of said.entries()) errors[n] = Math.abs(of(at) - costs[at]!)
      for (const [n, method] of methods.entries()) errors[names.length + n] = errorOf(runs[method][origin]!, ahead)
      if (errors.some(Number.isNaN)) continue
      count++
      for (let n = 0; n < sums.length; n++) sums[n]! += errors[n]!
    }
  }
  const mean = (name: Method | NaiveMethod): number | null => {
    const at = [...names, ...methods].indexOf(name)
    return at === -1 || count === 0 ? null : sums[at]! / count
  }
  return Object.fromEntries([...methods, ...naiveMethods].map((name) => [name, mean(name)])) as Errors
}

const errorOf = (run: Float64Array, ahead: number): number => Math.abs(run[ahead]! - run[ahead - 1]!)
