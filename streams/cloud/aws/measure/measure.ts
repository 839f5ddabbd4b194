/** Samples of CloudWatch: 500 queries per call, in five-minute values that are combined to the requested step. */
import type { MetricDataQuery, MetricDataResult } from '@aws-sdk/client-cloudwatch'
import { dayMs } from '#engine/value/day.ts'
import {
  cloudFault,
  isCredentialsRefused,
  type CloudAccount,
  type MetricSamples,
  type ResourceRef,
} from '#streams/cloud/connector.ts'
import { sampleMessages } from '#streams/metric/sample-messages.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import { periodsOf, type MetricPeriod, type MeasureSpan } from './period.ts'
import { gatherOf, pointsOf, queriesOf, type ResourceQueries, type Points } from './query.ts'
import { sourcesOf } from '#streams/metric/source.ts'
import { openSeriesIn } from './open-series.ts'
import { regionOf } from '#streams/cloud/aws/resource/uid.ts'
import type { AwsOptions, AwsSession } from '#streams/cloud/aws/session/session.ts'

/** Maximum queries per call. */
const queriesMax = 500

/** Hourly unless `stepSeconds` is given. `now` is in milliseconds since 1970; the available history depends on it. */
export async function* measure(
  options: AwsOptions,
  account: CloudAccount,
  resources: readonly ResourceRef[],
  from: Date,
  to: Date,
  stepSeconds = 3600,
  now: number = Date.now(),
): AsyncGenerator<MetricSamples> {
  const span = { from: from.getTime(), to: to.getTime(), stepMs: stepSeconds * 1000 }
  const session = openAws(account, options)
  try {
    yield* samplesOf(session, resources, span, now)
  } finally {
    session.close()
  }
}

/**
 * Makes no calls for resources without metrics or of unknown region. A failing batch does not stop the others.
 * @throws the first failure, after all batches were queried
 */
export async function* samplesOf(
  session: AwsSession,
  resources: readonly ResourceRef[],
  span: MeasureSpan,
  now: number,
): AsyncGenerator<MetricSamples> {
  const byRegion = Map.groupBy(
    resources.filter(({ type }) => sourcesOf(type).length > 0),
    (ref) => knownRegion(session, ref),
  )
  const failures: unknown[] = []
  for (const [region, here] of byRegion) {
    if (region === undefined) continue
    const { openSeries, failure } = await openSeriesIn(session, region, here)
    if (failure !== undefined) failures.push(failure)
    const asked = here
      .map((ref, place) => ({ ref, metrics: gatherOf(ref, place, openSeries) }))
      .filter(({ metrics }) => metrics.length > 0)
    for (const batch of batchesOf(asked))
      try {
        yield* batchSamples(session, region, batch, span, now)
      } catch (error) {
        if (isCredentialsRefused(error)) throw error
        failures.push(error)
      }
  }
  if (failures.length > 0) throw failures[0]
}

function knownRegion({ account }: AwsSession, ref: ResourceRef): string | undefined {
  try {
    return regionOf(account, ref)
  } catch {
    return undefined
  }
}

/** All queries of a resource are in the same call. */
function* batchesOf(asked: readonly ResourceQueries[]): Generator<ResourceQueries[]> {
  let batch: ResourceQueries[] = []
  let queries = 0
  for (const one of asked) {
    const more = new Set(one.metrics.flatMap(({ series }) => series.flat().map(({ id }) => id))).size
    if (queries + more > queriesMax) {
      yield batch
      batch = []
      queries = 0
    }
    batch.push(one)
    queries += more
  }
  if (batch.length > 0) yield batch
}

/** Older periods come first, so that a resource's samples are in order of time. */
async function* batchSamples(
  session: AwsSession,
  region: string,
  batch: readonly ResourceQueries[],
  span: MeasureSpan,
  now: number,
): AsyncGenerator<MetricSamples> {
  for (const period of periodsOf(span, now)) {
    const points = await fetchPoints(session, region, batch, period, now)
    for (const asked of batch) yield* messagesOf(asked, points, period)
  }
}

/** Values of a batch in a period, by query id. */
async function fetchPoints(
  session: AwsSession,
  region: string,
  batch: readonly ResourceQueries[],
  period: MetricPeriod,
  now: number,
): Promise<ReadonlyMap<string, Points>> {
  const found = new Map<string, Points>()
  const daily = batch.flatMap(({ metrics }) => metrics).some(({ source }) => source.period !== undefined)
  for (const isDaily of daily ? [false, true] : [false]) {
    const queries = queriesOf(batch, period, isDaily)
    if (queries.length === 0) continue
    const { from, to } = isDaily ? { from: period.from - 3 * dayMs, to: period.to } : period
    const order = { StartTime: new Date(from), EndTime: new Date(Math.min(to, now)) }
    if (order.EndTime <= order.StartTime) continue
    for await (const result of resultsOf(session, region, queries, order)) take(found, result)
  }
  return found
}

async function* resultsOf(
  session: AwsSession,
  region: string,
  MetricDataQueries: MetricDataQuery[],
  { StartTime, EndTime }: { StartTime: Date; EndTime: Date },
): AsyncGenerator<MetricDataResult> {
  const order = { MetricDataQueries, StartTime, EndTime, ScanBy: 'TimestampAscending' as const }
  const pages = session.pages(
    'cloudwatch',
    region,
    (m, NextToken) => new m.GetMetricDataCommand({ ...order, ...(NextToken && { NextToken }) }),
    ({ NextToken }) => NextToken,
  )
  for await (const { MetricDataResults = [] } of pages) yield* MetricDataResults
}

/** @throws a fault of a single query; the other queries of the call are not affected */
function take(found: Map<string, Points>, { Id, StatusCode, Timestamps = [], Values = [] }: MetricDataResult): void {
  if (Id === undefined) return
  if (StatusCode === 'Forbidden')
    throw cloudFault(
      'user_action',
      'permission_missing',
      'CloudWatch does not allow reading the metrics of this account.',
      {
        permission: 'cloudwatch:GetMetricData',
        fixHint:
          'Allow cloudwatch:GetMetricData in the policy of the role. To print the complete policy, run tidemark account policy aws.',
      },
    )
  if (StatusCode === 'InternalError')
    throw cloudFault('transient', 'cloud_unavailable', 'CloudWatch could not read a metric.')
  const points: Points = found.get(Id) ?? new Map()
  found.set(Id, points)
  for (const [index, at] of Timestamps.entries()) {
    const [time, value] = [new Date(at).getTime(), Values[index]]
    if (Number.isFinite(time) && typeof value === 'number' && Number.isFinite(value)) points.set(time, value)
  }
}

const messagesOf = ({ ref, metrics }: ResourceQueries, found: ReadonlyMap<string, Points>, period: MetricPeriod) =>
  sampleMessages(
    ref.resourceUid,
    metrics.map((one) => ({ metric: one.source.metric, steps: pointsOf(one, found, period) })),
    period,
  )
