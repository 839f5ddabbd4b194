/**
 * Samples of Cloud Monitoring: one query per metric for all resources of a type, aligned to five minutes and combined
 * to the requested step.
 */
import {
  isCredentialsRefused,
  type CloudAccount,
  type MetricSamples,
  type ResourceRef,
} from '#streams/cloud/connector.ts'
import { pointsOf, type MetricQueries, type Points } from '#streams/cloud/aws/measure/query.ts'
import { sampleMessages } from '#streams/metric/sample-messages.ts'
import { sourcesOf, type MetricSource } from '#streams/metric/source.ts'
import {
  aggregationOf,
  filterOf,
  has,
  keyOfSeries,
  keyOfWanted,
  pointsIn,
  wantedOf,
  type LabelFilter,
} from './query.ts'
import { TimeSeries } from './time-series.ts'
import { openGcp } from '#streams/cloud/gcp/session/session.ts'
import type { GcpOptions } from '#streams/cloud/gcp/session/token.ts'

/** Milliseconds since 1970; `seconds` is the interval of one value. */
interface Span {
  from: number
  to: number
  stepMs: number
  seconds: number
}

/** Hourly unless `stepSeconds` is given. Makes no calls for resources without metrics. */
export async function* measure(
  options: GcpOptions,
  account: CloudAccount,
  resources: readonly ResourceRef[],
  from: Date,
  to: Date,
  stepSeconds = 3600,
): AsyncGenerator<MetricSamples> {
  const stepMs = stepSeconds * 1000
  const up = (at: Date) => Math.ceil(at.getTime() / stepMs) * stepMs
  const span: Span = { from: up(from), to: up(to), stepMs, seconds: stepSeconds % 300 === 0 ? 300 : 60 }
  if (span.from >= span.to) return
  const client = new TimeSeries(openGcp(account, options))
  const failures: unknown[] = []
  for (const [type, refs] of Map.groupBy(resources, (ref) => ref.type)) {
    if (sourcesOf(type).length === 0) continue
    try {
      yield* typeSamples(client, type, refs, span)
    } catch (error) {
      if (isCredentialsRefused(error)) throw error
      failures.push(error)
    }
  }
  // A failing type does not stop the others.
  if (failures.length > 0) throw failures[0]
}

interface Column {
  source: MetricSource
  /** By resource. */
  points: ReadonlyMap<string, ReturnType<typeof pointsOf>>
}

async function* typeSamples(
  client: TimeSeries,
  type: string,
  refs: readonly ResourceRef[],
  span: Span,
): AsyncGenerator<MetricSamples> {
  const columns: Column[] = []
  for (const source of sourcesOf(type)) {
    const owners = refs.filter((ref) => source.only === undefined || has[source.only](ref))
    columns.push({ source, points: await columnOf(client, source, owners, span) })
  }
  for (const { resourceUid } of refs) yield* messagesOf(resourceUid, columns, span)
}

async function columnOf(
  client: TimeSeries,
  source: MetricSource,
  refs: readonly ResourceRef[],
  span: Span,
): Promise<Column['points']> {
  const wanted = refs.flatMap((ref) => {
    const one = wantedOf(source, ref)
    return one ? [{ ref, wanted: one }] : []
  })
  if (wanted.length === 0) return new Map()
  const found = new Map<string, Map<string, Points>>()
  for (const name of source.names)
    found.set(
      name,
      await sharesOf(
        client,
        source,
        name,
        wanted.map((one) => one.wanted),
        span,
      ),
    )
  const gathered: MetricQueries = {
    source,
    whole: undefined,
    series: [
      source.names.map((name) => ({ id: name, dimensions: [], name, statistic: source.statistic, isPeak: false })),
    ],
  }
  return new Map(
    wanted.map(({ ref, wanted: one }) => {
      const own = new Map(
        [...found].map(([name, byKey]) => [name, byKey.get(keyOfWanted(one)) ?? new Map<number, number>()]),
      )
      return [ref.resourceUid, pointsOf(gathered, own, span)]
    }),
  )
}

const isOfMetric = (label: string): boolean => label.startsWith('metric.')

/** As `seriesOf`. Of an amount in one state the share of all states, whose amounts are read without the label. */
async function sharesOf(
  client: TimeSeries,
  source: MetricSource,
  name: string,
  wanted: readonly LabelFilter[],
  span: Span,
): Promise<Map<string, Points>> {
  const parts = await seriesOf(client, source, name, wanted, span)
  if (source.convert !== 'of_all_states') return parts
  const allStates = (one: LabelFilter): LabelFilter => new Map([...one].filter(([label]) => !isOfMetric(label)))
  const dimensions = Object.fromEntries(Object.entries(source.dimensions).filter(([label]) => !isOfMetric(label)))
  const wholes = await seriesOf(client, { ...source, dimensions }, name, wanted.map(allStates), span)
  return new Map(
    wanted.map((one) => {
      const whole = wholes.get(keyOfWanted(allStates(one)))
      const part = parts.get(keyOfWanted(one))
      // A state without an amount has no series.
      const points = [...(whole ?? [])].filter(([, of]) => of > 0)
      return [keyOfWanted(one), new Map(points.map(([at, of]) => [at, (100 * (part?.get(at) ?? 0)) / of]))]
    }),
  )
}

/** Series by key (see `keyOfSeries`). */
async function seriesOf(
  client: TimeSeries,
  source: MetricSource,
  name: string,
  wanted: readonly LabelFilter[],
  { from, to, seconds }: Span,
): Promise<Map<string, Points>> {
  const labels = [...wanted[0]!.keys()]
  const found = new Map<string, Points>()
  const pages = client.pages({
    filter: filterOf(source, name, wanted),
    interval: { startTime: { seconds: from / 1000 }, endTime: { seconds: to / 1000 } },
    aggregation: aggregationOf(source, seconds),
  })
  for await (const page of pages)
    for (const one of page) {
      const key = keyOfSeries(one, labels)
      // A series may continue on the next page.
      found.set(key, new Map([...(found.get(key) ?? []), ...pointsIn(one, seconds)]))
    }
  return found
}

const messagesOf = (resourceUid: string, columns: readonly Column[], span: Span) =>
  sampleMessages(
    resourceUid,
    columns.map(({ source: { metric }, points }) => ({ metric, steps: points.get(resourceUid) })),
    span,
  )
