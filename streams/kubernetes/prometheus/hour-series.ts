/** Series of one hour, by whom they are of. */
import type { Matcher, ReadSeries, PrometheusSeries } from './series.ts'
import { bridgeMs, isIn, type TimeSpan } from './time-span.ts'

/** What is read of one hour, and what was looked for in vain. */
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

  /** Those with a sample in the hour, with their samples shortly before and behind it. */
  async ifAny(name: string, matchers: readonly Matcher[] = []): Promise<readonly PrometheusSeries[]> {
    const { from, to } = this.hour
    const all = await this.read({ name, matchers }, from - bridgeMs, to + bridgeMs)
    return all.filter((one) => isIn(one, this.hour))
  }

  /** As `ifAny`, of what every cluster has. */
  async all(name: string, matchers: readonly Matcher[] = []): Promise<readonly PrometheusSeries[]> {
    const found = await this.ifAny(name, matchers)
    if (found.length === 0) this.lacking.add(name)
    return found
  }
}

/** Whose series it is, under the name that it has where the exporter's own labels had the right of way. */
export const labelIn = ({ labels }: PrometheusSeries, name: string): string =>
  labels[`exported_${name}`] ?? labels[name] ?? ''

/** By the labels that are named; without those that lack one. */
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

/** The one that was told last; one of nothing where there is none. */
export const newest = (all: readonly PrometheusSeries[] = []): PrometheusSeries =>
  all.reduce((last, one) => ((one.times.at(-1) ?? 0) >= (last.times.at(-1) ?? 0) ? one : last), none)
