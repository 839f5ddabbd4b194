import type { Capability } from '#actors/capability.ts'
import { Dashboard } from '#actors/saved-view/dashboard/entity.ts'
import { ReportSchedule, SavedView } from '#actors/saved-view/entity.ts'
import { mailReports, reportMailWork } from '#actors/saved-view/sending.ts'

/** Saved views of the console, dashboards of them, and their scheduled mails. */
export const savedView: Capability = {
  word: 'saved-view',
  entities: [SavedView, Dashboard, ReportSchedule],
  jobs: { 'report-mailing': mailReports },
  effects: [reportMailWork],
  migrates: true,
}
