/** Metrics of many resources of a region at once, asked for by Azure's client. */
import { sdk } from '#streams/cloud/call/sdk.ts'
import { ownRules } from '#streams/cloud/azure/session/package.ts'
import { uidOf } from '#streams/cloud/azure/session/path.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'
import type { MetricSource } from '#streams/metric/source.ts'

/** Maximum metrics per call. */
const namesMax = 20

/** Values of one metric by start time, milliseconds since 1970. */
interface Series {
  means: Map<number, number>
  peaks: Map<number, number>
  totals: Map<number, number>
  lows: Map<number, number>
}

/** Of some values of dimensions: both in lower case, as Azure does not keep their case. */
interface DimensionSeries extends Series {
  values: ReadonlyMap<string, string>
}

/** By `keyOf`. */
export type FoundSeries = Map<string, DimensionSeries[]>

/** The list of sources has `+` in place of spaces in names. */
const nameOf = (name: string): string => name.replaceAll('+', ' ')
export const keyOf = (uid: string, name: string): string => `${uidOf(uid)} ${nameOf(name).toLowerCase()}`

/** Maximum series of a resource in an answer. */
const seriesMax = 10_000

/** What is asked at once: metrics of one namespace, of the same dimensions, for resources of one region. */
export interface MetricQuestion {
  region: string
  uids: readonly string[]
  sources: readonly MetricSource[]
  from: number
  to: number
  interval: 'PT1M' | 'PT5M' | 'PT1H'
}

/** Adds what Azure answers. @throws a `cloudFault` */
export async function addMetrics(
  found: FoundSeries,
  session: AzureSession,
  { region, uids, sources, from, to, interval }: MetricQuestion,
): Promise<void> {
  const { MetricsClient } = await sdk('@azure/monitor-query-metrics', () => import('@azure/monitor-query-metrics'))
  const names = [...new Set(sources.flatMap((source) => source.names.map(nameOf)))]
  const filter = filterOf(sources[0]!)
  for (let at = 0; at < names.length; at += namesMax) {
    const some = names.slice(at, at + namesMax)
    const call = {
      host: { metrics: region },
      path: session.path('/metrics:getBatch'),
      permission: 'Microsoft.Insights/metrics/read',
    }
    const answers = await session.packaged(call, (httpClient) =>
      new MetricsClient(session.origin(call.host), ownRules.credential, {
        ...ownRules.options,
        httpClient,
      }).queryResources([...uids], some, sources[0]!.namespace, {
        startTime: new Date(from),
        endTime: new Date(to),
        interval,
        aggregation: 'average,maximum,minimum,total,count',
        ...(filter !== '' && { filter, top: seriesMax }),
      }),
    )
    for (const { resourceId = '', metrics } of answers)
      for (const metric of metrics) {
        const name = some.find((one) => isNamed(metric, one))
        if (name !== undefined) put(found, keyOf(resourceId, name), metric.timeseries.map(seriesOf))
      }
  }
}

/** The same metric may be asked for with several filters. */
const put = (found: FoundSeries, key: string, series: readonly DimensionSeries[]) =>
  found.set(key, [...(found.get(key) ?? []), ...series])

/** Values that are not the same for all resources are told apart in the answer. */
function filterOf({ dimensions }: MetricSource): string {
  const conditions = Object.entries(dimensions).map(([name, value]) =>
    value.startsWith('{')
      ? `${name} eq '*'`
      : value
          .split('|')
          .map((one) => `${name} eq '${one}'`)
          .join(' or '),
  )
  return conditions.join(' and ')
}

interface Metric {
  id?: string
  /** As shown to people, in any language. */
  name: string
  timeseries: Told[]
}

interface Told {
  data?: Point[]
  metadatavalues?: { name?: string; value?: string }[]
}

interface Point {
  timeStamp: Date
  average?: number
  maximum?: number
  minimum?: number
  total?: number
  /** Of reports. */
  count?: number
}

function isNamed({ id = '', name }: Metric, wanted: string): boolean {
  const own = wanted.toLowerCase()
  return id.toLowerCase().endsWith(`/metrics/${own}`) || name.toLowerCase() === own
}

function seriesOf({ data = [], metadatavalues = [] }: Told): DimensionSeries {
  const values = metadatavalues.map(({ name = '', value = '' }) => [name.toLowerCase(), value.toLowerCase()] as const)
  const series: DimensionSeries = {
    values: new Map(values),
    means: new Map(),
    peaks: new Map(),
    totals: new Map(),
    lows: new Map(),
  }
  for (const { timeStamp, average, maximum, minimum, total, count } of data) {
    const time = timeStamp.getTime()
    if (Number.isNaN(time)) continue
    const set = (into: Map<number, number>, value: unknown) => Number.isFinite(value) && into.set(time, Number(value))
    set(series.means, average)
    set(series.peaks, maximum)
    set(series.lows, minimum)
    // Metrics that count reports have no other total.
    set(series.totals, total ?? count)
  }
  return series
}
