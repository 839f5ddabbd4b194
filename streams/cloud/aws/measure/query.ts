/** CloudWatch queries for a resource's metrics, and conversion of the answers. */
import type { MetricDataQuery } from '@aws-sdk/client-cloudwatch'
import { dayMs } from '#engine/value/day.ts'
import type { ResourceRef } from '#streams/cloud/connector.ts'
import { ec2Sizes, namedEc2 } from '#streams/cloud/reference/aws/sizes.ts'
import type { Size, Sizes } from '#streams/cloud/reference/size.ts'
import type { StepStats } from '#streams/metric/sample-messages.ts'
import { meaningOf } from '#streams/metric/messages.ts'
import { sourcesOf, type MetricSource, type Owner } from '#streams/metric/source.ts'
import type { MetricPeriod } from './period.ts'
import { nameOf, partsOf } from '#streams/cloud/aws/resource/uid.ts'

/** Values by start time, milliseconds since 1970. */
export type Points = Map<number, number>

/** One metric of one resource. */
export interface MetricQueries {
  source: MetricSource
  /** The total, for metrics that are shares of it. */
  whole: number | undefined
  /** Of each series of the resource; of most metrics it has one. */
  series: readonly (readonly Query[])[]
}

export type Dimensions = readonly { Name: string; Value: string }[]

/** The sets of dimensions that there are of an open source for a resource. */
export type OpenSeries = (source: MetricSource, dimensions: Dimensions) => readonly Dimensions[]

interface Query {
  id: string
  dimensions: Dimensions
  name: string
  statistic: string
  /** Whether it is the maximum within each interval, rather than the statistic over all of it. */
  isPeak: boolean
}

export interface ResourceQueries {
  ref: ResourceRef
  metrics: readonly MetricQueries[]
}

/** Queries for a resource; `place` is its number in the call. Leaves out shares of an unknown total. */
export function gatherOf(ref: ResourceRef, place: number, openSeries: OpenSeries): MetricQueries[] {
  const ids = new Map<string, string>()
  const idOf = (what: string): string => {
    const id = ids.get(what) ?? `r${place}q${ids.size}`
    ids.set(what, id)
    return id
  }
  return sourcesFor(ref).flatMap((source) => {
    const whole = wholeOf(source, ref)
    if (isOfWhole(source) && whole === undefined) return []
    const sets = dimensionsOf(source, ref)
    const all = source.isOpen ? sets.flatMap((one) => openSeries(source, one)) : sets
    if (all.length === 0) return []
    return [{ source, whole, series: all.map((one) => queriesFor(source, one, idOf)) }]
  })
}

/** What is measured of a resource, which is not all that is of its type. */
export const sourcesFor = (ref: ResourceRef): MetricSource[] =>
  sourcesOf(ref.type).filter(({ only }) => only === undefined || has[only](ref))

/** If the instance type is unknown, the metric is queried anyway, except for accelerators. */
const has: Readonly<Record<Owner, (ref: ResourceRef) => boolean>> = {
  burstable: ({ instanceType }) => !instanceType || namedEc2(instanceType)?.isBurst !== false,
  accelerated: ({ instanceType }) => instanceType !== undefined && namedEc2(instanceType)?.isAccelerated === true,
  alone: ({ resourceUid }) => !resourceUid.includes(':replicationgroup:'),
}

const gib = 2 ** 30
let sizes: Sizes | undefined

/** Bytes, or a number of processors. A class of another service has the size of the machine with the same name. */
function wholeOf({ convert }: MetricSource, { instanceType, sizeGB, specs }: ResourceRef): number | undefined {
  if (convert === 'left_of_storage') {
    const gb = sizeGB ?? specs?.['size_gb']
    return typeof gb === 'number' && gb > 0 ? gb * gib : undefined
  }
  if (!instanceType || convert === undefined) return undefined
  const size = (sizes ??= ec2Sizes()).get(instanceType.replace(/^(db|cache|ml)\./, ''))
  return size && wholeOfSize[convert]?.(size)
}

const wholeOfSize: Readonly<Record<string, (size: Size) => number | undefined>> = {
  per_vcpu: ({ vcpus }) => vcpus,
  per_gpu: ({ gpus }) => gpus || undefined,
  left_of_memory: ({ memoryGib }) => (memoryGib === undefined ? undefined : memoryGib * gib),
}

/** Without a total the value would say nothing. */
const isOfWhole = ({ convert }: MetricSource): boolean =>
  convert !== undefined && /^(left_of|per_vcpu|per_gpu)/.test(convert)

/**
 * One for each value of attributes that are lists. None if a value is of an attribute that is not known: with another value
 * CloudWatch would say that nothing happened.
 */
function dimensionsOf({ dimensions }: MetricSource, { resourceUid, specs }: ResourceRef): Dimensions[] {
  const parts = partsOf(resourceUid)
  const words: Readonly<Record<string, string | undefined>> = {
    uid: resourceUid,
    account: resourceUid.split(':')[4],
    name: nameOf(resourceUid),
    first: parts[0],
    last: parts.at(-1) ?? '',
    parent: parts.at(-2) ?? 'default',
  }
  const valuesOf = (word: string) =>
    [word.startsWith('specs.') ? specs?.[word.slice('specs.'.length)] : words[word]]
      .flat()
      .filter((value): value is string => typeof value === 'string' && value !== '')
  const filled = (text: string): string[] => {
    const [placeholder, word = ''] = /\{([\w.]+)\}/.exec(text) ?? []
    return placeholder === undefined
      ? [text]
      : valuesOf(word).flatMap((value) => filled(text.replace(placeholder, () => value)))
  }
  return Object.entries(dimensions).reduce<Dimensions[]>(
    (sets, [name, text]) =>
      filled(text).flatMap((Value) => sets.map((set) => [...set, { Name: name.replaceAll('+', ' '), Value }])),
    [[]],
  )
}

/** For a level also queries the maximum (for free capacity the minimum); not possible for sums of several metrics. */
function queriesFor(
  { namespace, names, statistic, period, convert }: MetricSource,
  dimensions: Dimensions,
  idOf: (what: string) => string,
): Query[] {
  const place = dimensions.map(({ Name, Value }) => `${Name}=${Value}`).join(' ')
  const query = (name: string, stat: string, isPeak: boolean): Query => ({
    id: idOf(`${namespace} ${name} ${stat} ${place}`),
    dimensions,
    name,
    statistic: stat,
    isPeak,
  })
  const plain = names.map((name) => query(name, statistic, false))
  if (statistic === 'Sum' || names.length > 1 || period !== undefined) return plain
  return [...plain, query(names[0]!, convert?.startsWith('left_of') ? 'Minimum' : 'Maximum', true)]
}

/** The daily queries, or those with the period's resolution. A query needed by two metrics is made once. */
export function queriesOf(
  batch: readonly ResourceQueries[],
  { seconds }: MetricPeriod,
  isDaily: boolean,
): MetricDataQuery[] {
  const found = new Map<string, MetricDataQuery>()
  const metrics = batch.flatMap((asked) => asked.metrics)
  for (const { source, series } of metrics) {
    if ((source.period !== undefined) !== isDaily) continue
    for (const { id, name, statistic, dimensions } of series.flat()) {
      const Metric = { Namespace: source.namespace, MetricName: name, Dimensions: [...dimensions] }
      found.set(id, { Id: id, MetricStat: { Metric, Period: source.period ?? seconds, Stat: statistic } })
    }
  }
  return [...found.values()]
}

/** Steps by start time, in our units. */
export function pointsOf(
  gathered: MetricQueries,
  found: ReadonlyMap<string, Points>,
  period: MetricPeriod,
): Map<number, StepStats> {
  const { source, series, whole } = gathered
  const seconds = source.period ?? period.seconds
  const ours = (value: number): number => convertValue(source, value, seconds, whole)
  const totals = series.map((queries) =>
    addPoints(queries.filter(({ isPeak }) => !isPeak).map(({ id }) => found.get(id))),
  )
  const peaksOf = series.map((queries) => found.get(queries.find(({ isPeak }) => isPeak)?.id ?? ''))
  // Of a share the busiest part counts; amounts add up.
  const isShare = meaningOf(source.metric).unit === 'percent'
  const total = isShare ? mostPoints(totals) : addPoints(totals)
  const peaks = isShare ? mostPoints(peaksOf) : addPoints(peaksOf)
  if (source.period !== undefined) return carryForward(total, period, ours)
  const steps = new Map<number, StepStats>()
  for (const [at, theirs] of total) {
    const begin = Math.floor(at / period.stepMs) * period.stepMs
    const value = ours(theirs)
    const peak = peaks.get(at)
    const step = steps.get(begin) ?? { sum: 0, count: 0, max: -Infinity }
    steps.set(begin, {
      sum: step.sum + value,
      count: step.count + 1,
      max: Math.max(step.max, value, peak === undefined ? value : ours(peak)),
    })
  }
  return steps
}

/** Sums the values of several metrics by time; a missing value counts as 0. */
function addPoints(parts: readonly (Points | undefined)[]): Points {
  const [first, ...others] = parts
  const total: Points = new Map(first)
  for (const points of others) for (const [at, value] of points ?? []) total.set(at, (total.get(at) ?? 0) + value)
  return total
}

/** The highest of several series at each time. */
function mostPoints(parts: readonly (Points | undefined)[]): Points {
  const most: Points = new Map()
  for (const points of parts)
    for (const [at, value] of points ?? []) most.set(at, Math.max(most.get(at) ?? -Infinity, value))
  return most
}

/** A level that is reported once a day is used until the next value, for at most two days because reports are late. */
function carryForward(
  total: Points,
  { from, to, stepMs }: MetricPeriod,
  ours: (value: number) => number,
): Map<number, StepStats> {
  const days = [...total].toSorted(([one], [other]) => one - other)
  const steps = new Map<number, StepStats>()
  for (let at = from; at < to; at += stepMs) {
    const [told, theirs] = days.findLast(([day]) => day <= at) ?? []
    if (told === undefined || theirs === undefined || at - told > 3 * dayMs) continue
    const value = ours(theirs)
    steps.set(at, { sum: value, count: 1, max: value })
  }
  return steps
}

function convertValue({ convert }: MetricSource, value: number, seconds: number, whole: number | undefined): number {
  return convert === undefined ? value : conversions[convert](value, { seconds, whole })
}

interface Conversion {
  /** Of the interval of a value. */
  seconds: number
  whole: number | undefined
}

const usedShare = (value: number, { whole }: Conversion): number =>
  Math.min(100, Math.max(0, 100 - (100 * value) / (whole ?? value)))
const perUnit = (value: number, { whole }: Conversion): number => value / (whole ?? 1)

const conversions: Readonly<Record<NonNullable<MetricSource['convert']>, (value: number, of: Conversion) => number>> = {
  per_second: (value, { seconds }) => value / seconds,
  mib_per_second: (value, { seconds }) => value / seconds / 2 ** 20,
  times_period: (value, { seconds }) => value * seconds,
  quarter: (value) => value / 4,
  times_100: (value) => value * 100,
  per_vcpu: perUnit,
  per_gpu: perUnit,
  gigabytes: (value) => value / 1e9,
  hours: (value) => value / 3600,
  left_of_memory: usedShare,
  left_of_storage: usedShare,
}
