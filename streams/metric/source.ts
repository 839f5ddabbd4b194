/** What a cloud is asked for each metric of each type of resource: `sources.csv` beside this file, after the rules' list of metrics. */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { metricMeanings, type RuleMetric } from './messages.ts'

/** How a cloud's numbers become ours. `left_of_*`: of what is free, how much is not, in percent of what the resource has. */
const conversions = ['per_second', 'times_100', 'gigabytes', 'left_of_memory', 'left_of_storage'] as const
type Conversion = (typeof conversions)[number]

/** Resources of a type that have the metric: machines that earn credits, that have accelerators, and what is no group of others. */
const owners = ['burstable', 'accelerated', 'alone'] as const
export type Owner = (typeof owners)[number]

export interface MetricSource {
  type: string
  metric: RuleMetric
  namespace: string
  /** The cloud's own names; what they say at one time is added. */
  names: readonly string[]
  statistic: 'Average' | 'Sum'
  convert: Conversion | undefined
  /** By name; values in which `{name}`, `{parent}` and `{last}` stand for parts of what the cloud calls the resource. */
  dimensions: Readonly<Record<string, string>>
  /** Seconds between two numbers, where the cloud has no more. */
  period: number | undefined
  only: Owner | undefined
}

/** Every source, in the order of the file. */
export const metricSources: readonly MetricSource[] = parse<Record<string, string>>(
  readFileSync(new URL('sources.csv', import.meta.url)),
  { columns: true },
).map(sourceOf)

const byType = Map.groupBy(metricSources, ({ type }) => type)

/** What is asked of resources of a type; nothing of a type that nobody measures. */
export const sourcesOf = (type: string): readonly MetricSource[] => byType.get(type) ?? []

function sourceOf(row: Record<string, string>): MetricSource {
  const { type = '', metric = '', namespace = '', names = '', statistic, dimensions = '', period } = row
  if (!Object.hasOwn(metricMeanings, metric)) throw new Error(`${metric} of ${type} is not a metric`)
  if (statistic !== 'Average' && statistic !== 'Sum') throw new Error(`${metric} of ${type} has no statistic`)
  return {
    type,
    metric: metric as RuleMetric,
    namespace,
    names: names.split(' '),
    statistic,
    convert: oneOf(conversions, row['convert']),
    dimensions: Object.fromEntries(dimensions.split(' ').map((one) => one.split('=') as [string, string])),
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
