/**
 * Operations that an executor outside this process makes (decision G-21): ordered by the effect once it has checked the
 * approvals, reported by the executor.
 */
import type { Op, WorkflowJob } from '#actors/workflow/entity.ts'
import { hourMs } from '#engine/value/day.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { Static } from '#engine/value/schema.ts'
import { execIntent, intentIdOf, intentKinds, type execResult } from '#streams/action/exec.ts'
import type { OperationReport } from '#streams/workflow.ts'
import type { WorkflowNeeds } from '#actors/workflow/needs.ts'
import { jobOf, remind } from '#actors/workflow/tell.ts'
import type { WorkflowCallTools } from './call.ts'
import type { CallInput } from './effect.ts'
import type { WarrantRow } from '#actors/workflow/plan/warrant.ts'

/** Milliseconds within which an executor must take an order up. */
const pickUpMs = hourMs

const intentOf = (jobId: string, index: number, tries: number, resourceUid: string): string =>
  intentIdOf(`${jobId}/${index}/${tries}`, resourceUid)

/** Puts the operation on the stream; a repeat has the same id. Resolves once it is durable. */
export async function orderOperation(
  { publisher, now }: Pick<WorkflowCallTools, 'publisher' | 'now'>,
  { jobId, cloudAccountId, index, tries }: CallInput,
  { plan }: WarrantRow,
  { orgId }: EffectCall,
): Promise<void> {
  const { kind, size, specs } = plan.ops[index]!
  const { uid: resourceUid } = plan.resource
  const intentId = intentOf(jobId, index, tries, resourceUid)
  await publisher.post(execIntent, orgId, intentId, {
    intentId,
    kind: intentKinds.find((one) => one === kind)!,
    cloudAccountId,
    resourceUid,
    params: { ...(size !== undefined && { size }), ...(specs && { specs }) },
    source: { type: 'workflow', id: jobId },
    revision: tries,
    dueAt: now().toISOString(),
    attempt: tries,
  })
}

/** The order is on the stream. An executor may have been faster than this message. */
export function awaitPickUp(row: WorkflowJob, { order }: Op, turn: Turn<WorkflowNeeds>): Pick<Op, 'order'> {
  if (order === undefined) remind(row, 'limit', pickUpMs, turn)
  return { order: order ?? 'sent' }
}

/** What the executor reports about the operation in progress; undefined if it is about another one or an earlier try. */
export function takeUp(
  row: WorkflowJob,
  { intentId, status, retryable, errorMessage }: Static<typeof execResult.schema>,
): OperationReport | undefined {
  const at = row.ops.findIndex(
    ({ state, tries }, index) => state === 'running' && intentId === intentOf(row.id, index, tries, row.resourceUid),
  )
  if (at === -1) return undefined
  row.ops = row.ops.map((op, index) => (index === at ? { ...op, order: 'taken' } : op))
  return {
    ...jobOf(row),
    call: row.ops[at]!.call,
    status: status === 'accepted' ? 'running' : status,
    ...(retryable !== undefined && { retryable }),
    ...(errorMessage !== undefined && { errorMessage: errorMessage.slice(0, 2000) }),
  }
}

/** Why an order is given up; undefined for calls of this process. */
export const lateOrder = ({ order }: Op): string | undefined =>
  order &&
  {
    sent: 'No executor picked the call up within an hour.',
    taken: 'The executor accepted the call but did not report its end within 15 minutes.',
  }[order]
