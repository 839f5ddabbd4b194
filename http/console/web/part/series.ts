/** What a chart draws, and sums over it. */

export interface ChartSeries {
  label: string
  /** One for each period; null if there is none. */
  values: readonly (number | null)[]
  /** The sum of the rest: drawn grey. */
  isOther?: boolean
  /** Opens it alone. */
  href?: string
}

/** A line over the chart that is not part of the total: a previous period, a budget, a forecast. */
export interface Overlay {
  label: string
  values: readonly (number | null)[]
  /** Dots instead of dashes, to tell two of them apart. */
  isDotted?: boolean
}

/** The range in which values are expected. */
export interface Band {
  label: string
  low: readonly (number | null)[]
  high: readonly (number | null)[]
}

/** Something to say about a period. */
export interface Mark {
  period: string
  text: string
  severity: string
  /** An event rather than a value: drawn as a line with this letter. */
  letter?: string
}

type Values = readonly (number | null)[]

/** The sum of the values of one period; null if no series has one. */
export function totalAt(series: readonly { values: Values }[], at: number): number | null {
  const values = series.flatMap(({ values: of }) => (typeof of[at] === 'number' ? [of[at]] : []))
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}

/** The highest point of a stack: negative values are stacked below zero. */
export const topAt = (series: readonly { values: Values }[], at: number): number =>
  series.reduce((sum, { values }) => sum + Math.max(0, values[at] ?? 0), 0)

/** Each value plus all before it. After the last value there is nothing. */
export function cumulate(values: Values): (number | null)[] {
  const last = values.findLastIndex((value) => value !== null)
  let sum = 0
  return values.map((value, at) => {
    sum += value ?? 0
    return at > last ? null : sum
  })
}

/** The series whose part of the stack of a period contains a value; the first series is nearest to zero. */
export function seriesAt<S extends { values: Values }>(series: readonly S[], at: number, value: number): S | undefined {
  let [above, below] = [0, 0]
  for (const one of series) {
    const part = one.values[at] ?? 0
    if (part > 0 && value >= above && value < above + part) return one
    if (part < 0 && value < below && value >= below + part) return one
    if (part > 0) above += part
    else below += part
  }
  return undefined
}

/** The line nearest to a value. */
export function lineAt<S extends { values: Values }>(series: readonly S[], at: number, value: number): S | undefined {
  const distance = ({ values }: S) => Math.abs((values[at] ?? Infinity) - value)
  return series
    .filter(({ values }) => typeof values[at] === 'number')
    .toSorted((a, b) => distance(a) - distance(b))
    .at(0)
}

/** The values of a period, highest first, without those that are nothing. */
export const rankedAt = <S extends { values: Values }>(series: readonly S[], at: number): S[] =>
  series.filter(({ values }) => values[at]).toSorted((a, b) => b.values[at]! - a.values[at]!)
