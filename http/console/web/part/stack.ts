/** What a stacked chart draws: each series from the sum of those before it, what is above zero apart from what is below. */

export interface ChartSeries {
  label: string
  /** One for each period; null where there is none. */
  values: readonly (number | null)[]
  /** What the rest adds up to: drawn grey. */
  isOther?: boolean
  /** Where it is looked at alone. */
  href?: string
}

/** Sums to draw, outermost first, so that each next one covers what is not its own. */
export function stackSeries(series: readonly ChartSeries[], periods: number): (number | null)[][] {
  const above = Array.from({ length: periods }, () => 0)
  const below = Array.from({ length: periods }, () => 0)
  const sums = series.map(({ values }) =>
    Array.from({ length: periods }, (_, at) => {
      const value = values[at] ?? null
      if (value === null) return null
      const side = value < 0 ? below : above
      side[at] = side[at]! + value
      return side[at]!
    }),
  )
  return sums.toReversed()
}

/** Places of labels along an axis: at most `most`, evenly apart. */
export function spread(count: number, most: number): number[] {
  const step = Math.max(1, Math.ceil(count / Math.max(1, most)))
  return Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step)
}
