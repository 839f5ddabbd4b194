/** Samples of Azure Monitor: batches of 50 resources of the same kind and region, combined to the requested step. */
import { dayMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import {
  isCredentialsRefused,
  type CloudAccount,
  type MetricSamples,
  type ResourceRef,
} from '#streams/cloud/connector.ts'
import { azureSizes } from '#streams/cloud/reference/azure/sizes.ts'
import type { Sizes } from '#streams/cloud/reference/size.ts'
import { sampleMessages, type StepStats } from '#streams/metric/sample-messages.ts'
import { convertValue, isOfWhole } from '#streams/metric/convert.ts'
import { sourcesOf, type MetricSource } from '#streams/metric/source.ts'
import { regionOf } from '#streams/cloud/azure/map/resource.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import { isIdOf } from '#streams/cloud/azure/session/path.ts'
import { insideTypes } from '#streams/cloud/azure/session/workspace.ts'
import { addMetrics, keyOf, type FoundSeries } from './metrics.ts'
import type { OtherSteps, Span } from './other-metric.ts'
import { hasOtherSource, OtherMetrics, withLate } from './other-source.ts'
import { askedOf, isOf } from './target.ts'
import type { AzureOptions, AzureSession } from '#streams/cloud/azure/session/session.ts'

/** Maximum resources per call. */
const resourcesMax = 50
/** Days that Azure keeps values. Below: maximum days per call. */
const keptDays = 93
const spanDays = 7

/** Hourly unless `stepSeconds` is given. `now` is in milliseconds since 1970; the available history depends on it. */
export async function* measure(
  options: AzureOptions,
  account: CloudAccount,
  resources: readonly ResourceRef[],
  from: Date,
  to: Date,
  stepSeconds = 3600,
  now: number = Date.now(),
): AsyncGenerator<MetricSamples> {
  const stepMs = stepSeconds * 1000
  const up = (at: number) => Math.ceil(at / stepMs) * stepMs
  const span = {
    from: up(Math.max(from.getTime(), now - keptDays * dayMs)),
    to: up(Math.min(to.getTime(), now)),
    stepMs,
  }
  if (span.from >= span.to) return
  yield* samplesOf(openAzure(account, options), resources, span, now)
}

/**
 * Makes no calls for resources without metrics. A failing batch does not stop the others.
 * @throws the first failure, at the end
 */
async function* samplesOf(
  session: AzureSession,
  resources: readonly ResourceRef[],
  span: Span,
  now: number,
): AsyncGenerator<MetricSamples> {
  const { externalId } = session.account
  const asked = resources.filter(
    (ref) => (isInside(ref) || isIdOf(externalId, ref.resourceUid)) && regionOf(ref.region) !== '' && isMeasured(ref),
  )
  const failures: unknown[] = []
  const others = new OtherMetrics(session, now)
  for (const group of Map.groupBy(asked, ({ type, region }) => `${regionOf(region)} ${type}`).values())
    for (let at = 0; at < group.length; at += resourcesMax)
      try {
        for (const part of partsOf(withLate(group[0]!, span)))
          yield* batch(session, others, group.slice(at, at + resourcesMax), part)
      } catch (error) {
        if (!(error instanceof Fault) || isCredentialsRefused(error)) throw error
        failures.push(error)
      }
  const [failure] = [...failures, ...others.failures]
  if (failure !== undefined) throw failure
}

/** Objects in workspaces of Databricks have ids of their own. */
const isInside = ({ type }: ResourceRef): boolean => insideTypes.some((one) => one === type)

const isMeasured = (ref: ResourceRef): boolean =>
  hasOtherSource(ref) || sourcesOf(ref.type).some(({ namespace }) => askedOf(ref, namespace) !== undefined)

/** Parts of whole steps, oldest first. */
function* partsOf({ from, to, stepMs }: Span): Generator<Span> {
  const most = Math.max(stepMs, Math.floor((spanDays * dayMs) / stepMs) * stepMs)
  for (let at = from; at < to; at += most) yield { from: at, to: Math.min(to, at + most), stepMs }
}

async function* batch(
  session: AzureSession,
  others: OtherMetrics,
  resources: readonly ResourceRef[],
  span: Span,
): AsyncGenerator<MetricSamples> {
  const [{ type, region }] = resources as [ResourceRef, ...ResourceRef[]]
  const sources = sourcesOf(type)
  const found: FoundSeries = new Map()
  const alike = ({ namespace, dimensions, period }: MetricSource) => JSON.stringify([namespace, dimensions, period])
  for (const some of Map.groupBy(sources, alike).values()) {
    const [{ namespace, period }] = some as [MetricSource, ...MetricSource[]]
    const uids = [...new Set(resources.flatMap((ref) => askedOf(ref, namespace) ?? []))]
    const interval = intervalOf(span, period)
    if (uids.length > 0)
      await addMetrics(found, session, { ...span, region: regionOf(region), uids, sources: some, interval })
  }
  const told = await others.steps(resources, span)
  for (const ref of resources) yield* messagesOf(ref, sources, { found, told }, span)
}

const intervalOf = ({ stepMs }: Span, period: number | undefined) =>
  period === 3600 ? 'PT1H' : stepMs % 300_000 === 0 ? 'PT5M' : 'PT1M'

const secondsOf = { PT1M: 60, PT5M: 300, PT1H: 3600 }

let sizes: Sizes | undefined

/** Memory of a machine size in bytes; undefined if unknown. */
function memoryOf({ instanceType = '' }: ResourceRef): number | undefined {
  const gib = (sizes ??= azureSizes()).get(instanceType)?.memoryGib
  return gib === undefined ? undefined : gib * 2 ** 30
}

/** What the value is a part of; undefined if it is unknown. */
function wholeOf({ convert }: MetricSource, ref: ResourceRef): number | undefined {
  const { sizeGB, specs } = ref
  if (convert === 'left_of_memory') return memoryOf(ref)
  if (convert === 'share_of_storage') return sizeGB ? sizeGB * 2 ** 30 : undefined
  const cpu = specs?.['cpu']
  return convert === 'share_of_cpu' && typeof cpu === 'number' && cpu > 0 ? cpu * 1000 : undefined
}

/** Steps by start time, in our units; empty for a share of an unknown total. */
function stepsOf(source: MetricSource, ref: ResourceRef, found: FoundSeries, span: Span): Map<number, StepStats> {
  const whole = wholeOf(source, ref)
  const asked = askedOf(ref, source.namespace)
  if (asked === undefined || (isOfWhole(source) && whole === undefined)) return new Map()
  const seconds = secondsOf[intervalOf(span, source.period)]
  const ours = (value: number) => convertValue(source, value, { seconds, whole })
  const all = source.names
    .flatMap((name) => found.get(keyOf(asked, name)) ?? [])
    .filter(({ values }) => isOf(source, ref, values))
  const isTotal = source.statistic === 'Sum'
  const values = addPoints(all.map(({ means, totals }) => (isTotal ? totals : means)))
  // There is no maximum for sums of several metrics; for free capacity it is the minimum.
  const [one] = !isTotal && all.length === 1 ? all : []
  const peaks = source.convert?.startsWith('left_of') ? one?.lows : one?.peaks
  return groupBySteps(values, peaks, ours, span.stepMs)
}

function groupBySteps(
  values: ReadonlyMap<number, number>,
  peaks: ReadonlyMap<number, number> | undefined,
  ours: (value: number) => number,
  stepMs: number,
): Map<number, StepStats> {
  const steps = new Map<number, StepStats>()
  for (const [at, theirs] of values) {
    const begin = Math.floor(at / stepMs) * stepMs
    const [value, peak] = [ours(theirs), peaks?.get(at)]
    const { sum, count, max } = steps.get(begin) ?? { sum: 0, count: 0, max: -Infinity }
    const most = Math.max(max, value, peak === undefined ? value : ours(peak))
    steps.set(begin, { sum: sum + value, count: count + 1, max: most })
  }
  return steps
}

function addPoints([first, ...others]: readonly Map<number, number>[]): Map<number, number> {
  const total = new Map(first)
  for (const points of others) for (const [at, value] of points) total.set(at, (total.get(at) ?? 0) + value)
  return total
}

const messagesOf = (
  ref: ResourceRef,
  sources: readonly MetricSource[],
  { found, told }: { found: FoundSeries; told: OtherSteps },
  span: Span,
) =>
  sampleMessages(
    ref.resourceUid,
    sources.map((source) => {
      const own = stepsOf(source, ref, found, span)
      return { metric: source.metric, steps: own.size > 0 ? own : told(ref.resourceUid, source.metric) }
    }),
    span,
  )
