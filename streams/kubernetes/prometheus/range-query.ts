/**
 * Reads samples with range queries, for servers without remote read. A query returns the newest sample every minute,
 * for up to five minutes after it was taken. So the time of each sample is queried too, and each sample counts once, at
 * its own time.
 */
import { selectorText, type Selector, type PrometheusSeries } from './series.ts'
import { askServer, dataOf, upstreamFault, type PrometheusServer } from './server.ts'

const stepSeconds = 60

/** @throws Fault `upstream_failed` */
export async function rangeQuery(
  server: PrometheusServer,
  selector: Selector,
  from: number,
  to: number,
): Promise<PrometheusSeries[]> {
  const text = selectorText(selector)
  const values = await matrixOf(server, text, from, to)
  if (values.length === 0) return []
  const taken = new Map<string, PrometheusSeries>()
  for (const one of await matrixOf(server, `timestamp(${text})`, from, to)) taken.set(nameless(one.labels), one)
  return values.flatMap((one) => {
    const times = taken.get(nameless(one.labels))
    return times === undefined ? [] : toSampleTimes(one, times, from)
  })
}

/** Key of labels without the metric name, which `timestamp` removes. */
const nameless = (labels: PrometheusSeries['labels']): string =>
  JSON.stringify(
    Object.entries(labels)
      .filter(([name]) => name !== '__name__')
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )

function toSampleTimes(
  { labels, times, values }: PrometheusSeries,
  taken: PrometheusSeries,
  from: number,
): PrometheusSeries[] {
  const at = new Map(taken.times.map((time, index) => [time, Math.round(taken.values[index]! * 1000)]))
  const own: { times: number[]; values: number[] } = { times: [], values: [] }
  for (const [index, asked] of times.entries()) {
    const time = at.get(asked)
    if (time === undefined || time < from || time <= (own.times.at(-1) ?? -Infinity)) continue
    own.times.push(time)
    own.values.push(values[index]!)
  }
  return own.times.length === 0 ? [] : [{ labels, ...own }]
}

interface MatrixEntry {
  metric?: unknown
  values?: unknown
}

async function matrixOf(
  server: PrometheusServer,
  query: string,
  from: number,
  to: number,
): Promise<PrometheusSeries[]> {
  const range = { start: String(from / 1000), end: String(to / 1000), step: String(stepSeconds) }
  const answer = await askServer(server, { method: 'GET', path: 'query_range', query: { query, ...range } })
  const data = dataOf(answer) as { resultType?: unknown; result?: unknown } | null
  if (data?.resultType !== 'matrix' || !Array.isArray(data.result))
    throw upstreamFault('The response is not a Prometheus response.')
  return (data.result as MatrixEntry[]).map(seriesOf)
}

function seriesOf({ metric, values }: MatrixEntry): PrometheusSeries {
  const points = Array.isArray(values) ? (values as unknown[][]) : []
  const labels = Object.entries((metric ?? {}) as object).filter(([, value]) => typeof value === 'string')
  return {
    labels: Object.fromEntries(labels) as Record<string, string>,
    times: points.map(([seconds]) => Math.round(Number(seconds) * 1000)),
    values: points.map(([, value]) => Number(value)),
  }
}
