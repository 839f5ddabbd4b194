/** Observations of a target: its load, number of units, their price, and whether it exists. */
import type { AutoscalerNeeds } from '#actors/autoscaling/needs.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { powerTold } from '#streams/action/messages.ts'
import type { metricSample } from '#streams/metric/messages.ts'
import type { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { sampleMs } from '#actors/autoscaling/policy/decide.ts'
import type { AutoscalerPolicy } from '#actors/autoscaling/entity.ts'
import { evaluate, stoppedReason } from '#actors/autoscaling/policy/evaluate.ts'
import { unitUsdOf } from '#actors/autoscaling/policy/price.ts'
import { beginAnew } from '#actors/autoscaling/tell.ts'

/** Milliseconds after which a sample is too old to change the counts. */
const lateMs = 900_000
const pointsMax = 300

type TargetSamples = Static<typeof metricSample.schema>

const countNames: ReadonlySet<string> = new Set(['instance_count', 'instances', 'capacity', 'replicas'])

export function noteSamples(row: AutoscalerPolicy, { samples }: TargetSamples, turn: Turn<AutoscalerNeeds>): void {
  const now = turn.now.getTime()
  let isHeard = false
  for (const { metric, value, ts } of samples) {
    const at = Date.parse(ts)
    if (at < now - lateMs) continue
    if (metric === 'cpu_percent') isHeard = addPoint(row, at, value) || isHeard
    else if (countNames.has(metric) && at <= now) isHeard = count(row, at, value) || isHeard
  }
  if (!isHeard) return
  row.points = row.points.filter(([at]) => at > now - sampleMs).slice(-pointsMax)
  evaluate(row, turn)
}

/** A sample replaces an earlier one of the same time. */
function addPoint(row: AutoscalerPolicy, at: number, value: number): boolean {
  const others = row.points.filter(([ts]) => ts !== at)
  row.points = [...others, [at, value] as [number, number]].toSorted(([a], [b]) => a - b)
  return true
}

function count(row: AutoscalerPolicy, at: number, value: number): boolean {
  if (at < row.countedAt || value < 0) return false
  row.countedAt = at
  const desired = Math.round(value)
  if (desired !== row.current.desired) row.current = { ...row.current, desired, observedAt: new Date(at).toISOString() }
  return true
}

export function noteDiscovery(
  row: AutoscalerPolicy,
  seen: Static<typeof resourceDiscovered.schema>,
  turn: Turn<AutoscalerNeeds>,
): void {
  const at = turn.message.time.getTime()
  if (at < row.seenAt) return
  const { unitCount = null, hourlyRateUSD: hourlyRateUsd = null, specs = {} } = seen
  const unitUsd = unitUsdOf({ unitCount, hourlyRateUsd, specs })
  // The inventory's number counts only until a sample or a call reports one.
  if (unitCount !== null && row.countedAt === 0 && !row.isTold) row.current = { ...row.current, desired: unitCount }
  Object.assign(row, { seenAt: at, isGone: false, ...(unitUsd !== null && { unitUsd }) })
  if (seen.status === 'running') seenRunning(row, at, turn)
}

/** A policy does not start what a schedule or a person has stopped. It evaluates the target again once it runs. */
export function notePower(
  row: AutoscalerPolicy,
  said: Static<typeof powerTold.schema>,
  turn: Turn<AutoscalerNeeds>,
): void {
  const at = Date.parse(said.at)
  if (row.stop && at < row.stop.at) return
  if (said.shows === 'stopping' || said.observed === 'stopped') {
    row.stop = { at, isSeen: said.observed === 'stopped' }
    row.recommendation = null
    row.statusReason = stoppedReason
  } else if (said.observed === 'running' || (said.shows === null && row.stop?.isSeen === false)) runs(row, turn)
}

/** Somebody else has started it. */
function seenRunning(row: AutoscalerPolicy, at: number, turn: Turn<AutoscalerNeeds>): void {
  if (row.stop?.isSeen && at > row.stop.at) runs(row, turn)
}

function runs(row: AutoscalerPolicy, turn: Turn<AutoscalerNeeds>): void {
  if (!row.stop) return
  // The load from before the stop is no longer relevant.
  if (row.stop.isSeen) Object.assign(row, { points: [], need: null })
  Object.assign(row, { stop: null, statusReason: '' })
  beginAnew(row, turn)
}

export function noteGone(row: AutoscalerPolicy, _: Static<typeof resourceDeleted.schema>, turn: Turn): void {
  const at = turn.message.time.getTime()
  if (at < row.seenAt) return
  Object.assign(row, { seenAt: at, isGone: true, recommendation: null })
}
