import { valuesMax } from '#streams/unit-metric.ts'

/** Values by their times (milliseconds since 1970): of several for one time the last counts. */
export type TimedValues = Map<number, number>

/** `values` in portions of one message each. */
export function* batches(values: TimedValues): Generator<{ times: number[]; values: number[] }> {
  let batch: { times: number[]; values: number[] } = { times: [], values: [] }
  for (const [time, value] of values) {
    batch.times.push(time)
    batch.values.push(value)
    if (batch.times.length === valuesMax) {
      yield batch
      batch = { times: [], values: [] }
    }
  }
  if (batch.times.length > 0) yield batch
}
