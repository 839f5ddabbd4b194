/** The states of a resource's power, and what each message does in each state. */
import { input, type Machine } from '#engine/actor/machine.ts'
import type { Power } from '#actors/action/entity.ts'
import {
  actionLimitReached,
  actionLookDue,
  actionReported,
  actionRetryDue,
  actionWaited,
  actionWanted,
  demandAsked,
  powerRested,
} from '#streams/action/messages.ts'
import { powerFreed, powerHeld } from '#streams/workflow.ts'
import type { PowerNeeds } from './needs.ts'
import { demand, dropHold, free, freeAndProceed, hold, proceed, rest, restWaiting, want } from './request.ts'
import {
  beginConfirming,
  confirmLater,
  failAttempt,
  keepCapacity,
  look,
  passLimit,
  passPickUp,
  pickUp,
  retry,
  succeedAttempt,
} from './try.ts'

/** States with an action in progress; in each of them another one may wait. */
const liveStates = {
  queued: 'Call requested',
  calling: 'Calling the cloud',
  confirming: 'Waiting for the cloud to finish',
  pausing: 'Pausing before the next try',
} as const

const states = {
  idle: 'Nothing in progress',
  waiting: 'An action waits to start',
  ...liveStates,
} as const
type PowerState = keyof typeof states

function stateOf({ live, waiting }: Power): PowerState {
  if (!live) return waiting ? 'waiting' : 'idle'
  if (live.record.nextAttemptAt !== null) return 'pausing'
  if (live.isTaken) return 'confirming'
  return live.record.status === 'running' ? 'calling' : 'queued'
}

const inputs = {
  wanted: input(actionWanted, 'start or stop requested'),
  demanded: input(demandAsked, 'an override has ended'),
  proceeds: input(actionWaited, 'the waiting action may start'),
  accepted: input(actionReported, 'call accepted', ({ status }) => status === 'accepted'),
  running: input(actionReported, 'the cloud is still working', ({ status }) => status === 'running'),
  succeeded: input(actionReported, 'call succeeded', ({ status }) => status === 'succeeded'),
  failed: input(actionReported, 'call failed', ({ status }) => status === 'failed'),
  retry: input(actionRetryDue, 'the pause has ended'),
  look: input(actionLookDue, 'time to look'),
  limit: input(actionLimitReached, 'timed out'),
  held: input(powerHeld, 'a workflow takes hold'),
  freed: input(powerFreed, 'the workflow lets go'),
  rested: input(powerRested, 'nothing happened for a while'),
}

/** An action has ended: if another one waits, it starts with a message of its own. */
const ended = ['idle', 'waiting'] as const

/** Reactions shared by all states with an action in progress. */
const live = {
  wanted: { handle: want },
  demanded: { handle: demand },
  succeeded: { handle: succeedAttempt, next: ended },
  held: { handle: hold },
  freed: { handle: free },
  rested: { handle: dropHold },
} as const

export const powerMachine: Machine<Power, PowerNeeds, PowerState, typeof inputs> = {
  name: 'power',
  states,
  stateOf,
  inputs,
  transitions: {
    idle: {
      wanted: { handle: want, next: ['queued', 'waiting'] },
      demanded: { handle: demand, next: ['queued', 'waiting'] },
      held: { handle: hold },
      freed: { handle: free },
      rested: { handle: rest },
    },
    waiting: {
      wanted: { handle: want, next: ['queued'] },
      demanded: { handle: demand },
      proceeds: { handle: proceed, next: ['queued', 'idle'] },
      held: { handle: hold },
      freed: { handle: freeAndProceed },
      rested: { handle: restWaiting },
    },
    queued: {
      ...live,
      accepted: { handle: pickUp, next: ['calling'] },
      running: { handle: beginConfirming, next: ['confirming'] },
      failed: { handle: failAttempt, next: ['pausing', ...ended] },
      limit: { handle: passPickUp, next: ['pausing', ...ended] },
    },
    calling: {
      ...live,
      accepted: { handle: keepCapacity },
      running: { handle: confirmLater, next: ['confirming'] },
      failed: { handle: failAttempt, next: ['pausing', ...ended] },
      limit: { handle: passLimit, next: ['pausing', ...ended] },
    },
    confirming: {
      ...live,
      accepted: { handle: keepCapacity },
      running: { handle: confirmLater },
      failed: { handle: failAttempt, next: ['pausing', ...ended] },
      look: { handle: look },
      limit: { handle: passLimit, next: ['pausing', ...ended] },
    },
    pausing: {
      ...live,
      accepted: { handle: keepCapacity },
      running: { handle: keepCapacity },
      failed: { handle: keepCapacity },
      retry: { handle: retry, next: ['queued', ...ended] },
    },
  },
}
