import { NoticeLog } from '#actors/notification/delivery/entity.ts'
import { audienceOf, levelOf } from './match.ts'
import { noticeNeeds } from './needs.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { uuidOf } from '#engine/value/id.ts'
import {
  deliveryWanted,
  noticeRaised,
  type FoldedAnomaly,
  type NotificationEvent,
} from '#streams/notification/messages.ts'

/**
 * Decides who is notified of an event, by the current settings: one delivery for each channel, however many of its
 * subscriptions match, and however many events share the cause.
 */
export const noticeActor = defineActor({
  kind: 'notice',
  entity: NoticeLog,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'key' },
  initial: () => ({ events: 0, lastAt: null }),
  needs: noticeNeeds,
  reactions: (on) => [
    on(
      noticeRaised,
      () => 'all',
      (log, { event, folded = [], before = [] }, turn) => {
        const { orgId } = turn.address
        log.events += 1 + folded.length
        log.lastAt = turn.now
        const channelsOf = (one: NotificationEvent) => audienceOf(one, turn.needs.of(orgId, one))
        const told = byChannel(before, channelsOf)
        for (const [channelId, list] of byChannel([event, ...folded], channelsOf)) {
          const one = together(list)
          if ((told.get(channelId) ?? []).some((earlier) => levelOf(earlier) >= levelOf(one))) continue
          turn.emit(deliveryWanted, { channelId, deliveryId: uuidOf('delivery', orgId, one.id, channelId), event: one })
        }
      },
    ),
  ],
})

function byChannel(
  events: readonly NotificationEvent[],
  channelsOf: (event: NotificationEvent) => string[],
): Map<string, NotificationEvent[]> {
  const found = new Map<string, NotificationEvent[]>()
  for (const event of events)
    for (const channelId of channelsOf(event)) found.set(channelId, [...(found.get(channelId) ?? []), event])
  return found
}

/** The first event, with the others listed in it. */
function together([lead, ...others]: readonly NotificationEvent[]): NotificationEvent {
  return others.length === 0 ? lead! : { ...lead!, data: { ...lead!.data, folded: others.map(foldedAnomaly) } }
}

/** Only anomalies are grouped. */
const foldedAnomaly = ({ orgID, scope, severity, data }: NotificationEvent): FoldedAnomaly => ({
  anomalyID: String(data['anomalyID']),
  date: String(data['date']),
  anomalyType: scope.type,
  anomalyKey: scope.id || orgID,
  label: typeof data['label'] === 'string' ? data['label'] : scope.id,
  severity: severity!,
  actualCostUsd: Number(data['actualCostUsd']),
  expectedCostUsd: Number(data['expectedCostUsd']),
})
