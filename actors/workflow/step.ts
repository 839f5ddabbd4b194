/** From one step to the next. */
import type { WorkflowNeeds } from './needs.ts'
import { hourMs, minuteMs } from '#engine/value/day.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { factsAsked, guardAsked, powerHeld } from '#streams/workflow.ts'
import { succeed, withoutWaiting } from './end.ts'
import type { WorkflowStep, WorkflowJob } from './entity.ts'
import { instructionOf, operationText } from '#actors/workflow/plan/describe.ts'
import { jobOf, mailAdmins, note, publish, remind, setStep, stepOf, write } from './tell.ts'
import { hasBegun } from '#actors/workflow/plan/warrant.ts'

/** Maximum milliseconds until a waiting guard is asked again. */
const askAgainMs = 5 * minuteMs
/** Milliseconds without an answer after which the guard is asked again. */
export const answerMs = minuteMs
/** Collecting facts always answers; this limit is for unexpected cases. */
export const factsMs = 10 * minuteMs

/** Completes the current step, and starts the next. */
export function completeStep(row: WorkflowJob, turn: Turn<WorkflowNeeds>, output: Record<string, unknown> = {}): void {
  const step = stepOf(row)!
  setStep(row, step.id, {
    status: 'succeeded',
    completedAt: turn.now.toISOString(),
    output: { ...withoutWaiting(step), ...output },
  })
  if (step.kind !== 'approval') note(row, step, 'completed', turn)
  proceed(row, turn)
}

/** Starts the next step; after the last one the workflow has succeeded. */
export function proceed(row: WorkflowJob, turn: Turn<WorkflowNeeds>): void {
  const step = row.steps.find(({ status }) => status === 'pending')
  if (!step) return succeed(row, turn)
  row.stepId = step.id
  row.status = step.kind === 'approval' ? 'awaiting_user' : 'running'
  setStep(row, step.id, {
    status: step.kind === 'approval' ? 'awaiting_user' : 'running',
    startedAt: turn.now.toISOString(),
  })
  note(row, step, 'created', turn)
  open(row, step, turn)
}

function open(row: WorkflowJob, step: WorkflowStep, turn: Turn<WorkflowNeeds>): void {
  switch (step.kind) {
    case 'precondition':
      return askHeld(row, turn)
    case 'approval':
      return park(row, step, turn)
    case 'execute':
    case 'pause_service':
      return askGuard(row, step, turn)
    case 'validate':
      return beginLook(row, step, turn)
  }
}

/** Milliseconds before each check; the last value repeats. */
const looksMs = [2000, 5000, 10_000, 20_000, 40_000, 60_000] as const

/** Manual work is reported by people, or by the end of the finding: only the time limit is set. */
function beginLook(row: WorkflowJob, step: WorkflowStep, turn: Turn<WorkflowNeeds>): void {
  remind(row, 'limit', step.timeoutMinutes! * minuteMs, turn)
  row.looks = 0
  if (row.template !== 'manual') lookLater(row, turn)
}

export const lookLater = (row: WorkflowJob, turn: Turn<WorkflowNeeds>): void =>
  remind(row, 'look', looksMs[Math.min(row.looks, looksMs.length - 1)]!, turn)

/** Asks the audit to judge the facts it has, which is answered at once, in the same lane. */
function askHeld(row: WorkflowJob, turn: Turn<WorkflowNeeds>): void {
  row.n += 1
  const { resourceUid, n, plan } = row
  turn.emit(factsAsked, { ...jobOf(row), resourceUid, ruleId: plan.ruleId, n })
  remind(row, 'facts', factsMs, turn)
}

function park(row: WorkflowJob, step: WorkflowStep, turn: Turn<WorkflowNeeds>): void {
  const ms = step.expiresHours! * hourMs
  const expiresAt = new Date(turn.now.getTime() + ms).toISOString()
  setStep(row, step.id, { output: { operation: operationText(row.plan), expiresAt, ...instructionOf(row.plan) } })
  remind(row, 'expires', ms, turn)
  mailAdmins(row, 'remediation.approval_required', step.id, turn)
  publish(row, 'awaiting_user', turn)
}

/** Asks the guard whether it may be done now; asked again if there is no answer. */
export function askGuard(row: WorkflowJob, _: unknown, turn: Turn<WorkflowNeeds>): void {
  row.n += 1
  const { resourceUid, n, template, plan } = row
  turn.emit(guardAsked, {
    ...jobOf(row),
    n,
    resourceUid,
    template,
    approvals: new Set(row.approvals.map(({ userId }) => userId)).size,
    costUsd: Math.max(0, plan.estimate.costUsd),
    windows: plan.windows,
    ...(hasBegun(row) && { hasBegun: true }),
  })
  remind(row, 'guard', answerMs, turn)
}

/** Milliseconds for which nobody else may start or stop a resource between several calls. */
const heldMs = 2 * hourMs

/** While a machine is stopped for its new size, no schedule may start it. */
export function hold(row: WorkflowJob, turn: Turn): void {
  if (row.plan.ops.length < 2 || row.template !== 'resize') return
  row.isHeld = true
  holdOn(row, turn)
}

/** Extends the hold by the same time, from now on. */
function holdOn(row: WorkflowJob, turn: Turn): void {
  const until = new Date(turn.now.getTime() + heldMs).toISOString()
  turn.emit(powerHeld, { ...jobOf(row), resourceUid: row.resourceUid, until })
}

/** Waits; the reason is shown with the step. */
export function wait(
  row: WorkflowJob,
  waiting: { code: string; message: string; retryAt: Date },
  turn: Turn<WorkflowNeeds>,
): void {
  const step = stepOf(row)!
  const { retryAt, ...waitingFor } = waiting
  const isNews = (step.output?.['waitingFor'] as { code?: string } | undefined)?.code !== waiting.code
  setStep(row, step.id, {
    output: { ...step.output, waitingFor: { ...waitingFor, retryAt: retryAt.toISOString() } },
  })
  row.reason = waiting.message
  if (row.isHeld) holdOn(row, turn)
  if (isNews) write(row, 'guard_later', turn, { step, reason: waiting.message })
  // Limits may be lifted at any time.
  remind(row, 'guard', Math.min(askAgainMs, Math.max(1000, retryAt.getTime() - turn.now.getTime())), turn)
}
