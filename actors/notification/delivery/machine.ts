/** The states of a delivery, and what each message does in each state. */
import { begin, onward, record } from './begin.ts'
import type { Delivery, Hold } from './entity.ts'
import {
  attempt,
  drop,
  expire,
  fold,
  release,
  takeAcceptance,
  takeFailure,
  takeProbeFailure,
  takeRefusal,
} from './step.ts'
import { input, type Machine } from '#engine/actor/machine.ts'
import {
  deliveryDropped,
  deliveryDue,
  deliveryFolded,
  deliveryRecorded,
  deliveryReleased,
  deliveryReported,
  deliveryWanted,
} from '#streams/notification/messages.ts'

const inputs = {
  wanted: input(deliveryWanted, 'an event to send'),
  recorded: input(deliveryRecorded, 'sent by a request'),
  accepted: input(deliveryReported, 'accepted', ({ outcome }) => outcome === 'delivered'),
  refused: input(deliveryReported, 'refused', ({ outcome }) => outcome === 'final'),
  failed: input(deliveryReported, 'attempt failed', ({ outcome }) => outcome === 'retry'),
  retry: input(deliveryDue, 'the pause has ended', ({ why }) => why === 'retry'),
  morning: input(deliveryDue, 'quiet hours have ended', ({ why }) => why === 'quiet'),
  limit: input(deliveryDue, 'a day has passed', ({ why }) => why === 'limit'),
  released: input(deliveryReleased, 'released by the channel'),
  dropped: input(deliveryDropped, 'channel deleted'),
  folded: input(deliveryFolded, 'sent as part of another'),
}

type DeliveryState = 'absent' | 'trying' | 'pausing' | Exclude<Hold, ''>

const answered = {
  accepted: { handle: takeAcceptance, next: ['absent'] },
  refused: { handle: takeRefusal, next: ['absent'] },
} as const

/** May come from outside at any time. */
const end = {
  dropped: { handle: drop, next: ['absent'] },
  folded: { handle: fold, next: ['absent'] },
} as const

export const deliveryMachine: Machine<Delivery, unknown, DeliveryState, typeof inputs> = {
  name: 'delivery',
  states: {
    absent: '',
    digest: 'Waits for a digest or fold',
    quiet: 'Waits for the end of quiet hours',
    trying: 'Attempt in progress',
    pausing: 'Pause before the next attempt',
    circuit: 'Waits for a broken channel',
    probe: 'Attempt to test a broken channel',
  },
  stateOf: ({ createdAt, hold, nextTryAt }) =>
    createdAt.getTime() === 0 ? 'absent' : hold !== '' ? hold : nextTryAt ? 'pausing' : 'trying',
  inputs,
  transitions: {
    absent: {
      wanted: { handle: begin, next: ['digest', 'quiet', 'trying', 'circuit'] },
      recorded: { handle: record },
    },
    digest: end,
    quiet: {
      morning: { handle: (delivery, _, turn) => onward(delivery, turn), next: ['trying', 'circuit'] },
      ...end,
    },
    trying: { ...answered, failed: { handle: takeFailure, next: ['pausing', 'absent'] }, ...end },
    pausing: { retry: { handle: (delivery, _, turn) => attempt(delivery, turn), next: ['trying'] }, ...end },
    circuit: {
      released: { handle: release, next: ['trying', 'probe'] },
      limit: { handle: expire, next: ['absent'] },
      ...end,
    },
    probe: {
      ...answered,
      failed: { handle: takeProbeFailure, next: ['circuit', 'pausing', 'absent'] },
      limit: { handle: expire, next: ['absent'] },
      ...end,
    },
  },
}
