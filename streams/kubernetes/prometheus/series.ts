/** Samples of Prometheus, and selectors for them. */

export const operators = ['=', '!=', '=~', '!~'] as const

export interface Matcher {
  label: string
  operator: (typeof operators)[number]
  value: string
}

export interface Selector {
  /** Metric name. */
  name: string
  matchers: readonly Matcher[]
}

/** A series: samples in order of time, milliseconds since 1970. NaN marks the end of earlier values. */
export interface PrometheusSeries {
  labels: Readonly<Record<string, string>>
  times: readonly number[]
  values: readonly number[]
}

/** Samples with `from` <= time <= `to`. @throws Fault if the server does not answer, or not as expected */
export type ReadSeries = (selector: Selector, from: number, to: number) => Promise<readonly PrometheusSeries[]>

const shape = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*(=~|!~|!=|=)\s*"((?:[^"\\\n]|\\["\\n])*)"\s*$/

/** Parses `cluster="prod"`, in query syntax. @returns undefined if it is not a matcher */
export function matcherOf(text: string): Matcher | undefined {
  const [, label, operator, quoted] = shape.exec(text) ?? []
  if (label === undefined || quoted === undefined || label === '__name__') return undefined
  const value = quoted.replaceAll(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one))
  return { label, operator: operator as Matcher['operator'], value }
}

const quoteValue = (value: string): string =>
  `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`

/** In query syntax. */
export const selectorText = ({ name, matchers }: Selector): string =>
  `${name}{${matchers.map(({ label, operator, value }) => `${label}${operator}${quoteValue(value)}`).join(',')}}`

const keyOf = (labels: PrometheusSeries['labels']): string =>
  JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Joins the series of two consecutive times. */
export function joinSeries(
  earlier: readonly PrometheusSeries[],
  later: readonly PrometheusSeries[],
): PrometheusSeries[] {
  const all = new Map(earlier.map((one) => [keyOf(one.labels), one]))
  for (const one of later) {
    const key = keyOf(one.labels)
    const before = all.get(key)
    if (before === undefined) {
      all.set(key, one)
      continue
    }
    const first = one.times.findIndex((time) => time > (before.times.at(-1) ?? -Infinity))
    if (first < 0) continue
    const times = [...before.times, ...one.times.slice(first)]
    all.set(key, { labels: one.labels, times, values: [...before.values, ...one.values.slice(first)] })
  }
  return [...all.values()]
}
