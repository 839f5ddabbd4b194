import { defineActor } from '#engine/actor/actor.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  planCalledBack,
  planReported,
  readinessCommanded,
  readinessDue,
  readinessSaved,
  readinessScheduled,
  type PlanVerb,
} from '#streams/readiness.ts'
import { checkThere, save, schedule } from './schedule.ts'
import { cancel, redraft, remove } from './end.ts'
import { ReadinessPlan } from './entity.ts'
import { callBack, report } from './reports.ts'
import { readinessNeeds } from './needs.ts'
import { planOf } from './tell.ts'
import { due } from './scale-up-down.ts'

const ofPlan = ({ planId }: { planId: string }): string => planId

const commands: Readonly<Record<PlanVerb, (row: ReadinessPlan, userId: string, turn: Turn) => void>> = {
  cancel: (row, userId, turn) => cancel(row, userId, turn),
  delete: remove,
  draft: (row, userId, turn) => redraft(row, 'failed', userId, turn),
  reopen: (row, userId, turn) => redraft(row, 'completed', userId, turn),
}

function command(row: ReadinessPlan, { verb, userId }: Static<typeof readinessCommanded.schema>, turn: Turn): void {
  checkThere(row)
  turn.reply(planOf(row))
  commands[verb](row, userId, turn)
}

/** Capacity that is scaled up before a known event, held through it, and restored (decision G-82). */
export const readinessActor = defineActor({
  kind: 'readiness',
  entity: ReadinessPlan,
  address: { orgId: 'orgId', key: 'id' },
  initial: () => ({
    name: '',
    description: null,
    eventStart: new Date(0),
    eventEnd: new Date(0),
    preScaleMinutes: 0,
    postEventMinutes: 0,
    expectedMultiplier: 1,
    timezone: 'UTC',
    status: 'draft' as const,
    reason: '',
    targets: [],
    owed: [],
    revision: 0,
    logged: 0,
    createdBy: '',
    createdAt: new Date(0),
    updatedAt: new Date(0),
    deletedAt: null,
  }),
  needs: readinessNeeds,
  reactions: (on) => [
    on(readinessSaved, ofPlan, save, { barrier: true }),
    on(readinessScheduled, ofPlan, schedule, { barrier: true }),
    on(readinessCommanded, ofPlan, command),
    on(planReported, ofPlan, report, { existing: true }),
    on(planCalledBack, ofPlan, callBack),
    on(readinessDue, ofPlan, due, { existing: true }),
  ],
})
