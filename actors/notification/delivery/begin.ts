/** Where a delivery begins: at once, or after others, the morning, or its channel. */
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

/** What is not urgent may wait for others, or for the morning. */
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

/** Rows of one run come within seconds of each other. */
const foldMs = 60_000

/**
 * With what it is told, and when; undefined for what is told by itself. What a digest collects is folded by none: the digest
 * tells of it together with all else, at its time.
 */
function findDigest(event: NotificationEvent, turn: Turn): { key: string; due: string } | undefined {
  const { options } = channelOf(turn)
  const due = isUrgent(event) ? undefined : digestAt(options, turn.now)
  // What falls into quiet hours is one digest, at their end.
  if (due) return { key: 'digest', due: (quietUntil(options, due) ?? due).toISOString() }
  const { date, cause } = event.data
  if (!options.fold || event.category !== 'cost_anomaly' || typeof cause !== 'string' || cause === '') return undefined
  return {
    key: `fold|${String(date)}|${uuidOf('cause', cause)}`,
    due: new Date(turn.now.getTime() + foldMs).toISOString(),
  }
}

/**
 * Past all that it waits for by its own choice: to its channel, unless that is broken. Many may come in one moment: which of
 * them finds out whether it works again is for the channel to say.
 */
export function onward(delivery: Delivery, turn: Turn): void {
  const { brokenSince, nextProbeAt } = channelOf(turn)
  if (!brokenSince) return attempt(delivery, turn)
  hold(delivery, 'circuit', turn)
  if (nextProbeAt && nextProbeAt <= turn.now) turn.emit(channelProbeDue, { channelId: delivery.channelId })
}

/** One that the edge has sent itself. */
export function record(delivery: Delivery, recorded: Static<typeof deliveryRecorded.schema>, turn: Turn): void {
  const { event, kind, delivered, responseStatus, message } = recorded
  Object.assign(delivery, { event, kind, responseStatus, message, tries: 1, createdAt: turn.message.time })
  conclude(delivery, delivered ? 'delivered' : 'failed', turn)
}
