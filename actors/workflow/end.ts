/** How workflows end. Nothing is undone except as the plan says; steps that were not started are skipped. */
import type { WorkflowNeeds } from './needs.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  guardLeft,
  type liveStatuses,
  powerFreed,
  workflowDue,
  type MailTemplate,
  type WorkflowStatus,
} from '#streams/workflow.ts'
import type { WorkflowStep, WorkflowJob } from './entity.ts'
import { jobOf, mailAdmins, note, publish, setStep, stepOf, tellRecommendation, write } from './tell.ts'

const reminders = ['expires', 'guard', 'facts', 'retry', 'look', 'limit'] as const

type EndedStatus = Exclude<WorkflowStatus, (typeof liveStatuses)[number]>

const mails: Readonly<Record<EndedStatus, MailTemplate>> = {
  succeeded: 'remediation.succeeded',
  failed: 'remediation.failed',
  cancelled: 'remediation.cancelled',
}

function end(
  row: WorkflowJob,
  status: EndedStatus,
  turn: Turn<WorkflowNeeds>,
  said: { actor?: string; reason?: string } = {},
): void {
  for (const name of reminders) turn.forget(name)
  for (const { id, status: is } of row.steps)
    if (is === 'pending' || is === 'awaiting_user') setStep(row, id, { status: 'skipped' })
  Object.assign(row, { status, stepId: null, completedAt: turn.now, reason: said.reason ?? '' })
  free(row, turn)
  leaveGuard(row, turn)
  write(row, status, turn, said)
  if (status !== 'succeeded') tellRecommendation(row, status, turn)
  mailAdmins(row, mails[status], status, turn)
  publish(row, status, turn)
}

/** Also withdraws the newest question: a grant that arrives later would make others wait for weeks. */
function leaveGuard(row: WorkflowJob, turn: Turn): void {
  const hasAsked = row.steps.some((step) => isGate(step) && step.startedAt !== undefined)
  if (hasAsked) turn.emit(guardLeft, { ...jobOf(row), n: row.n })
}

/** A step that makes calls. */
export const isGate = ({ kind }: WorkflowStep): boolean => kind === 'execute' || kind === 'pause_service'

/** Releases the resource, so that others may start and stop it again. */
export function free(row: WorkflowJob, turn: Turn): void {
  if (!row.isHeld) return
  row.isHeld = false
  turn.emit(powerFreed, { ...jobOf(row), resourceUid: row.resourceUid })
}

/** All is done. The recommendation is notified first, so that anyone who sees the success finds it applied. */
export function succeed(row: WorkflowJob, turn: Turn<WorkflowNeeds>): void {
  for (const name of reminders) turn.forget(name)
  row.stepId = null
  tellRecommendation(row, 'succeeded', turn)
  turn.emit(workflowDue, { ...jobOf(row), what: 'settled' })
}

export const settle = (row: WorkflowJob, _: unknown, turn: Turn<WorkflowNeeds>): void => end(row, 'succeeded', turn)

/** The current step fails, and with it the workflow. `code` is for programs, `message` for people. */
export function fail(row: WorkflowJob, code: string, message: string, turn: Turn<WorkflowNeeds>): void {
  const step = stepOf(row)
  if (step) {
    setStep(row, step.id, {
      status: 'failed',
      completedAt: turn.now.toISOString(),
      errorMessage: message,
      output: { ...withoutWaiting(step), code },
    })
    note(row, step, 'failed', turn, { reason: message })
  }
  end(row, 'failed', turn, { reason: message })
}

export function withoutWaiting({ output = {} }: WorkflowStep): Record<string, unknown> {
  const { waitingFor: _, ...others } = output
  return others
}

/** A step that has made calls counts as failed; their results are in its output. */
function leaveStep(row: WorkflowJob, step: WorkflowStep, cancelledBy: string, turn: Turn<WorkflowNeeds>): void {
  const isCalled = isGate(step) && row.ops.some(({ tries }) => tries > 0)
  setStep(row, step.id, {
    status: isCalled ? 'failed' : 'skipped',
    completedAt: turn.now.toISOString(),
    ...(isCalled && { errorMessage: 'Cancelled after its first call. See the output.' }),
    output: { ...withoutWaiting(step), cancelledBy },
  })
  if (isCalled) note(row, step, 'failed', turn, { actor: cancelledBy, reason: 'Cancelled.' })
}

interface Cancellation {
  actor: string
  reason: string
  /** The rejected step. */
  rejected?: WorkflowStep
}

/** A call in progress is not undone; its result is still recorded. */
export function cancel(row: WorkflowJob, { actor, reason, rejected }: Cancellation, turn: Turn<WorkflowNeeds>): void {
  const step = stepOf(row)
  if (rejected) {
    setStep(row, rejected.id, { status: 'rejected', completedAt: turn.now.toISOString() })
    note(row, rejected, 'rejected', turn, { actor, ...(reason !== '' && { reason }) })
  } else if (step) {
    leaveStep(row, step, actor, turn)
  }
  end(row, 'cancelled', turn, { actor, reason })
}
