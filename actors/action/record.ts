import { defineActor } from '#engine/actor/actor.ts'
import { actionExpired, actionTold } from '#streams/action/messages.ts'
import { Action } from './entity.ts'

const orNull = (at: string | null): Date | null => (at === null ? null : new Date(at))

/** Stores the records of ended actions for people to read. */
export const actionActor = defineActor({
  kind: 'action',
  entity: Action,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'id' },
  initial: () => ({
    resourceUid: '',
    provider: '',
    resourceType: '',
    region: '',
    action: 'start' as const,
    reason: null,
    status: 'pending' as const,
    errorMessage: null,
    source: { type: 'manual' as const, id: '' },
    attempt: 0,
    nextAttemptAt: null,
    createdAt: new Date(0),
    startedAt: null,
    endedAt: null,
    revision: 0,
  }),
  reactions: (on) => [
    on(
      actionTold,
      ({ actionId }) => actionId,
      (action, told) => {
        if (told.revision <= action.revision) return
        const { actionId: _, cloudAccountId: __, ...record } = told
        Object.assign(action, record, {
          createdAt: new Date(told.createdAt),
          nextAttemptAt: orNull(told.nextAttemptAt),
          startedAt: orNull(told.startedAt),
          endedAt: orNull(told.endedAt),
        })
      },
    ),
    on(
      actionExpired,
      ({ actionId }) => actionId,
      (_action, _expired, turn) => turn.remove(),
      { existing: true },
    ),
  ],
})
