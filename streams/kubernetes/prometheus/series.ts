/** Samples as Prometheus keeps them, and how they are chosen. */

export const operators = ['=', '!=', '=~', '!~'] as const

export interface Matcher {
  label: string
  operator: (typeof operators)[number]
  value: string
}

export interface Selector {
  /** Of the series. */
  name: string
  matchers: readonly Matcher[]
}

/** One series: samples in order of time, milliseconds since 1970. A value that is no number ends what was before it. */
export interface PrometheusSeries {
  labels: Readonly<Record<string, string>>
  times: readonly number[]
  values: readonly number[]
}

/** Samples with `from` <= time <= `to`. @throws Fault for a server that does not answer, or not what is asked */
export type ReadSeries = (selector: Selector, from: number, to: number) => Promise<readonly PrometheusSeries[]>

const shape = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*(=~|!~|!=|=)\s*"((?:[^"\\\n]|\\["\\n])*)"\s*$/

/** `cluster="prod"`, as queries write it. @returns undefined for what is none */
export function matcherOf(text: string): Matcher | undefined {
  const [, label, operator, quoted] = shape.exec(text) ?? []
  if (label === undefined || quoted === undefined || label === '__name__') return undefined
  const value = quoted.replaceAll(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one))
  return { label, operator: operator as Matcher['operator'], value }
}

const quoteValue = (value: string): string =>
  `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`

/** As a query writes it. */
export const selectorText = ({ name, matchers }: Selector): string =>
  `${name}{${matchers.map(({ label, operator, value }) => `${label}${operator}${quoteValue(value)}`).join(',')}}`

const keyOf = (labels: PrometheusSeries['labels']): string =>
  JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** What was read of one time and of the time behind it, as one. */
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
