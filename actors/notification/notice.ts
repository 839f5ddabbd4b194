import { NoticeLog } from '#actors/notification/delivery-entity.ts'
import { audienceOf } from '#actors/notification/match.ts'
import { noticeNeeds, type Audiences } from '#actors/notification/notice-needs.ts'
import { defineActor } from '#engine/actor.ts'
import { uuidOf } from '#engine/id.ts'
import { deliveryWanted, noticeRaised } from '#streams/notification.ts'

/** Finds out who is to be told of an event, as things are now: one delivery a channel, however many of its subscriptions fit. */
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
      (log, { event }, turn) => {
        const { orgId } = turn.address
        log.events += 1
        log.lastAt = turn.now
        for (const channelId of audienceOf(event, (turn.needs as Audiences).of(orgId, event)))
          turn.emit(deliveryWanted, { channelId, deliveryId: uuidOf('delivery', orgId, event.id, channelId), event })
      },
    ),
  ],
})
