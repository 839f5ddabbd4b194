import { Schedule } from '#actors/schedule/entity.ts'
import { fireNeeds } from '#actors/schedule/fire.ts'
import { scheduleMachine } from '#actors/schedule/machine.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { handlerOf } from '#engine/actor/machine.ts'
import { scheduleDue, scheduleRemoved, scheduleSaved } from '#streams/schedule.ts'

const scheduleKey = ({ scheduleId }: { scheduleId: string }) => scheduleId

/** Starts and stops resources at the times of its rules. One reminder is set, for the next of them. */
export const scheduleActor = defineActor({
  kind: 'schedule',
  entity: Schedule,
  address: { orgId: 'orgId', place: 'id', key: 'id' },
  initial: () => ({
    name: '',
    description: null,
    timezone: 'UTC',
    rules: [],
    resourceUids: [],
    resourceGroupIds: [],
    skipDates: [],
    enabled: false,
    revision: 0,
    through: null,
    lastRunAt: null,
    nextRunAt: null,
  }),
  needs: fireNeeds,
  reactions: (on) => [
    on(scheduleSaved, scheduleKey, handlerOf(scheduleMachine, scheduleSaved)),
    on(scheduleRemoved, scheduleKey, handlerOf(scheduleMachine, scheduleRemoved)),
    on(scheduleDue, scheduleKey, handlerOf(scheduleMachine, scheduleDue), { existing: true }),
  ],
})
