import { ChannelHealth } from '#actors/notification/delivery/entity.ts'
import { healthNeeds, oldestOf, pageOf, sweepMax } from './health-needs.ts'
import { defineActor } from '#engine/actor/actor.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  channelProbeDue,
  channelRemoved,
  channelSwept,
  channelTried,
  deliveryDropped,
  deliveryReleased,
} from '#streams/notification/messages.ts'

const channelKey = ({ channelId }: { channelId: string }) => channelId

/**
 * Failed deliveries in a row that break a channel, if within `withinMs`. A broken channel is probed every `probeMs`.
 */
const brokenBy = 5
const withinMs = 3_600_000
const probeMs = 600_000

/**
 * Health of a channel's receiver. After five failures in a row it counts as broken: deliveries wait, and one of them
 * every ten minutes probes whether it works again. The first success releases all.
 */
export const channelHealthActor = defineActor({
  kind: 'channel-health',
  entity: ChannelHealth,
  address: { orgId: 'orgId', place: 'channelId', key: 'channelId' },
  initial: () => ({
    failures: 0,
    failedAt: [],
    brokenSince: null,
    nextProbeAt: null,
    lastAt: null,
    lastDeliveryId: '',
    lastEventType: '',
    lastStatus: 0,
    lastMessage: '',
  }),
  needs: healthNeeds,
  reactions: (on) => [
    on(channelTried, channelKey, (health, told, turn) => {
      if (told.delivered) works(health, turn)
      else fails(health, told, turn)
    }),
    on(
      channelProbeDue,
      channelKey,
      (health, { channelId }, turn) => {
        if (!health.brokenSince || isAsked(health, turn)) return
        const deliveryId = oldestOf(turn)
        // If none waits, the next delivery that arrives requests a probe.
        if (deliveryId === undefined) return
        turn.emit(deliveryReleased, { channelId, deliveryId })
        probeLater(health, turn)
      },
      { existing: true },
    ),
    on(channelSwept, channelKey, (health, swept, turn) => {
      const { channelId, what } = swept
      // Broken again: waiting deliveries are released when it works, instead of each acting as a probe.
      if (what === 'release' && health.brokenSince) return
      const ids = pageOf(turn, swept)
      for (const deliveryId of ids) {
        if (what === 'release') turn.emit(deliveryReleased, { channelId, deliveryId })
        else turn.emit(deliveryDropped, { channelId, deliveryId, message: 'The channel was deleted.' })
      }
      if (ids.length === sweepMax) turn.emit(channelSwept, { channelId, after: ids.at(-1)!, what })
      if (health.lastAt === null) turn.remove()
    }),
    on(channelRemoved, channelKey, (_, { channelId }, turn) => {
      turn.emit(channelSwept, { channelId, after: '', what: 'drop' })
      turn.forget('probe')
      turn.remove()
    }),
  ],
})

function works({ channelId, brokenSince }: ChannelHealth, turn: Turn): void {
  if (brokenSince) turn.emit(channelSwept, { channelId, after: '', what: 'release' })
  turn.forget('probe')
  turn.remove()
}

function fails(health: ChannelHealth, told: Static<typeof channelTried.schema>, turn: Turn): void {
  health.failures += 1
  health.failedAt = [...health.failedAt, told.at].slice(-brokenBy)
  health.lastAt = new Date(told.at)
  health.lastDeliveryId = told.deliveryId
  health.lastEventType = told.eventType
  health.lastStatus = told.responseStatus
  health.lastMessage = told.message
  if (!health.brokenSince && !isTooMuch(health)) return
  health.brokenSince ??= turn.now
  probeLater(health, turn)
}

const isTooMuch = ({ failures, failedAt }: ChannelHealth): boolean =>
  failures >= brokenBy && Date.parse(failedAt.at(-1)!) - Date.parse(failedAt[0]!) <= withinMs

/** Whether a probe has just been released: of several requests at the same time only the first one causes a probe. */
const isAsked = ({ nextProbeAt }: ChannelHealth, { now }: Turn): boolean =>
  (nextProbeAt?.getTime() ?? 0) - now.getTime() > probeMs / 2

function probeLater(health: ChannelHealth, turn: Turn): void {
  const { channelId } = health
  health.nextProbeAt = new Date(turn.now.getTime() + probeMs)
  turn.remind('probe', health.nextProbeAt, channelProbeDue, { channelId })
}
