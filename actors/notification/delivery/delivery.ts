import { Delivery } from './entity.ts'
import { deliveryNeeds } from './needs.ts'
import { deliveryMachine } from './machine.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { handlerOf } from '#engine/actor/machine.ts'
import {
  deliveryDropped,
  deliveryDue,
  deliveryFolded,
  deliveryRecorded,
  deliveryReleased,
  deliveryReported,
  deliveryWanted,
} from '#streams/notification/messages.ts'

const deliveryKey = ({ deliveryId }: { deliveryId: string }) => deliveryId
const existing = { existing: true }

/** The delivery of one event to one channel: five tries within a day at most, all with the same id to the receiver. */
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
    on(deliveryWanted, deliveryKey, handlerOf(deliveryMachine, deliveryWanted)),
    on(deliveryReported, deliveryKey, handlerOf(deliveryMachine, deliveryReported), existing),
    on(deliveryDue, deliveryKey, handlerOf(deliveryMachine, deliveryDue), existing),
    on(deliveryReleased, deliveryKey, handlerOf(deliveryMachine, deliveryReleased), existing),
    on(deliveryDropped, deliveryKey, handlerOf(deliveryMachine, deliveryDropped), existing),
    on(deliveryFolded, deliveryKey, handlerOf(deliveryMachine, deliveryFolded), existing),
    on(deliveryRecorded, deliveryKey, handlerOf(deliveryMachine, deliveryRecorded)),
  ],
})
