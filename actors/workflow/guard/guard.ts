/**
 * Decides for all workflows of an organization whether they may continue, so that together they stay within its limits.
 */
import { defineActor } from '#engine/actor/actor.ts'
import { guardAnswered, guardAsked, guardLeft } from '#streams/workflow.ts'
import { decide, leave } from './decide.ts'
import { Guard } from './entity.ts'
import { guardNeeds } from './needs.ts'

export const guardActor = defineActor({
  kind: 'guard',
  entity: Guard,
  address: { orgId: 'orgId', key: 'key' },
  initial: () => ({ grants: [] }),
  needs: guardNeeds,
  reactions: (on) => [
    on(
      guardAsked,
      () => 'all',
      (guard, asked, turn) => {
        const grounds = turn.needs(turn.address.orgId, asked)
        const { answer, grants } = decide(asked, guard.grants, grounds, turn.now)
        guard.grants = grants
        const { cloudAccountId, jobId, n } = asked
        if (answer) turn.emit(guardAnswered, { cloudAccountId, jobId, n, ...answer })
      },
    ),
    on(
      guardLeft,
      () => 'all',
      (guard, left) => {
        guard.grants = leave(guard.grants, left)
      },
      { existing: true },
    ),
  ],
})
