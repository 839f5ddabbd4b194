import { defineActor } from '#engine/actor/actor.ts'
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
import { execResult, resourceNamed } from '#streams/action/exec.ts'
import { Power } from '#actors/action/entity.ts'
import { powerNeeds } from './needs.ts'
import { free, hold, restDue } from './hold.ts'
import { look, reachLimit, report, retry } from './try.ts'
import { demand, proceed, want } from './request.ts'

const ofResource = ({ resourceUid }: { resourceUid: string }): string => resourceUid

/** Starts and stops one resource, one action at a time; behind it the one that was asked for last. */
export const powerActor = defineActor({
  kind: 'power',
  entity: Power,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'resourceUid' },
  initial: () => ({
    live: null,
    waiting: null,
    last: null,
    before: null,
    seen: null,
    held: null,
    n: 0,
    liveId: null,
    waitingId: null,
    lastId: null,
  }),
  needs: powerNeeds,
  reactions: (on) => [
    on(actionWanted, ofResource, want),
    on(demandAsked, ofResource, demand),
    on(actionWaited, ofResource, proceed, { existing: true }),
    on(actionReported, ofResource, report, { existing: true }),
    on(
      execResult,
      ({ intentId }) => resourceNamed(intentId),
      (row, { observedState, ...said }, turn) => {
        const isKnown = observedState === 'running' || observedState === 'stopped'
        report(row, { ...said, ...(isKnown && { observedState }) }, turn)
      },
      { existing: true },
    ),
    on(actionRetryDue, ofResource, retry, { existing: true }),
    on(actionLookDue, ofResource, look, { existing: true }),
    on(actionLimitReached, ofResource, reachLimit, { existing: true }),
    on(powerHeld, ofResource, hold),
    on(powerFreed, ofResource, free),
    on(powerRested, ofResource, (row, _, turn) => restDue(row, turn), { existing: true }),
  ],
})
