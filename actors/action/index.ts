import type { Capability } from '#actors/capability.ts'
import { bulkActor } from '#actors/action/bulk.ts'
import { Action, BulkAction, Power } from '#actors/action/entity.ts'
import { executeWork } from '#actors/action/call/execute.ts'
import { lookWork } from '#actors/action/call/look.ts'
import { powerActor } from '#actors/action/power/power.ts'
import { actionActor } from '#actors/action/record.ts'
import { dropActions } from '#actors/action/retention.ts'

/** Starting and stopping resources, by themselves and by groups. */
export const action: Capability = {
  word: 'action',
  entities: [Power, Action, BulkAction],
  actors: [powerActor, actionActor, bulkActor],
  effects: [executeWork, lookWork],
  jobs: { retention: dropActions },
  migrates: true,
}
