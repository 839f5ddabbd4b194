/** Series of one hour, grouped by labels. */
import type { Matcher, ReadSeries, PrometheusSeries } from './series.ts'
import { bridgeMs, isIn, type TimeSpan } from './time-span.ts'

/** Reads the series of one hour, and records missing ones. */
export class HourBook {
  readonly hour: TimeSpan
  private readonly read: ReadSeries
  private readonly lacking = new Set<string>()

  constructor(read: ReadSeries, hour: TimeSpan) {
    this.read = read
    this.hour = hour
  }

  get missing(): string[] {
    return [...this.lacking].toSorted()
  }

  /** Series with a sample in the hour, including samples shortly before and after it. */
  async ifAny(name: string, matchers: readonly Matcher[] = []): Promise<readonly PrometheusSeries[]> {
    const { from, to } = this.hour
    const all = await this.read({ name, matchers }, from - bridgeMs, to + bridgeMs)
    return all.filter((one) => isIn(one, this.hour))
  }

  /** Like `ifAny`, for series that every cluster has; records missing ones. */
  async all(name: string, matchers: readonly Matcher[] = []): Promise<readonly PrometheusSeries[]> {
    const found = await this.ifAny(name, matchers)
    if (found.length === 0) this.lacking.add(name)
    return found
  }
}

/** The value of a label; also under the prefixed name that it has if the exporter's own labels take precedence. */
export const labelIn = ({ labels }: PrometheusSeries, name: string): string =>
  labels[`exported_${name}`] ?? labels[name] ?? ''

/** Groups series by the values of the labels; without series that lack one. */
export function byLabels(
  all: readonly PrometheusSeries[],
  ...names: readonly string[]
): Map<string, PrometheusSeries[]> {
  const found = new Map<string, PrometheusSeries[]>()
  for (const one of all) {
    const values = names.map((name) => labelIn(one, name))
    if (values.includes('')) continue
    const key = values.join('/')
    const own = found.get(key)
    if (own) own.push(one)
    else found.set(key, [one])
  }
  return found
}

const none: PrometheusSeries = { labels: {}, times: [], values: [] }

/** The series with the newest sample; an empty one if there are none. */
export const newest = (all: readonly PrometheusSeries[] = []): PrometheusSeries =>
  all.reduce((last, one) => ((one.times.at(-1) ?? 0) >= (last.times.at(-1) ?? 0) ? one : last), none)
