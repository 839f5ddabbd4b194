/** How a recommendation and the workflow that executes it affect each other. Both are in the same lane. */
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { RecommendationStatus } from '#streams/recommendation.ts'
import { workflowCancelled, workflowDone, type workflowTold } from '#streams/workflow.ts'
import type { Recommendation, RecommendedJob } from '#actors/recommendation/entity.ts'

type WorkflowUpdate = Static<typeof workflowTold.schema>

/**
 * Takes an update of the workflow; returns whether the workflow has succeeded. A workflow that starts for a
 * recommendation that is no longer open is cancelled.
 */
export function heardOf(row: Recommendation, { jobId, state, template, n }: WorkflowUpdate, turn: Turn): boolean {
  const known = row.job?.id === jobId ? row.job : undefined
  if (known ? known.isOver || n <= known.n : liveJob(row) !== undefined) return false
  if (state === 'begun' && row.status !== 'open') cancel(turn, jobId, '', `The recommendation is now ${row.status}.`)
  row.job = {
    id: jobId,
    n,
    isOver: state !== 'begun' && state !== 'executing',
    isExecuting: state === 'executing' || (known?.isExecuting ?? false),
    isManual: template === 'manual',
  }
  return state === 'succeeded'
}

/** The workflow in progress. */
const liveJob = ({ job }: Pick<Recommendation, 'job'>): RecommendedJob | undefined =>
  job && !job.isOver ? job : undefined

/** A person's decision: cancels a workflow that has not requested a call yet. @throws Fault `conflict` `job_active` */
export function leaveWorkflow(row: Recommendation, status: RecommendationStatus, userId: string, turn: Turn): void {
  const job = liveJob(row)
  if (!job) return
  if (status === 'applied' && job.isManual) return finish(turn, job.id, 'applied', userId)
  if (status === 'dismissed' && !job.isExecuting)
    return cancel(turn, job.id, userId, 'The recommendation was dismissed.')
  throw Fault.conflict('job_active', 'A workflow for this recommendation is in progress.')
}

/**
 * The finding has ended. For a manual workflow that means that people have made the change. A workflow that executes a
 * call continues.
 */
export function closeWorkflow(row: Recommendation, status: RecommendationStatus, turn: Turn): void {
  const job = liveJob(row)
  if (!job || job.isExecuting) return
  if (job.isManual && status === 'optimised') finish(turn, job.id, 'cleared', '')
  else cancel(turn, job.id, '', `The recommendation is now ${status}.`)
}

function finish(turn: Turn, jobId: string, how: 'applied' | 'cleared', userId: string): void {
  turn.emit(workflowDone, { cloudAccountId: turn.address.place, jobId, how, userId })
}

function cancel(turn: Turn, jobId: string, userId: string, reason: string): void {
  turn.emit(workflowCancelled, { cloudAccountId: turn.address.place, jobId, userId, reason, isTold: true })
}
