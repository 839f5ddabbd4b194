/** Makes messages with samples from a cloud's values. */
import { meaningOf, type Metric, type MetricMeaning, type metricSample } from '#streams/metric/messages.ts'
import type { Static } from '#engine/value/schema.ts'

type MetricSamples = Static<typeof metricSample.schema>
type Sample = MetricSamples['samples'][number]

/** The values of one step: their sum, number and maximum. */
export interface StepStats {
  sum: number
  count: number
  max: number
}

/** One metric of a resource; `steps` by their start, milliseconds since 1970. */
interface Column {
  metric: Metric
  steps: ReadonlyMap<number, StepStats> | undefined
}

interface Span {
  from: number
  to: number
  stepMs: number
}

/** Maximum samples of a message. */
const samplesMax = 5000

/** Sorted by time; samples of the same time are in the order of the columns. */
export function* sampleMessages(
  resourceUid: string,
  columns: readonly Column[],
  { from, to, stepMs }: Span,
): Generator<MetricSamples> {
  let samples: Sample[] = []
  for (let at = from; at < to; at += stepMs) {
    const ts = new Date(at).toISOString()
    for (const { metric, steps } of columns) {
      const step = steps?.get(at)
      if (step) samples.push({ metric, ...toSampleValue(step, meaningOf(metric).shape), ts })
    }
    if (samples.length <= samplesMax - columns.length) continue
    yield { resourceUid, samples }
    samples = []
  }
  if (samples.length > 0) yield { resourceUid, samples }
}

/** For a level the mean, and the maximum if it differs; otherwise the total. */
function toSampleValue({ sum, count, max }: StepStats, shape: MetricMeaning['shape']) {
  if (shape === 'delta') return { value: exact(sum), sum: exact(sum) }
  const value = exact(sum / count)
  return { value, ...(exact(max) > value && { max: exact(max) }) }
}

/** Removes floating-point errors of addition. */
const exact = (value: number): number => Number(value.toPrecision(12))
