import { Delivery } from './entity.ts'
import { channelOf, deliveryNeeds, waitingMax } from './needs.ts'
import { attempt, conclude, giveUp, hold, takeReport } from './step.ts'
import { appendDelivery } from './log.ts'
import { isUrgent } from '#actors/notification/notice/match.ts'
import { digestAt, quietUntil } from './times.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  channelProbeDue,
  deliveryDropped,
  deliveryDue,
  deliveryFolded,
  deliveryRecorded,
  deliveryReleased,
  deliveryReported,
  deliveryWanted,
  digestAdded,
  type NotificationEvent,
} from '#streams/notification/messages.ts'

const deliveryKey = ({ deliveryId }: { deliveryId: string }) => deliveryId
const existing = { existing: true }

/** One event on its way to one channel: five tries, a day at most, and the same id to the receiver on every one of them. */
export const deliveryActor = defineActor({
  kind: 'delivery',
  entity: Delivery,
  address: { orgId: 'orgId', place: 'channelId', key: 'id' },
  initial: () => ({
    kind: 'event' as const,
    hold: '' as const,
    tries: 0,
    responseStatus: 0,
    message: '',
    nextTryAt: null,
    createdAt: new Date(0),
  }),
  needs: deliveryNeeds,
  reactions: (on) => [
    on(deliveryWanted, deliveryKey, (delivery, { event }, turn) => {
      delivery.event = event
      delivery.kind = event.data['events'] === undefined ? 'event' : 'digest'
      delivery.createdAt = turn.message.time
      begin(delivery, turn)
    }),
    on(deliveryReported, deliveryKey, takeReport, existing),
    on(
      deliveryDue,
      deliveryKey,
      (delivery, { why }, turn) => {
        if (why === 'retry') attempt(delivery, turn)
        else if (why === 'limit') giveUp(delivery, `Not delivered within a day. ${delivery.message}`.trim(), turn)
        else if (delivery.hold === 'quiet') onward(delivery, turn)
      },
      existing,
    ),
    on(
      deliveryReleased,
      deliveryKey,
      (delivery, _, turn) => {
        if (delivery.hold !== 'circuit') return
        if (channelOf(turn).brokenSince) attempt(delivery, turn, 'probe')
        else attempt(delivery, turn)
      },
      existing,
    ),
    on(deliveryDropped, deliveryKey, (delivery, { message }, turn) => giveUp(delivery, message, turn), existing),
    on(
      deliveryFolded,
      deliveryKey,
      (delivery, { into }, turn) => {
        appendDelivery(delivery, { status: 'folded', foldedInto: into }, turn)
        turn.remove()
      },
      existing,
    ),
    on(deliveryRecorded, deliveryKey, (delivery, { event, kind, delivered, responseStatus, message }, turn) => {
      Object.assign(delivery, { event, kind, responseStatus, message, tries: 1, createdAt: turn.message.time })
      conclude(delivery, delivered ? 'delivered' : 'failed', turn)
    }),
  ],
})

/** What is not urgent may wait for others, or for the morning. */
function begin(delivery: Delivery, turn: Turn): void {
  const { exists, options, waiting } = channelOf(turn)
  const { event, kind } = delivery
  if (!exists) return giveUp(delivery, 'The channel was deleted.', turn)
  if (waiting >= waitingMax) return giveUp(delivery, `The channel already has ${waitingMax} deliveries waiting.`, turn)
  const together = kind === 'event' ? findDigest(event, turn) : undefined
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
function onward(delivery: Delivery, turn: Turn): void {
  const { brokenSince, nextProbeAt } = channelOf(turn)
  if (!brokenSince) return attempt(delivery, turn)
  hold(delivery, 'circuit', turn)
  if (nextProbeAt && nextProbeAt <= turn.now) turn.emit(channelProbeDue, { channelId: delivery.channelId })
}
