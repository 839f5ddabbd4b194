import type { Capability } from '#actors/capability.ts'
import { scheduleActor } from '#actors/schedule/actor.ts'
import { Schedule, SchedulerEvent } from '#actors/schedule/entity.ts'
import { schedulerEventActor } from '#actors/schedule/event-actor.ts'
import { overrideActor } from '#actors/schedule/override-actor.ts'
import { Override } from '#actors/schedule/override-entity.ts'

/** Schedules, their events, and overrides. */
export const schedule: Capability = {
  word: 'schedule',
  entities: [Schedule, SchedulerEvent, Override],
  actors: [scheduleActor, schedulerEventActor, overrideActor],
  migrates: true,
}
