/** Workflows in words. */
import type { Reply } from '../../api.ts'

export type JobSummary = Reply<'GET /remediation-jobs'>['items'][number]
export type WorkflowJob = Reply<'GET /remediation-jobs/:jobID'>
export type WorkflowStep = WorkflowJob['steps'][number]
export type JobStatus = JobSummary['status']
export type PendingApproval = Reply<'GET /workflows/pending-approval'>[number]

export const statuses: readonly JobStatus[] = [
  'awaiting_user',
  'running',
  'pending',
  'succeeded',
  'failed',
  'cancelled',
]

const statusNames: Readonly<Record<JobStatus, string>> = {
  pending: 'pending',
  running: 'running',
  awaiting_user: 'awaiting approval',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'canceled',
}
export const statusName = (status: string): string => statusNames[status as JobStatus] ?? status
export const statusBadge = (status: string): string =>
  ({ awaiting_user: 'warning', succeeded: 'good', failed: 'critical' })[status] ?? ''

export const isLive = (status: JobStatus): boolean => ['pending', 'running', 'awaiting_user'].includes(status)

export const templateText: Readonly<Record<WorkflowJob['template'], string>> = {
  start: 'Starts the resource. No approval is required.',
  stop: 'Stops the resource; data on its disks is kept.',
  resize: 'Resizes the resource; a machine is stopped, resized and started again.',
  set: 'Changes one of its settings.',
  delete: 'Permanently deletes the resource, after taking a snapshot where possible.',
  pause: 'Pauses the resource with a dedicated call.',
  schedule: 'Creates a schedule with your business hours for it.',
  manual: 'Manual: once approved, someone makes the change and reports it within 30 days.',
}

const stepTexts: Readonly<Record<WorkflowStep['kind'], string>> = {
  precondition: 'Checks that it is unchanged since the finding',
  approval: 'An authorized person approves or rejects',
  execute: 'Checks the guardrail, checks the resource again, then changes it',
  pause_service: 'Checks the guardrail, checks the resource again, then pauses it',
  validate: 'Checks the cloud until it shows the expected state',
}
export const stepText = (kind: string): string => stepTexts[kind as WorkflowStep['kind']] ?? kind

const stepStatuses: Readonly<Record<WorkflowStep['status'], string>> = {
  pending: 'pending',
  running: 'running',
  awaiting_user: 'awaiting approval',
  succeeded: 'succeeded',
  failed: 'failed',
  rejected: 'rejected',
  skipped: 'skipped',
}
export const stepStatusName = (status: string): string => stepStatuses[status as WorkflowStep['status']] ?? status
export const stepBadge = (status: string): string =>
  ({ awaiting_user: 'warning', succeeded: 'good', failed: 'critical', rejected: 'critical' })[status] ?? ''

/** What the code of a failure means for who approved it. */
const failures: Readonly<Record<string, string>> = {
  changed_since_approval:
    'The resource changed after the plan was created, so the approved plan no longer applies. No call was made. Start a new workflow and approve the new plan.',
  no_longer_fires: 'The finding no longer exists, so there is nothing to do. No call was made.',
  facts_unavailable: 'The data the rule requires could not be read, so no call was made. Start a new workflow later.',
  unapproved: 'Right before the call, there were too few approvals from current owners or admins. No call was made.',
  unknown_outcome: 'It is unknown whether a call was made. Check the resource before starting a new workflow.',
  protected: 'The resource has a protective tag. No call was made.',
  not_as_planned: 'The cloud did not reach the expected state. Check the resource.',
}
export const failureText = (code: unknown): string => (typeof code === 'string' ? (failures[code] ?? '') : '')

const auditNames: Readonly<Record<string, string>> = {
  created: 'started',
  approved: 'was approved by',
  rejected: 'was rejected by',
  completed: 'succeeded',
  failed: 'failed',
}
export const auditName = (event: string): string => auditNames[event] ?? event
