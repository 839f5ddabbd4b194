/**
 * Checks that approvers know what they approve: not an older plan, and not one that would be different if it were
 * planned now.
 */
import { changesOf, isDecisive, type PlanPart } from '#actors/workflow/plan/changes.ts'
import { hashOf } from '#actors/workflow/plan/plan.ts'
import { planFor } from '#actors/workflow/plan/preview.ts'
import type { WholeJobRow } from '#actors/workflow/row.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import type { Services } from '#http/edge/services.ts'

const hash = (description: string) => t.Optional(t.String({ pattern: '^[0-9a-f]{64}$', maxLength: 64, description }))

/** What an approval may say about plans, besides its reason. */
export const knownPlans = {
  planHash: hash(
    'of the plan that was read: returns 409 plan_changed if the workflow has another plan, or if a plan made now would differ',
  ),
  changedPlanHash: hash(
    'of the plan that would be made now, as in GET /recommendations/{recID}/workflow, if it differs: approves the workflow with knowledge of the difference',
  ),
}
const PlanHashes = t.Object(knownPlans)
export type PlanHashes = Static<typeof PlanHashes>

/** Names of the parts of a plan. */
const words: Readonly<Record<PlanPart, string>> = {
  template: 'its template',
  subject: 'its recommendation',
  resource: 'the resource',
  operations: 'its steps',
  policies: 'policy additions',
  figures: 'its figures',
}

/** The parts that would differ now; empty if nothing can be planned any more: then the workflow ends by itself. */
async function changedSince({ plan, recommendation_id: id }: WholeJobRow, orgId: string, { em }: Services) {
  const now = await planFor(em, orgId, id).catch((error: unknown) => {
    if (error instanceof Fault && error.kind === 'missing') return undefined
    throw error
  })
  return now && { planHash: hashOf(now.plan), changes: changesOf(plan, now.plan) }
}

/**
 * A step that does not wait for this person is left to its actor, which refuses it or repeats its reply.
 * @throws Fault `conflict` `plan_changed`
 */
export async function checkKnown(
  job: WholeJobRow,
  { stepID, userId, orgId }: { stepID: string; userId: string; orgId: string },
  { planHash, changedPlanHash }: PlanHashes,
  services: Services,
): Promise<void> {
  const step = job.steps.find(({ id }) => id === stepID)
  const hasSaidYes = job.audit.some(
    ({ stepName, eventType, actor }) => stepName === step?.name && eventType === 'approved' && actor === userId,
  )
  // An approval without a plan hash accepts any change; what is executed is checked against the plan all the same.
  if (planHash === undefined && changedPlanHash === undefined) return
  if (step?.status !== 'awaiting_user' || hasSaidYes) return
  if (planHash !== undefined && planHash !== job.plan_hash)
    throw Fault.conflict('plan_changed', 'The plan of the workflow is not the one that was read.', {
      members: { planHash: job.plan_hash },
    })
  const now = await changedSince(job, orgId, services)
  if (!now || changedPlanHash === now.planHash || !now.changes.some(isDecisive)) return
  const what = now.changes.map((part) => words[part]).join(', ')
  throw Fault.conflict(
    'plan_changed',
    `A plan made now would be different (${what}). Nothing was approved. Review it, then reject it, or approve it with its hash as changedPlanHash.`,
    { members: { planHash: job.plan_hash, changedPlanHash: now.planHash, changes: now.changes } },
  )
}
