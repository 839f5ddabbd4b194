/**
 * Evaluates samples within an hour. Between two samples at most five minutes apart, their values apply; longer gaps are
 * unknown. A pair that is only partly in the hour counts with that part, so that hours add up.
 */
import type { PrometheusSeries } from './series.ts'

/** Milliseconds since 1970. */
export interface TimeSpan {
  from: number
  to: number
}

export const bridgeMs = 300_000

interface Step extends TimeSpan {
  /** Part of the time between the two samples that is in the hour. */
  share: number
  before: number
  after: number
}

function* stepsIn({ times, values }: PrometheusSeries, hour: TimeSpan): Generator<Step> {
  for (let at = 1; at < times.length; at++) {
    const [from, to] = [times[at - 1]!, times[at]!]
    const [before, after] = [values[at - 1]!, values[at]!]
    if (to - from > bridgeMs || Number.isNaN(before) || Number.isNaN(after)) continue
    const inside = { from: Math.max(from, hour.from), to: Math.min(to, hour.to) }
    const share = (inside.to - inside.from) / (to - from)
    if (share > 0) yield { ...inside, share, before, after }
  }
}

/** When the series existed, sorted and without overlaps; with `isOn`, when the samples before and after satisfy it. */
export function spansOf(
  series: PrometheusSeries,
  hour: TimeSpan,
  isOn: (value: number) => boolean = () => true,
): TimeSpan[] {
  const found: TimeSpan[] = []
  for (const { from, to, before, after } of stepsIn(series, hour)) {
    if (!isOn(before) || !isOn(after)) continue
    const last = found.at(-1)
    if (last?.to === from) last.to = to
    else found.push({ from, to })
  }
  return found
}

/**
 * Increase of a counter; after a decrease it starts from 0 again. Nothing is assumed before the first and after the
 * last sample.
 */
export function increaseIn(series: PrometheusSeries, hour: TimeSpan): number {
  let sum = 0
  for (const { share, before, after } of stepsIn(series, hour)) sum += share * (after < before ? after : after - before)
  return sum
}

/** The integral over time in seconds; each value applies until the next sample. */
export function integralIn(series: PrometheusSeries, hour: TimeSpan): number {
  let sum = 0
  for (const { from, to, before } of stepsIn(series, hour)) sum += (before * (to - from)) / 1000
  return sum
}

/** The newest value in the hour or shortly after it; undefined if there is no number. */
export const latestOf = ({ values }: PrometheusSeries): number | undefined =>
  values.findLast((value) => !Number.isNaN(value))

/** Whether it has a sample in the hour; a sample exactly at its beginning belongs to the hour before. */
export const isIn = ({ times, values }: PrometheusSeries, hour: TimeSpan): boolean =>
  times.some((time, at) => time > hour.from && time <= hour.to && !Number.isNaN(values[at]))

/** Merges series about the same object: from two replicas, or from before and after a change of scrape labels. */
export function together(all: readonly PrometheusSeries[]): PrometheusSeries {
  const [first, ...others] = all
  if (first && others.length === 0) return first
  const samples = new Map<number, number>()
  for (const { times, values } of all)
    for (const [at, time] of times.entries()) samples.set(time, best(samples.get(time), values[at]!))
  const times = [...samples.keys()].toSorted((a, b) => a - b)
  return { labels: first?.labels ?? {}, times, values: times.map((time) => samples.get(time)!) }
}

/** The larger number; a number is preferred to NaN. */
const best = (one: number | undefined, other: number): number => {
  if (one === undefined || Number.isNaN(one)) return other
  return Number.isNaN(other) ? one : Math.max(one, other)
}

/** Times that are in any of the spans. */
export function union(spans: readonly TimeSpan[]): TimeSpan[] {
  const found: TimeSpan[] = []
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = found.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else found.push({ from, to })
  }
  return found
}

/** Times that are in both lists. Each must be sorted, without overlaps. */
export const common = (some: readonly TimeSpan[], others: readonly TimeSpan[]): TimeSpan[] =>
  some.flatMap((one) =>
    others.flatMap((other) => {
      const both = { from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) }
      return both.to > both.from ? [both] : []
    }),
  )

export const secondsOf = (spans: readonly TimeSpan[]): number =>
  spans.reduce((sum, { from, to }) => sum + (to - from) / 1000, 0)
