/** Replays a policy on a recorded load, minute by minute, with its cost. Pure. */
import { minuteMs } from '#engine/value/day.ts'
import type { AutoscalerTerms, Counts } from '#streams/autoscaling.ts'
import { cpuOf, decide, sampleMs, type DecideTerms } from './decide.ts'
import { nextEdgeOf } from './trigger.ts'

export interface Minute {
  /** Start of the minute, milliseconds since 1970. */
  at: number
  /** Percent of one unit, summed over all units; null if not measured. */
  load: number | null
  /** Recorded units; null if not counted. */
  units: number | null
}

export type ReplayedTerms = DecideTerms & Pick<AutoscalerTerms, 'cooldownSeconds'>

/** Totals over the measured minutes; times are in hours. */
export interface ReplayResult {
  measuredHours: number
  /** Changes that it would have made. */
  writes: number
  /** Unit hours. */
  capacityHours: number
  /** Time above the target CPU. Below: time above 100%. */
  hoursAboveTarget: number
  hoursAboveFull: number
  /** US dollars; null if the price of a unit is unknown. */
  costUsd: number | null
  /** Recorded unit hours. */
  recordedCapacityHours: number
}

interface Course {
  current: Counts
  need: number | null
  lastWriteAt: number | null
  /** When a trigger next opens or closes. */
  edgeAt: number | undefined
  points: [number, number][]
}

const hours = (minutes: number): number => minutes / 60
const epsilon = 1e-9

/** Called for each minute with the units that the policy would have had. */
export type OnMinute = (minute: Minute, units: number) => void

/**
 * A change is effective from the next minute on. The first minute is evaluated like an edge: triggers apply without a
 * cooldown. `minutes` are in order of time.
 */
export function replay(
  terms: ReplayedTerms,
  minutes: Iterable<Minute>,
  unitUsd: number | null,
  seen: OnMinute = () => {},
): ReplayResult {
  const sum = { measured: 0, units: 0, above: 0, full: 0, recorded: 0, writes: 0 }
  let course: Course | undefined
  for (const minute of minutes) {
    course ??= startCourse(terms, minute)
    const { desired } = course.current
    seen(minute, desired)
    if (minute.load !== null) {
      sum.measured++
      sum.units += desired
      sum.recorded += minute.units ?? 0
      if (minute.load > desired * terms.targetCpuPercent + epsilon) sum.above++
      if (minute.load > desired * 100 + epsilon) sum.full++
    }
    if (isWritten(terms, course, minute, unitUsd)) sum.writes++
  }
  return {
    measuredHours: hours(sum.measured),
    writes: sum.writes,
    capacityHours: hours(sum.units),
    hoursAboveTarget: hours(sum.above),
    hoursAboveFull: hours(sum.full),
    costUsd: unitUsd === null ? null : hours(sum.units) * unitUsd,
    recordedCapacityHours: hours(sum.recorded),
  }
}

const startCourse = ({ min, max }: ReplayedTerms, { at, units }: Minute): Course => ({
  current: { min, max, desired: Math.round(units ?? min) },
  need: null,
  lastWriteAt: null,
  edgeAt: at,
  points: [],
})

/** Whether the policy changes the target in this minute; if so, `course` continues with the new counts. */
function isWritten(terms: ReplayedTerms, course: Course, { at, load }: Minute, unitUsd: number | null): boolean {
  const { current, need, lastWriteAt, points } = course
  // Without units there is no CPU, and units cannot exceed 100%.
  if (load !== null && current.desired > 0) points.push([at, Math.min(100, load / current.desired)])
  while (points[0] !== undefined && points[0][0] <= at - sampleMs) points.shift()
  const isEdge = course.edgeAt !== undefined && course.edgeAt <= at
  if (isEdge) course.edgeAt = nextEdgeOf(terms.triggers, at)
  const isCool = lastWriteAt === null || at - lastWriteAt >= terms.cooldownSeconds * 1000
  if (!isEdge && !isCool) return false
  const wish = decide(terms, { current, cpu: cpuOf(points, at), need, unitUsd, byClock: isEdge }, at)
  if (!wish.isChange) return false
  course.current = { min: wish.min, max: wish.max, desired: wish.desired }
  course.need = wish.need
  course.lastWriteAt = at
  return true
}

/** What was recorded in one minute; null if not measured. */
export interface RecordedMinute {
  /** Start of the minute, milliseconds since 1970. */
  at: number
  cpuPercent: number | null
  units: number | null
}

/** Milliseconds for which a sample is valid: samples arrive at least hourly. */
const holdMs = 3_600_000

/**
 * The minutes in [`from`, `to`), milliseconds since 1970. A sample is valid until the next one, at most for an hour.
 * `recorded` is in order of time.
 */
export function* minutesOf(recorded: readonly RecordedMinute[], from: number, to: number): Generator<Minute> {
  const held = { cpuPercent: new HeldValue(), units: new HeldValue() }
  let next = 0
  for (let at = Math.ceil(from / minuteMs) * minuteMs; at < to; at += minuteMs) {
    for (; next < recorded.length && recorded[next]!.at <= at; next++) {
      held.cpuPercent.take(recorded[next]!.cpuPercent, recorded[next]!.at)
      held.units.take(recorded[next]!.units, recorded[next]!.at)
    }
    const [cpu, units] = [held.cpuPercent.at(at), held.units.at(at)]
    const load = units === 0 ? 0 : cpu === null || units === null ? null : cpu * units
    yield { at, load, units }
  }
}

class HeldValue {
  private value: number | null = null
  private takenAt = -Infinity

  take(value: number | null, at: number): void {
    if (value === null) return
    this.value = value
    this.takenAt = at
  }

  at(now: number): number | null {
    return now - this.takenAt < holdMs ? this.value : null
  }
}
