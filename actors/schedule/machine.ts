/** Whether a schedule is enabled, and what each message does in each case. */
import type { Schedule } from '#actors/schedule/entity.ts'
import type { Accounts } from '#actors/schedule/fire.ts'
import { change, create, fire, remove } from '#actors/schedule/reactions.ts'
import { input, type Machine } from '#engine/actor/machine.ts'
import { Fault } from '#engine/value/fault.ts'
import { scheduleDue, scheduleRemoved, scheduleSaved } from '#streams/schedule.ts'

const inputs = {
  created: input(scheduleSaved, 'created', ({ isNew }) => isNew),
  changed: input(scheduleSaved, 'changed'),
  removed: input(scheduleRemoved, 'deleted'),
  due: input(scheduleDue, 'a run is due'),
}

const refuseSecond = {
  handle: () => {
    throw Fault.conflict('already_exists', 'A schedule with this ID already exists.')
  },
}
const refuseMissing = {
  handle: (_: Schedule, { scheduleId }: { scheduleId: string }) => {
    throw Fault.missing('schedule', scheduleId)
  },
}
const deletion = { handle: remove, next: ['absent'] } as const

export const scheduleMachine: Machine<Schedule, Accounts, 'absent' | 'disabled' | 'enabled', typeof inputs> = {
  name: 'schedule',
  states: { absent: '', disabled: 'Disabled', enabled: 'Enabled' },
  stateOf: ({ revision, enabled }) => (revision === 0 ? 'absent' : enabled ? 'enabled' : 'disabled'),
  inputs,
  transitions: {
    absent: {
      created: { handle: create, next: ['disabled', 'enabled'] },
      changed: refuseMissing,
      removed: refuseMissing,
    },
    disabled: {
      created: refuseSecond,
      changed: { handle: change, next: ['enabled'] },
      removed: deletion,
    },
    enabled: {
      created: refuseSecond,
      changed: { handle: change, next: ['disabled'] },
      removed: deletion,
      due: { handle: fire },
    },
  },
}
