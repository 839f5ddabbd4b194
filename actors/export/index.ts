import type { Capability } from '#actors/capability.ts'
import { ExportFile } from '#actors/export/entity.ts'
import { retention } from '#actors/export/retention.ts'
import { exportScheduleActor } from '#actors/export/schedule/actor.ts'
import { destinationSealed, ExportSchedule, ExportScheduleState } from '#actors/export/schedule/entity.ts'
import { exportWork } from '#actors/export/schedule/run.ts'

/** Reports as files, kept for a day; and exports to object stores of organizations. */
export const exports: Capability = {
  word: 'export',
  entities: [ExportFile, ExportSchedule, ExportScheduleState],
  actors: [exportScheduleActor],
  jobs: { retention },
  effects: [exportWork],
  sealed: [destinationSealed],
  migrates: true,
}
