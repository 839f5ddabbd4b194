/**
 * What samples say of an hour. Two samples of a series that are no further apart than five minutes hold for the time between them; of
 * what lies further apart nobody knows. What lies half in the hour counts by its part of it, so that hours add up.
 */
import type { PrometheusSeries } from './series.ts'

/** Milliseconds since 1970. */
export interface TimeSpan {
  from: number
  to: number
}

export const bridgeMs = 300_000

interface Step extends TimeSpan {
  /** Of the time between both samples, what lies in the hour. */
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

/** When the series was there, in order, without overlaps; with `isOn` when it said so, before and after. */
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

/** How much a counter has grown: from 0 again where it has fallen. Nothing is made up before the first sample and behind the last. */
export function increaseIn(series: PrometheusSeries, hour: TimeSpan): number {
  let sum = 0
  for (const { share, before, after } of stepsIn(series, hour)) sum += share * (after < before ? after : after - before)
  return sum
}

/** The value times seconds, each until the next sample. */
export function integralIn(series: PrometheusSeries, hour: TimeSpan): number {
  let sum = 0
  for (const { from, to, before } of stepsIn(series, hour)) sum += (before * (to - from)) / 1000
  return sum
}

/** The newest value of the hour, or of shortly behind it; undefined where none is a number. */
export const latestOf = ({ values }: PrometheusSeries): number | undefined =>
  values.findLast((value) => !Number.isNaN(value))

/** Whether it has a sample in the hour: one of its very begin is of the hour before. */
export const isIn = ({ times, values }: PrometheusSeries, hour: TimeSpan): boolean =>
  times.some((time, at) => time > hour.from && time <= hour.to && !Number.isNaN(values[at]))

/** Series that say the same of one thing, as one: those of two replicas, and of what was scraped by another name from then on. */
export function together(all: readonly PrometheusSeries[]): PrometheusSeries {
  const [first, ...others] = all
  if (first && others.length === 0) return first
  const samples = new Map<number, number>()
  for (const { times, values } of all)
    for (const [at, time] of times.entries()) samples.set(time, best(samples.get(time), values[at]!))
  const times = [...samples.keys()].toSorted((a, b) => a - b)
  return { labels: first?.labels ?? {}, times, values: times.map((time) => samples.get(time)!) }
}

/** A number is more than none. */
const best = (one: number | undefined, other: number): number => {
  if (one === undefined || Number.isNaN(one)) return other
  return Number.isNaN(other) ? one : Math.max(one, other)
}

/** In either of both. */
export function union(spans: readonly TimeSpan[]): TimeSpan[] {
  const found: TimeSpan[] = []
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = found.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else found.push({ from, to })
  }
  return found
}

/** In both. Each in order, without overlaps. */
export const common = (some: readonly TimeSpan[], others: readonly TimeSpan[]): TimeSpan[] =>
  some.flatMap((one) =>
    others.flatMap((other) => {
      const both = { from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) }
      return both.to > both.from ? [both] : []
    }),
  )

export const secondsOf = (spans: readonly TimeSpan[]): number =>
  spans.reduce((sum, { from, to }) => sum + (to - from) / 1000, 0)
