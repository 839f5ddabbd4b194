/** Yes and no of people, and what follows from it. */
import type { WorkflowNeeds } from './needs.ts'
import { hourMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { workflowCancelled, workflowDecided, workflowDone } from '#streams/workflow.ts'
import { cancel, isLive, isSettling } from './end.ts'
import type { WorkflowStep, WorkflowJob } from './entity.ts'
import { completeStep } from './step.ts'
import { note, remind, stepOf, system } from './tell.ts'
import { hasBegun } from '#actors/workflow/plan/warrant.ts'

type WorkflowDecision = Static<typeof workflowDecided.schema>

/** @throws Fault `missing` for a workflow there is not */
function checkThere(row: WorkflowJob): void {
  if (row.createdAt.getTime() === 0) throw Fault.missing('workflow', row.id)
}

/** @throws Fault `missing`; conflict `not_awaiting`, `already_approved`; forbidden `four_eyes`, `forbidden` */
export function decide(row: WorkflowJob, decided: WorkflowDecision, turn: Turn<WorkflowNeeds>): void {
  checkThere(row)
  const { verdict, userId, reason = '' } = decided
  const step = findAwaiting(row, decided)
  turn.reply({ jobId: row.id })
  if (verdict === 'reject') return cancel(row, { actor: userId, reason, rejected: step }, turn)
  approve(row, step, { userId, reason }, turn)
}

function findAwaiting(row: WorkflowJob, { stepId, stepName }: WorkflowDecision): WorkflowStep {
  const named = row.steps.filter((step) => (stepId === undefined ? step.name === stepName : step.id === stepId))
  if (named.length === 0) throw Fault.missing('step', stepId ?? stepName ?? '')
  const found = named.find(({ status }) => status === 'awaiting_user')
  if (!found) throw Fault.conflict('not_awaiting', 'The step is not waiting for a decision.')
  return found
}

function approve(
  row: WorkflowJob,
  step: WorkflowStep,
  { userId, reason }: { userId: string; reason: string },
  turn: Turn<WorkflowNeeds>,
): void {
  if (row.plan.fourEyes && userId === row.createdBy)
    throw Fault.forbidden('four_eyes', 'The person who started the workflow cannot approve it. Someone else must.')
  const own = row.approvals.filter(({ stepId }) => stepId === step.id)
  if (own.some((approval) => approval.userId === userId))
    throw Fault.conflict('already_approved', 'You have already approved this step. Another person must approve it too.')
  const { planHash } = row
  row.approvals = [...row.approvals, { stepId: step.id, userId, at: turn.now.toISOString(), planHash }]
  note(row, step, 'approved', turn, { actor: userId, ...(reason !== '' && { reason }) })
  if (own.length + 1 < (step.approvals ?? 1)) return
  completeStep(row, turn)
  expireLater(row, turn)
}

/** An approval is good for as long as it was waited for: so long everything else may take to let it go on. The oldest counts. */
function expireLater(row: WorkflowJob, turn: Turn<WorkflowNeeds>): void {
  if (row.status !== 'running') return
  const ends = row.approvals.map(({ stepId, at }) => {
    const hours = row.steps.find(({ id }) => id === stepId)?.expiresHours ?? 1
    return Date.parse(at) + hours * hourMs
  })
  remind(row, 'expires', Math.max(0, Math.min(...ends) - turn.now.getTime()), turn)
}

/** @throws Fault `missing`; conflict `invalid_transition` for one that is over */
export function stop(
  row: WorkflowJob,
  { userId, reason = '', isTold = false }: Static<typeof workflowCancelled.schema>,
  turn: Turn<WorkflowNeeds>,
): void {
  checkThere(row)
  turn.reply({ jobId: row.id })
  if (isLive(row) && !isSettling(row)) return cancel(row, { actor: userId || system, reason }, turn)
  if (!isTold)
    throw Fault.conflict('invalid_transition', `The workflow is already ${isSettling(row) ? 'done' : row.status}.`)
}

/** People have done what it asked for. Before it was approved they have done it on their own: it is over all the same. */
export function completeManually(
  row: WorkflowJob,
  { how, userId }: Static<typeof workflowDone.schema>,
  turn: Turn<WorkflowNeeds>,
): void {
  const step = stepOf(row)
  if (!isLive(row) || !step || row.template !== 'manual') return
  if (step.kind === 'validate') return completeStep(row, turn, { how, ...(userId !== '' && { by: userId }) })
  cancel(
    row,
    { actor: userId || system, reason: `The recommendation was ${how} before the workflow was approved.` },
    turn,
  )
}

/** Nobody has decided in time, or what was approved could not be begun in time. What is being called is waited for. */
export function expire(row: WorkflowJob, turn: Turn<WorkflowNeeds>): void {
  if (!isLive(row) || isSettling(row) || hasBegun(row)) return
  if (row.undo || row.ops.some(({ state }) => state === 'running')) return remind(row, 'expires', hourMs, turn)
  const step = stepOf(row)
  if (row.template === 'manual' && step?.kind === 'validate') return
  const reason = row.status === 'awaiting_user' ? 'The step was not approved in time.' : 'The approval has expired.'
  cancel(row, { actor: system, reason }, turn)
}
