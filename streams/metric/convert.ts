/** Turns values of clouds into ours, for all clouds. */
import type { MetricSource } from './source.ts'

interface Around {
  /** Of the interval of a value. */
  seconds: number
  /** What the value is a part of. */
  whole: number | undefined
}

type Convert = (value: number, around: Around) => number

const percent = (value: number): number => Math.min(100, Math.max(0, value))
const usedShare: Convert = (value, { whole }) => percent(100 - (100 * value) / (whole ?? value))
const share: Convert = (value, { whole }) => percent((100 * value) / (whole ?? value))
const perUnit: Convert = (value, { whole }) => value / (whole ?? 1)

const convert: Readonly<Record<NonNullable<MetricSource['convert']>, Convert>> = {
  per_second: (value, { seconds }) => value / seconds,
  mib_per_second: (value, { seconds }) => value / seconds / 2 ** 20,
  times_period: (value, { seconds }) => value * seconds,
  times_minutes: (value, { seconds }) => (value * seconds) / 60,
  bits_times_period: (value, { seconds }) => (value * seconds) / 8,
  quarter: (value) => value / 4,
  times_100: (value) => value * 100,
  per_vcpu: perUnit,
  per_gpu: perUnit,
  gigabytes: (value) => value / 1e9,
  hours: (value) => value / 3600,
  left_of_memory: usedShare,
  left_of_storage: usedShare,
  share_of_storage: share,
  share_of_cpu: share,
  // The connector has divided it.
  of_all_states: percent,
}

export const convertValue = (source: MetricSource, value: number, around: Around): number =>
  source.convert === undefined ? value : convert[source.convert](value, around)

/** Whether a value says nothing without what it is a part of. */
export const isOfWhole = ({ convert: name }: MetricSource): boolean =>
  name !== undefined && /^(left_of|share_of|per_vcpu|per_gpu)/.test(name)
