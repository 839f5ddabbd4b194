import type { Capability } from '#actors/capability.ts'
import { ReportSchedule, SavedView } from '#actors/saved-view/entity.ts'
import { mailReports, reportMailWork } from '#actors/saved-view/sending.ts'

/** Saved views of the console, and their scheduled mails. */
export const savedView: Capability = {
  word: 'saved-view',
  entities: [SavedView, ReportSchedule],
  jobs: { 'report-mailing': mailReports },
  effects: [reportMailWork],
  migrates: true,
}
