/** Workflows in words. */
import type { Reply } from '../../api.ts'

export type Listed = Reply<'GET /remediation-jobs'>['items'][number]
export type Job = Reply<'GET /remediation-jobs/:jobID'>
export type Step = Job['steps'][number]
export type Status = Listed['status']
export type Pending = Reply<'GET /workflows/pending-approval'>[number]

export const statuses: readonly Status[] = ['awaiting_user', 'running', 'pending', 'succeeded', 'failed', 'cancelled']

const statusNames: Readonly<Record<Status, string>> = {
  pending: 'about to begin',
  running: 'under way',
  awaiting_user: 'waits for approval',
  succeeded: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
}
export const statusName = (status: string): string => statusNames[status as Status] ?? status
export const statusBadge = (status: string): string =>
  ({ awaiting_user: 'warning', succeeded: 'good', failed: 'critical' })[status] ?? ''

export const isLive = (status: Status): boolean => ['pending', 'running', 'awaiting_user'].includes(status)

export const templateText: Readonly<Record<Job['template'], string>> = {
  start: 'It is started. That needs no approval.',
  stop: 'It is stopped; what is on its disks stays.',
  resize: 'Its size is changed; a machine is stopped, resized and started again.',
  set: 'A setting of it is changed.',
  delete: 'It is deleted for good; of what can be kept a snapshot is taken first.',
  pause: 'It is paused by a call of its own.',
  schedule: 'A schedule of your business hours is made for it.',
  manual: 'People do it: once it is approved somebody carries it out and says so, within 30 days.',
}

const stepTexts: Readonly<Record<Step['kind'], string>> = {
  precondition: 'Is it still as it was found?',
  approval: 'Somebody who may says yes or no',
  execute: 'Asks the guard, looks once more, then changes it',
  pause_service: 'Asks the guard, looks once more, then pauses it',
  validate: 'Looks at the cloud until it shows what was to be',
}
export const stepText = (kind: string): string => stepTexts[kind as Step['kind']] ?? kind

const stepStatuses: Readonly<Record<Step['status'], string>> = {
  pending: 'not begun',
  running: 'under way',
  awaiting_user: 'waits for approval',
  succeeded: 'done',
  failed: 'failed',
  rejected: 'rejected',
  skipped: 'skipped',
}
export const stepStatusName = (status: string): string => stepStatuses[status as Step['status']] ?? status
export const stepBadge = (status: string): string =>
  ({ awaiting_user: 'warning', succeeded: 'good', failed: 'critical', rejected: 'critical' })[status] ?? ''

/** What the code of a failure means for who approved it. */
const failures: Readonly<Record<string, string>> = {
  changed_since_approval:
    'The resource was changed after the plan was made, so what was approved is not what would have been done: nothing was called. Begin anew; the new plan is approved as such.',
  no_longer_fires: 'The finding is gone: there is nothing to do any more, and nothing was called.',
  facts_unavailable: 'What the rule reads could not be gathered, so nothing was called. Begin anew later.',
  unapproved:
    'Right before the call there were too few approvals by people who are owners or admins at that moment: nothing was called.',
  unknown_outcome: 'Nobody can tell whether a call was made: look at the resource before anything is begun anew.',
  protected: 'The resource carries a tag that protects it: nothing was called.',
  not_as_planned: 'The cloud did not show what was to be: look at the resource.',
}
export const failureText = (code: unknown): string => (typeof code === 'string' ? (failures[code] ?? '') : '')

const auditNames: Readonly<Record<string, string>> = {
  created: 'began',
  approved: 'was approved by',
  rejected: 'was rejected by',
  completed: 'was done',
  failed: 'failed',
}
export const auditName = (event: string): string => auditNames[event] ?? event
