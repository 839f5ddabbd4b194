/**
 * Source of each metric in each cloud, by resource type: `sources.csv` beside this file, in the order of the rules'
 * metrics.
 */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { metricNames, type Metric } from './messages.ts'

/**
 * Conversions of the cloud's values to ours. `left_of_*`: from the free amount to the used percentage of the total.
 * `share_of_*`: from the used amount. `of_all_states`: from the amount in one state, which a label of the metric names. `times_period`: from an amount a second, `times_minutes`: a minute, `bits_times_period`:
 * bits a second to bytes. `quarter`: AWS adds up four reports of one counter. `per_*`: from the sum over all
 * processors of a machine.
 */
const conversions = [
  'per_second',
  'mib_per_second',
  'times_period',
  'times_minutes',
  'bits_times_period',
  'quarter',
  'times_100',
  'per_vcpu',
  'per_gpu',
  'gigabytes',
  'hours',
  'left_of_memory',
  'left_of_storage',
  'share_of_storage',
  'share_of_cpu',
  'of_all_states',
] as const
const statistics = ['Average', 'Sum', 'Peak'] as const
type Conversion = (typeof conversions)[number]

/**
 * Limits a metric to certain resources of a type: burstable machines, machines with accelerators, or resources that are
 * not groups of others.
 */
const owners = ['burstable', 'accelerated', 'alone'] as const
export type Owner = (typeof owners)[number]

export interface MetricSource {
  type: string
  metric: Metric
  namespace: string
  /** The cloud's names; their values at the same time are added. */
  names: readonly string[]
  /** `Peak`: of Google's distributions, the value that 99% of them are below. */
  statistic: (typeof statistics)[number]
  convert: Conversion | undefined
  /**
   * By name. In the values, `{uid}` stands for the resource's uid, `{account}` for the account in it, `{name}`, `{first}`,
   * `{parent}` and `{last}` for its name in the cloud and parts of it, `{cluster}` and `{location}` for the parts of
   * Google's uids after these words, `{specs.x}` for an attribute; if that is a list, there
   * is a series for each of its values. In names, `+` stands for a space. For Azure: values with `|` between them are added,
   * and so are all values for `{any}`, and totals for an attribute that is null.
   */
  dimensions: Readonly<Record<string, string>>
  /**
   * The resource has a series for each set of other dimensions, which whoever sends the metric chooses: `*` in the file. They
   * have to be looked up.
   */
  isOpen: boolean
  /** Seconds between two values, if the cloud has only this resolution. */
  period: number | undefined
  only: Owner | undefined
}

/** All sources, in the order of the file. */
export const metricSources: readonly MetricSource[] = parse<Record<string, string>>(
  readFileSync(new URL('sources.csv', import.meta.url)),
  { columns: true },
).map(sourceOf)

const byType = Map.groupBy(metricSources, ({ type }) => type)

/** Sources for a resource type; empty if it has no metrics. */
export const sourcesOf = (type: string): readonly MetricSource[] => byType.get(type) ?? []

function sourceOf(row: Record<string, string>): MetricSource {
  const { type = '', metric = '', namespace = '', names = '', dimensions = '', period } = row
  const named = metricNames.find((name) => name === metric)
  if (named === undefined) throw new Error(`${metric} of ${type} is not a metric`)
  const statistic = oneOf(statistics, row['statistic'])
  if (statistic === undefined) throw new Error(`${metric} of ${type} has no statistic`)
  const all = dimensions.split(' ').filter(Boolean)
  const fixed = all.filter((one) => one !== '*')
  return {
    type,
    metric: named,
    namespace,
    names: names.split(' '),
    statistic,
    convert: oneOf(conversions, row['convert']),
    dimensions: Object.fromEntries(fixed.map((one) => one.split('=') as [string, string])),
    isOpen: fixed.length < all.length,
    period: period ? Number(period) : undefined,
    only: oneOf(owners, row['only']),
  }
}

function oneOf<T extends string>(all: readonly T[], text: string | undefined): T | undefined {
  if (!text) return undefined
  const found = all.find((one) => one === text)
  if (found === undefined) throw new Error(`${text} must be one of ${all.join(', ')}`)
  return found
}
