/** Samples as connectors send them, from what a cloud says of each step. */
import { metricMeanings, type MetricMeaning, type metricSample, type RuleMetric } from '#streams/metric/messages.ts'
import type { Static } from '#engine/value/schema.ts'

type MetricSamples = Static<typeof metricSample.schema>
type Sample = MetricSamples['samples'][number]

/** The values of one step: their sum, how many they are, and the highest. */
export interface StepStats {
  sum: number
  count: number
  max: number
}

/** One metric of a resource; `steps` by their start, milliseconds since 1970. */
interface Column {
  metric: RuleMetric
  steps: ReadonlyMap<number, StepStats> | undefined
}

interface Span {
  from: number
  to: number
  stepMs: number
}

/** Maximum samples of a message. */
const samplesMax = 5000

/** By time, and within a time in the order of the columns. */
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
      if (step) samples.push({ metric, ...toSampleValue(step, metricMeanings[metric].shape), ts })
    }
    if (samples.length <= samplesMax - columns.length) continue
    yield { resourceUid, samples }
    samples = []
  }
  if (samples.length > 0) yield { resourceUid, samples }
}

/** Of a level its mean, and its highest if that differs; otherwise the total. */
function toSampleValue({ sum, count, max }: StepStats, shape: MetricMeaning['shape']) {
  if (shape === 'delta') return { value: exact(sum), sum: exact(sum) }
  const value = exact(sum / count)
  return { value, ...(exact(max) > value && { max: exact(max) }) }
}

/** Without the digits that adding has left. */
const exact = (value: number): number => Number(value.toPrecision(12))
