import { defineActor } from '#engine/actor/actor.ts'
import { handlerOf } from '#engine/actor/machine.ts'
import type { Subject } from '#engine/actor/subject.ts'
import type { TSchema } from '#engine/value/schema.ts'
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
import { addressOf } from './end.ts'
import { powerMachine } from './machine.ts'
import { powerNeeds } from './needs.ts'

const take = <S extends TSchema>(subject: Subject<S>) => handlerOf(powerMachine, subject)
const takeReport = take(actionReported)

const ofResource = ({ resourceUid }: { resourceUid: string }): string => resourceUid

/** Starts and stops one resource, one action at a time. Of the requests made meanwhile, only the last one waits. */
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
    on(actionWanted, ofResource, take(actionWanted)),
    on(demandAsked, ofResource, take(demandAsked)),
    on(actionWaited, ofResource, take(actionWaited), { existing: true }),
    on(actionReported, ofResource, takeReport, { existing: true }),
    on(
      execResult,
      ({ intentId }) => resourceNamed(intentId),
      (row, { observedState, ...said }, turn) => {
        const isKnown = observedState === 'running' || observedState === 'stopped'
        takeReport(row, { ...addressOf(turn), ...said, ...(isKnown && { observedState }) }, turn)
      },
      { existing: true },
    ),
    on(actionRetryDue, ofResource, take(actionRetryDue), { existing: true }),
    on(actionLookDue, ofResource, take(actionLookDue), { existing: true }),
    on(actionLimitReached, ofResource, take(actionLimitReached), { existing: true }),
    on(powerHeld, ofResource, take(powerHeld)),
    on(powerFreed, ofResource, take(powerFreed)),
    on(powerRested, ofResource, take(powerRested), { existing: true }),
  ],
})
