import type { Capability } from '#actors/capability.ts'
import { scheduleActor } from '#actors/schedule/actor.ts'
import { Schedule, SchedulerEvent } from '#actors/schedule/entity.ts'
import { schedulerEventActor } from '#actors/schedule/event-actor.ts'

/** When resources run, and what came of it. */
export const schedule: Capability = {
  word: 'schedule',
  entities: [Schedule, SchedulerEvent],
  actors: [scheduleActor, schedulerEventActor],
  migrates: true,
}
