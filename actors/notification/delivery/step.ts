/** The steps of a delivery: tries, their results, and its end. */
import type { Delivery, Hold } from './entity.ts'
import { channelOf } from './needs.ts'
import { deliver, deliverMail } from './effect.ts'
import { appendDelivery } from './log.ts'
import { pauseBefore } from '#engine/actor/retry.ts'
import { dayMs } from '#engine/value/day.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { anomalyNotified } from '#streams/anomaly.ts'
import {
  anomaliesOf,
  channelTried,
  deliveryDue,
  type deliveryFolded,
  type deliveryReported,
} from '#streams/notification/messages.ts'
import { retries } from '#streams/retry.ts'

const address = ({ channelId, id }: Delivery) => ({ channelId, deliveryId: id })

/** Requests a try. A try that tests a broken channel is a probe. */
export function attempt(delivery: Delivery, turn: Turn, as: '' | 'probe' = ''): void {
  if (as === '' && delivery.hold === 'circuit') turn.forget('limit')
  delivery.tries += 1
  delivery.hold = as
  delivery.nextTryAt = null
  const { tries, event, createdAt } = delivery
  const input = { ...address(delivery), tries, event, createdAt: createdAt.toISOString() }
  turn.call(
    channelOf(turn).isMail ? deliverMail : deliver,
    `deliver/${turn.address.orgId}/${delivery.channelId}/${delivery.id}/${tries}`,
    input,
  )
  appendDelivery(delivery, { status: 'pending' }, turn)
}

/** Holds the delivery; for a broken channel at most a day. */
export function hold(delivery: Delivery, why: Hold, turn: Turn): void {
  delivery.hold = why
  delivery.nextTryAt = null
  if (why === 'circuit') {
    const limit = new Date(Math.max(delivery.createdAt.getTime() + dayMs, turn.now.getTime()))
    turn.remind('limit', limit, deliveryDue, { ...address(delivery), why: 'limit' })
  }
  appendDelivery(delivery, { status: 'held' }, turn)
}

/** Releases it; if the channel is still broken, as a probe. */
export const release = (delivery: Delivery, _: object, turn: Turn): void =>
  attempt(delivery, turn, channelOf(turn).brokenSince ? 'probe' : '')

export const expire = (delivery: Delivery, _: object, turn: Turn): void =>
  giveUp(delivery, `Not delivered within a day. ${delivery.message}`.trim(), turn)

export const drop = (delivery: Delivery, { message }: { message: string }, turn: Turn): void =>
  giveUp(delivery, message, turn)

export function fold(delivery: Delivery, { into }: Static<typeof deliveryFolded.schema>, turn: Turn): void {
  appendDelivery(delivery, { status: 'folded', foldedInto: into }, turn)
  turn.remove()
}

type Report = Static<typeof deliveryReported.schema>
type Reaction = (delivery: Delivery, report: Report, turn: Turn) => void

/** Handles the result of the newest try only: another process may repeat an earlier one. */
const ofNewest =
  (react: Reaction): Reaction =>
  (delivery, report, turn) => {
    if (report.tries !== delivery.tries) return
    delivery.responseStatus = report.responseStatus
    delivery.message = report.message
    react(delivery, report, turn)
  }

export const takeAcceptance = ofNewest((delivery, _, turn) => conclude(delivery, 'delivered', turn))

export const takeRefusal = ofNewest((delivery, { isGone, message }, turn) =>
  isGone ? giveUp(delivery, message, turn) : conclude(delivery, 'failed', turn),
)

export const takeFailure = ofNewest(pause)

export const takeProbeFailure = ofNewest((delivery, report, turn) => {
  if (channelOf(turn).brokenSince) {
    tellChannel(delivery, false, turn)
    return hold(delivery, 'circuit', turn)
  }
  // Meanwhile another delivery succeeded, and the waiting ones were released without this one, so nobody would release
  // it.
  delivery.hold = ''
  turn.forget('limit')
  pause(delivery, report, turn)
})

function pause(delivery: Delivery, { retryAfterMs }: Report, turn: Turn): void {
  const pauseMs = pauseBefore(retries.delivery, delivery.tries + 1)
  if (pauseMs === undefined) return conclude(delivery, 'failed', turn)
  delivery.nextTryAt = new Date(turn.now.getTime() + (retryAfterMs ?? pauseMs))
  turn.remind('retry', delivery.nextTryAt, deliveryDue, { ...address(delivery), why: 'retry' })
  appendDelivery(delivery, { status: 'pending' }, turn)
}

/** Ends a delivery that was tried, and notifies its channel if that may change its health. */
export function conclude(delivery: Delivery, status: 'delivered' | 'failed', turn: Turn): void {
  const isDelivered = status === 'delivered'
  if (!isDelivered || channelOf(turn).hasFailed) tellChannel(delivery, isDelivered, turn)
  if (isDelivered) tellAnomalies(delivery, turn)
  close(delivery, status, turn)
}

/** Ends a delivery whose recipient no longer exists, or that could not be sent in time. */
export function giveUp(delivery: Delivery, message: string, turn: Turn): void {
  delivery.message = message.slice(0, 1024)
  close(delivery, 'failed', turn)
}

function close(delivery: Delivery, status: 'delivered' | 'failed', turn: Turn): void {
  appendDelivery(delivery, { status }, turn)
  // Only if one was set: a delivery that succeeded at once has none.
  if (delivery.nextTryAt) turn.forget('retry')
  if (delivery.hold === 'quiet') turn.forget('quiet')
  if (delivery.hold === 'circuit' || delivery.hold === 'probe') turn.forget('limit')
  turn.remove()
}

function tellChannel(delivery: Delivery, delivered: boolean, turn: Turn): void {
  const { responseStatus, message, event } = delivery
  const told = { eventType: event.eventType, delivered, responseStatus, message, at: turn.now.toISOString() }
  turn.emit(channelTried, { ...address(delivery), ...told })
}

/** A receiver has accepted it: marks its anomalies as notified. */
function tellAnomalies({ event, kind }: Delivery, turn: Turn): void {
  if (kind === 'test' || kind === 'share') return
  for (const one of anomaliesOf(event)) turn.emit(anomalyNotified, { ...one, at: turn.now.toISOString() })
}
