/** Whether and how people are notified of an anomaly (decision G-54). */
import type { Turn } from '#engine/actor/turn.ts'
import { shownResource } from '#streams/anomaly.ts'
import { cents, centsText, percent } from '#streams/figure.ts'
import { notification, raise, storyReported, type NotificationEvent } from '#streams/notification/messages.ts'
import { anomalyEvent } from '#streams/notification/event-type.ts'
import type { StoredAnomaly } from './entity.ts'
import { idOf, type FoundAnomaly } from './record.ts'
import { isBefore } from './rule.ts'

/**
 * Milliseconds within which a delivery may still be accepted: quiet hours and a broken channel delay it by a day each
 * at most. The run two days later therefore finds the delivery accepted or failed.
 */
const onItsWayMs = 47 * 3_600_000

/** When people were to be notified of it; null: they were not. */
export const toldAtOf = ({ toldAt, notifiedAt }: StoredAnomaly): string | null => toldAt ?? notifiedAt

/** Whether a review marks `date` as expected. */
export const isExpected = (stored: readonly StoredAnomaly[], date: string): boolean =>
  stored.some(
    ({ date: from, review, withdrawn }) =>
      !withdrawn && review?.state === 'expected' && from <= date && date <= (review.until ?? ''),
  )

/**
 * Whether to notify. `known` is what is remembered of the same day. A day is notified once, by its first daily run or
 * never (ANOM-34).
 */
export function tells(
  stored: readonly StoredAnomaly[],
  found: FoundAnomaly,
  known: StoredAnomaly | undefined,
  now: Date,
): boolean {
  if (found.suppressed || found.isQuiet || (known && (toldAtOf(known) !== null || isDecided(known)))) return false
  return !isExpected(stored, found.date) && !stored.some((one) => isBefore(one.date, found.date) && isHeard(one, now))
}

const isDecided = ({ origin, suppressed, wasExpected }: StoredAnomaly): boolean =>
  wasExpected === true || (origin === 'daily' && !suppressed)

/** Whether people were notified of it, or may still be. */
function isHeard(one: StoredAnomaly, now: Date): boolean {
  const toldAt = toldAtOf(one)
  if (toldAt === null || one.withdrawn) return false
  return one.notifiedAt !== null || now.getTime() - Date.parse(toldAt) < onItsWayMs
}

/**
 * Raises a notice. An anomaly of a story with others reports to the story instead, even if nobody is to be notified of
 * it.
 */
export function report(found: FoundAnomaly, isTold: boolean, turn: Turn): void {
  const { story, date, type, key } = found
  const event = isTold ? eventOf(found, turn) : null
  if (!story || story.size < 2) {
    if (event) raise(turn, event)
    return
  }
  if (event) turn.publish(event.category, event.eventType, { ...event })
  turn.emit(storyReported, { ...story, date, row: `${type}|${key}`, event })
}

function eventOf(found: FoundAnomaly, turn: Turn): NotificationEvent {
  const { orgId } = turn.address
  const eventType = anomalyEvent(found.type, found.severity)
  const { label, date, actualUsd, expectedUsd, deviationPercent, rootCause, topResources } = found
  return notification(eventType, {
    id: turn.id(),
    orgID: orgId,
    occurredAt: turn.now,
    severity: found.severity,
    title: `Cost of ${label}: ${centsText(actualUsd)} US dollars on ${date}, ${percent(deviationPercent)}% above ${centsText(expectedUsd)}`,
    summary: rootCause,
    scope: { type: found.type, id: found.type === 'org' ? '' : found.key },
    data: {
      anomalyID: idOf(orgId, found),
      date,
      actualCostUsd: cents(actualUsd),
      expectedCostUsd: cents(expectedUsd),
      deviationPercent: percent(deviationPercent),
      method: found.method,
      rootCause,
      topResources: topResources.map(shownResource),
      ...(found.cloudAccountId && { cloudAccountID: found.cloudAccountId }),
      ...(found.teamId && { teamID: found.teamId }),
      // Anomalies of one day that one resource causes have this value in common.
      cause: topResources[0]?.resourceUid ?? '',
      label,
    },
  })
}
