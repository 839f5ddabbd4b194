/** Cloud Monitoring queries for a metric of resources of one type, and matching of answers to resources. */
import type { protos } from '@google-cloud/monitoring'
import type { ResourceRef } from '#streams/cloud/connector.ts'
import { meaningOf } from '#streams/metric/messages.ts'
import type { MetricSource, Owner } from '#streams/metric/source.ts'
import { partOf } from '#streams/cloud/gcp/discover/listed.ts'
import { lastOf, partsOf, pathOf } from '#streams/cloud/gcp/resource-path.ts'

export type OneSeries = protos.google.monitoring.v3.ITimeSeries

/** Required values by label in filter syntax, of one resource or of all. */
export type LabelFilter = ReadonlyMap<string, string>

/** Undefined if the inventory lacks a needed value. */
export function wantedOf({ dimensions }: MetricSource, ref: ResourceRef): LabelFilter | undefined {
  const words = wordsOf(ref)
  const wanted = new Map<string, string>()
  for (const [label, shape] of Object.entries(dimensions)) {
    let isKnown = true
    const value = shape.replace(/\{([\w.]+)\}/g, (_, word: string) => {
      isKnown &&= Boolean(words[word])
      return words[word] ?? ''
    })
    if (!isKnown) return undefined
    wanted.set(label, value)
  }
  return wanted
}

function wordsOf({ resourceUid, region, specs = {} }: ResourceRef): Record<string, string | undefined> {
  const id = specs['instance_id']
  const texts = Object.entries(specs).flatMap(([name, value]) =>
    typeof value === 'string' ? [[`specs.${name}`, value] as const] : [],
  )
  return {
    ...Object.fromEntries(texts),
    name: lastOf(pathOf(resourceUid)),
    // Of what is in a cluster.
    cluster: partOf(resourceUid, 'clusters'),
    location: partOf(resourceUid, 'locations'),
    project: projectOf(resourceUid),
    region,
    id: typeof id === 'string' || typeof id === 'number' ? String(id) : undefined,
  }
}

function projectOf(uid: string): string | undefined {
  try {
    return partsOf(uid, 'projects')['projects']
  } catch {
    return undefined
  }
}

/** Whether a resource has the metric. */
export const has: Readonly<Record<Owner, (ref: ResourceRef) => boolean>> = {
  burstable: () => false,
  accelerated: ({ specs }) => Number(specs?.['gpu_count'] ?? 0) > 0,
  alone: () => true,
}

const quote = (value: string): string => JSON.stringify(value)

/** Maximum values of a label in a filter; with more, the query would be too long and the label is not filtered. */
const valuesMax = 50
const filterLabel = (label: string): string => label.replace(/^(metric|resource)\./, '$1.labels.')

export function filterOf({ namespace, names }: MetricSource, name: string, wanted: readonly LabelFilter[]): string {
  const [first = new Map<string, string>()] = wanted
  const conditions = [...first.keys()].flatMap((label) => {
    const values = [...new Set(wanted.flatMap((one) => one.get(label) ?? []))]
    if (values.length > valuesMax) return []
    const [only] = values
    return `${filterLabel(label)} = ${values.length === 1 ? quote(only!) : `one_of(${values.map(quote).join(', ')})`}`
  })
  return [`metric.type = ${quote(`${namespace}/${names.includes(name) ? name : names[0]}`)}`, ...conditions].join(
    ' AND ',
  )
}

/** `Peak`: of metrics whose values are distributions. */
const aligners = { Sum: 'ALIGN_DELTA', Average: 'ALIGN_MEAN', Peak: 'ALIGN_PERCENTILE_99' } as const

/** Combines several series of one resource: shares are averaged, counts are added. */
export function aggregationOf(
  { metric, statistic, dimensions, convert }: MetricSource,
  seconds: number,
): protos.google.monitoring.v3.IAggregation {
  const isShare = meaningOf(metric).unit === 'percent' && convert !== 'of_all_states'
  return {
    alignmentPeriod: { seconds },
    perSeriesAligner: aligners[statistic],
    crossSeriesReducer: isShare ? 'REDUCE_MEAN' : 'REDUCE_SUM',
    groupByFields: Object.keys(dimensions).map(filterLabel),
  }
}

/** Key of a series from the values of the given labels; the same for the resource it belongs to. */
export function keyOfSeries({ metric, resource, metadata }: OneSeries, labels: readonly string[]): string {
  const values = labels.map((label) => {
    const name = label.slice(label.lastIndexOf('.') + 1)
    if (label.startsWith('metric.')) return metric?.labels?.[name]
    if (label.startsWith('resource.')) return resource?.labels?.[name]
    return metadata?.systemLabels?.fields?.[name]?.stringValue
  })
  return JSON.stringify(values)
}

export const keyOfWanted = (wanted: LabelFilter): string => JSON.stringify([...wanted.values()])

/** Values by start time, milliseconds since 1970; Google sends the end. */
export function pointsIn({ points }: OneSeries, seconds: number): Map<number, number> {
  const found = new Map<number, number>()
  for (const { interval, value } of points ?? []) {
    const at = (Number(interval?.endTime?.seconds ?? NaN) - seconds) * 1000
    const number = value?.doubleValue ?? Number(value?.int64Value ?? NaN)
    if (Number.isFinite(at) && Number.isFinite(number)) found.set(at, number)
  }
  return found
}
