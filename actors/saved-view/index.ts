import type { Capability } from '#actors/capability.ts'
import { ReportSchedule, SavedView } from '#actors/saved-view/entity.ts'
import { mailReports, reportMailWork } from '#actors/saved-view/sending.ts'

/** Views of the console under a name, and mailing them. */
export const savedView: Capability = {
  word: 'saved-view',
  entities: [SavedView, ReportSchedule],
  jobs: { 'report-mailing': mailReports },
  effects: [reportMailWork],
  migrates: true,
}
