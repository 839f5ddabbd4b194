/** How a delivery starts: at once, or after waiting for a digest, the end of quiet hours, or its channel. */
import type { Delivery } from './entity.ts'
import { channelOf, waitingMax } from './needs.ts'
import { attempt, conclude, giveUp, hold } from './step.ts'
import { isUrgent } from '#actors/notification/notice/match.ts'
import { digestAt, quietUntil } from './times.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  channelProbeDue,
  deliveryDue,
  digestAdded,
  type deliveryRecorded,
  type deliveryWanted,
  type NotificationEvent,
} from '#streams/notification/messages.ts'

/** Events that are not urgent may wait for a digest or for the end of quiet hours. */
export function begin(delivery: Delivery, { event }: Static<typeof deliveryWanted.schema>, turn: Turn): void {
  delivery.event = event
  delivery.kind = event.data['events'] === undefined ? 'event' : 'digest'
  delivery.createdAt = turn.message.time
  const { exists, options, waiting } = channelOf(turn)
  if (!exists) return giveUp(delivery, 'The channel was deleted.', turn)
  if (waiting >= waitingMax) return giveUp(delivery, `The channel already has ${waitingMax} deliveries waiting.`, turn)
  const together = delivery.kind === 'event' ? findDigest(event, turn) : undefined
  if (together) {
    turn.emit(digestAdded, { channelId: delivery.channelId, deliveryId: delivery.id, event, ...together })
    return hold(delivery, 'digest', turn)
  }
  const until = isUrgent(event) ? undefined : quietUntil(options, turn.now)
  if (!until) return onward(delivery, turn)
  turn.remind('quiet', until, deliveryDue, { channelId: delivery.channelId, deliveryId: delivery.id, why: 'quiet' })
  hold(delivery, 'quiet', turn)
}

/** Milliseconds to collect anomalies of one run, which arrive within seconds of each other. */
const foldMs = 60_000

/**
 * The digest that collects the event, and when it is sent; undefined if the event is sent by itself. An event of a
 * regular digest is not also grouped by cause: the digest lists it with all others.
 */
function findDigest(event: NotificationEvent, turn: Turn): { key: string; due: string } | undefined {
  const { options } = channelOf(turn)
  const due = isUrgent(event) ? undefined : digestAt(options, turn.now)
  // A digest due in quiet hours is sent at their end.
  if (due) return { key: 'digest', due: (quietUntil(options, due) ?? due).toISOString() }
  const { date, cause } = event.data
  if (!options.fold || event.category !== 'cost_anomaly' || typeof cause !== 'string' || cause === '') return undefined
  return {
    key: `fold|${String(date)}|${uuidOf('cause', cause)}`,
    due: new Date(turn.now.getTime() + foldMs).toISOString(),
  }
}

/**
 * Sends the delivery, or holds it if the channel is broken. Many may arrive at once; the channel decides which of them
 * is the probe.
 */
export function onward(delivery: Delivery, turn: Turn): void {
  const { brokenSince, nextProbeAt } = channelOf(turn)
  if (!brokenSince) return attempt(delivery, turn)
  hold(delivery, 'circuit', turn)
  if (nextProbeAt && nextProbeAt <= turn.now) turn.emit(channelProbeDue, { channelId: delivery.channelId })
}

/** Records a delivery that the edge has sent itself. */
export function record(delivery: Delivery, recorded: Static<typeof deliveryRecorded.schema>, turn: Turn): void {
  const { event, kind, delivered, responseStatus, message } = recorded
  Object.assign(delivery, { event, kind, responseStatus, message, tries: 1, createdAt: turn.message.time })
  conclude(delivery, delivered ? 'delivered' : 'failed', turn)
}
