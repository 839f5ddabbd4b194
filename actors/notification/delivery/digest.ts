import { Digest } from './entity.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { dayMs } from '#engine/value/day.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { levelOf } from '#actors/notification/notice/match.ts'
import {
  deliveryFolded,
  deliveryWanted,
  digestAdded,
  digestDue,
  type NotificationEvent,
} from '#streams/notification/messages.ts'

const digestKey = ({ key }: { key: string }) => key

/** Maximum events listed in one message; further ones are only counted. */
const itemsMax = 200
/** Milliseconds for which a sent cause is remembered: anomalies of its day may arrive until then. */
const rememberedMs = 2 * dayMs

/**
 * Collects events of a channel and sends them in one delivery: those of an hour or a day, or the anomalies of one day
 * and cause. If a cause was sent already, only a more severe anomaly is sent again.
 */
export const digestActor = defineActor({
  kind: 'digest',
  entity: Digest,
  address: { orgId: 'orgId', place: 'channelId', key: 'key' },
  initial: () => ({ items: [], more: 0, toldLevel: 0, toldId: '', due: null }),
  reactions: (on) => [
    on(digestAdded, digestKey, add),
    on(
      digestDue,
      digestKey,
      (digest, _, turn) => {
        if (digest.items.length === 0) turn.remove()
        else tell(digest, turn)
      },
      { existing: true },
    ),
  ],
})

const isFold = ({ key }: Digest): boolean => key.startsWith('fold|')

function add(
  digest: Digest,
  { channelId, deliveryId, event, due }: Static<typeof digestAdded.schema>,
  turn: Turn,
): void {
  if (digest.toldId !== '' && levelOf(event) <= digest.toldLevel)
    return turn.emit(deliveryFolded, { channelId, deliveryId, into: digest.toldId })
  if (digest.items.length === 0 || !digest.due) {
    digest.due = new Date(due)
    turn.remind('due', digest.due, digestDue, { channelId, key: digest.key })
  }
  if (digest.items.length < itemsMax) {
    digest.items = [...digest.items, { deliveryId, event: digest.items.length === 0 ? event : brief(event) }]
    return
  }
  digest.more += 1
  turn.emit(deliveryFolded, { channelId, deliveryId, into: idOf(digest, turn) })
}

/** The short form of all events but the first, which may turn out to be the only one. */
function brief({ data, ...event }: NotificationEvent): NotificationEvent {
  const { date, anomalyID, resourceUid, folded } = data
  return {
    ...event,
    data: {
      ...(date !== undefined && { date, anomalyID }),
      ...(folded !== undefined && { folded }),
      ...(resourceUid !== undefined && { resourceUid }),
    },
  }
}

/** Includes the first item: events that arrive too late for a digest form another one with the same time. */
const idOf = ({ channelId, key, due, items }: Digest, turn: Turn): string =>
  uuidOf('digest', turn.address.orgId, channelId, key, due!.toISOString(), items[0]!.deliveryId)

function tell(digest: Digest, turn: Turn): void {
  const { channelId, items } = digest
  const deliveryId = idOf(digest, turn)
  turn.emit(deliveryWanted, { channelId, deliveryId, event: together(digest, deliveryId, turn) })
  for (const item of items) turn.emit(deliveryFolded, { channelId, deliveryId: item.deliveryId, into: deliveryId })
  if (!isFold(digest)) return turn.remove()
  digest.toldLevel = Math.max(digest.toldLevel, ...items.map(({ event }) => levelOf(event)))
  digest.toldId = deliveryId
  Object.assign(digest, { items: [], more: 0, due: null })
  const until = new Date(turn.now.getTime() + rememberedMs)
  turn.remind('due', until, digestDue, { channelId, key: digest.key })
}

/** One event with the highest severity and an id of its own; receivers find all events in `data.events`. */
function together(digest: Digest, id: string, turn: Turn): NotificationEvent {
  const { items, more } = digest
  const events = items.map(({ event }) => event)
  const worst = events.toSorted((a, b) => levelOf(b) - levelOf(a))[0]!
  const count = events.length + more
  const { eventType, name, category, orgID, severity } = worst
  const occurredAt = turn.now.toISOString()
  return {
    id,
    eventType,
    name,
    category,
    orgID,
    occurredAt,
    ...(severity && { severity }),
    title:
      count === 1
        ? worst.title
        : `${count} notifications${isFold(digest) ? ' with the same cause' : ''}: ${worst.title}`,
    summary: count === 1 ? worst.summary : `Most severe: ${worst.summary || worst.title}`,
    scope: count === 1 ? worst.scope : { type: 'org', id: '' },
    data: { events, ...(more > 0 && { more }) },
  }
}
