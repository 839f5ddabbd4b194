/** Metrics of many resources of a region at once, asked for by Azure's client. */
import { sdk } from '#streams/cloud/call/sdk.ts'
import type { ResourceRef } from '#streams/cloud/connector.ts'
import { regionOf } from '#streams/cloud/azure/map/resource.ts'
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

/** By `keyOf`. */
export type FoundSeries = Map<string, Series>

/** The list of sources has `+` in place of spaces in names. */
const nameOf = (name: string): string => name.replaceAll('+', ' ')
export const keyOf = (uid: string, name: string): string => `${uidOf(uid)} ${nameOf(name).toLowerCase()}`

/** Adds the metrics of `sources`, which have one namespace, for resources of one region. @throws a `cloudFault` */
export async function addMetrics(
  found: FoundSeries,
  session: AzureSession,
  resources: readonly ResourceRef[],
  sources: readonly MetricSource[],
  { from, to, stepMs }: { from: number; to: number; stepMs: number },
): Promise<void> {
  const region = regionOf(resources[0]!.region)
  const { MetricsClient } = await sdk('@azure/monitor-query-metrics', () => import('@azure/monitor-query-metrics'))
  const names = [...new Set(sources.flatMap((source) => source.names.map(nameOf)))]
  for (let at = 0; at < names.length; at += namesMax) {
    const some = names.slice(at, at + namesMax)
    const call = {
      host: { metrics: region },
      path: session.path('/metrics:getBatch'),
      permission: 'Microsoft.Insights/metrics/read',
    }
    const answers = await session.packaged(call, (httpClient) =>
      new MetricsClient(`https://${region}.metrics.monitor.azure.com`, ownRules.credential, {
        ...ownRules.options,
        httpClient,
      }).queryResources(
        resources.map(({ resourceUid }) => resourceUid),
        some,
        sources[0]!.namespace,
        {
          startTime: new Date(from),
          endTime: new Date(to),
          interval: stepMs % 300_000 === 0 ? 'PT5M' : 'PT1M',
          aggregation: 'average,maximum,minimum,total',
        },
      ),
    )
    for (const { resourceId = '', metrics } of answers)
      for (const metric of metrics) {
        const name = some.find((one) => isNamed(metric, one))
        if (name !== undefined) found.set(keyOf(resourceId, name), seriesOf(metric))
      }
  }
}

interface Metric {
  id?: string
  /** As shown to people, in any language. */
  name: string
  timeseries: { data?: Point[] }[]
}

interface Point {
  timeStamp: Date
  average?: number
  maximum?: number
  minimum?: number
  total?: number
}

function isNamed({ id = '', name }: Metric, wanted: string): boolean {
  const own = wanted.toLowerCase()
  return id.toLowerCase().endsWith(`/metrics/${own}`) || name.toLowerCase() === own
}

function seriesOf({ timeseries }: Metric): Series {
  const series: Series = { means: new Map(), peaks: new Map(), totals: new Map(), lows: new Map() }
  for (const { data = [] } of timeseries)
    for (const { timeStamp, average, maximum, minimum, total } of data) {
      const time = timeStamp.getTime()
      if (Number.isNaN(time)) continue
      const put = (into: Map<number, number>, value: unknown) => Number.isFinite(value) && into.set(time, Number(value))
      put(series.means, average)
      put(series.peaks, maximum)
      put(series.lows, minimum)
      put(series.totals, total)
    }
  return series
}
