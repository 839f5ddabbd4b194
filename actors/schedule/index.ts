import type { Capability } from '#actors/capability.ts'
import { schedulerEventActor } from '#actors/schedule/actor.ts'
import { SchedulerEvent, SchedulerEventLog } from '#actors/schedule/entity.ts'

/** When resources run, and what came of it. */
export const schedule: Capability = {
  word: 'schedule',
  entities: [SchedulerEvent, SchedulerEventLog],
  actors: [schedulerEventActor],
}
