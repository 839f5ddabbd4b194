import type { AnomalyNeeds } from './record.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { anomalyCleared, anomalyFound, anomalyNotified, anomalyReviewed } from '#streams/anomaly.ts'
import { AnomalySeries, type StoredAnomaly } from './entity.ts'
import {
  amend,
  amendReview,
  anomalyNeeds,
  append,
  appendWithdrawn,
  idOf,
  type FoundAnomaly,
  type Which,
} from './record.ts'
import { isRepeat } from './rule.ts'
import { isExpected, report, tells, toldAtOf } from './tell.ts'

/** Maximum anomalies remembered. A day older than these can be detected again, but is compared with nothing. */
const rememberedMax = 400

/**
 * One dimension of cost: stores an anomaly unless it repeats a recent one, and notifies unless that was done recently
 * (decision G-54). A day that is found again replaces its earlier result, so runs can be repeated.
 */
export const anomalyActor = defineActor({
  kind: 'anomaly',
  entity: AnomalySeries,
  address: { orgId: 'orgId', key: 'key' },
  initial: () => ({ stored: [] }),
  needs: anomalyNeeds,
  reactions: (on) => [
    on(anomalyFound, seriesOf, (series, found, turn) => report(found, take(series, found, turn), turn)),
    on(anomalyCleared, seriesOf, (series, found, turn) => {
      const known = standingOf(series, found.date)
      if (known?.origin === 'running') withdraw(series, known, found, turn)
    }),
    on(anomalyNotified, seriesOf, markNotified, { existing: true }),
    on(anomalyReviewed, seriesOf, applyReview),
  ],
})

function seriesOf({ type, key }: Pick<FoundAnomaly, 'type' | 'key'>): string {
  return `${type}|${key}`
}

const standingOf = ({ stored }: AnomalySeries, date: string): StoredAnomaly | undefined =>
  stored.find((one) => one.date === date && !one.withdrawn)

/** Stores what was found. Returns whether people are to be notified of it. */
function take(series: AnomalySeries, found: FoundAnomaly, turn: Turn<AnomalyNeeds>): boolean {
  const standing = series.stored.filter(({ withdrawn }) => !withdrawn)
  const known = standing.find(({ date }) => date === found.date)
  if (isRepeat(standing, found)) {
    if (known?.origin === 'running' && found.origin === 'daily') withdraw(series, known, found, turn)
    return false
  }
  if (known?.origin === 'daily' && found.origin === 'running') return false
  return store(series, found, turn)
}

function store(series: AnomalySeries, found: FoundAnomaly, turn: Turn<AnomalyNeeds>): boolean {
  const now = turn.now.toISOString()
  const known = series.stored.find(({ date }) => date === found.date)
  const isTold = tells(series.stored, found, known, turn.now)
  const one: StoredAnomaly = {
    ...keepFields(known, now),
    date: found.date,
    actual: found.actualUsd,
    suppressed: found.suppressed,
    origin: found.origin,
    ...(isTold && { toldAt: now }),
    ...(isExpected(series.stored, found.date) && { wasExpected: true }),
  }
  series.stored = [...series.stored.filter(({ date }) => date !== found.date), one]
    .toSorted((a, b) => (a.date < b.date ? -1 : 1))
    .slice(-rememberedMax)
  append(found, one, turn)
  return isTold
}

/** What stays of a day that is found again. */
function keepFields(known: StoredAnomaly | undefined, now: string) {
  if (!known) return { toldAt: null, notifiedAt: null, createdAt: now }
  const { withdrawn: _, ...rest } = known
  return { ...rest, toldAt: toldAtOf(known) }
}

/**
 * Removes an anomaly. If people were notified or it was reviewed, that is remembered, in case the day is found again.
 */
function withdraw(series: AnomalySeries, known: StoredAnomaly, which: Which, turn: Turn<AnomalyNeeds>): void {
  const one: StoredAnomaly = { ...known, withdrawn: true }
  if (toldAtOf(known) === null && !known.review) series.stored = series.stored.filter(({ date }) => date !== known.date)
  else replace(series, one)
  appendWithdrawn(which, one, turn)
}

function replace(series: AnomalySeries, one: StoredAnomaly): void {
  series.stored = series.stored.map((before) => (before.date === one.date ? one : before))
}

/** Only the first receiver that accepted it counts. */
function markNotified(
  series: AnomalySeries,
  message: Static<typeof anomalyNotified.schema>,
  turn: Turn<AnomalyNeeds>,
): void {
  const known = series.stored.find(({ date }) => date === message.date)
  if (!known || known.notifiedAt !== null) return
  const one: StoredAnomaly = { ...known, notifiedAt: new Date(message.at).toISOString() }
  replace(series, one)
  amend(message, one, turn)
}

/** @throws Fault `missing` if the day has no anomaly */
function applyReview(
  series: AnomalySeries,
  message: Static<typeof anomalyReviewed.schema>,
  turn: Turn<AnomalyNeeds>,
): void {
  const known = standingOf(series, message.date)
  if (!known) throw Fault.missing('anomaly', idOf(turn.address.orgId, message))
  const { review: _, ...rest } = known
  const one: StoredAnomaly = message.review ? { ...rest, review: message.review } : rest
  replace(series, one)
  // Days that were expected stay without notification even after the review is withdrawn.
  series.stored = series.stored.map((before) =>
    !before.withdrawn && isExpected([one], before.date) ? { ...before, wasExpected: true } : before,
  )
  amendReview(message, standingOf(series, message.date)!, turn)
  turn.reply({ id: idOf(turn.address.orgId, message) })
}
