import { valuesMax } from '#streams/unit-metric.ts'

/** Values by time (milliseconds since 1970); the last of several for one time counts. */
export type TimedValues = Map<number, number>

/** Splits values into parts for one message each. */
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
