/** Steps that wait for an approval. */
import { operationText } from '#actors/workflow/plan/describe.ts'
import { pendingPage, type PendingRow } from '#actors/workflow/row.ts'
import { expiresHoursDefault } from '#actors/workflow/plan/template.ts'
import { hourMs } from '#engine/value/day.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { pageHeaders, paging, slice } from '#http/edge/parameter/paging.ts'
import { route, type Route } from '#http/edge/route.ts'
import { sightOf } from '#http/recommendation/body.ts'
import { reply } from '#http/store/reply.ts'
import { pendingExample } from '#http/workflow/example.ts'
import { estimateOf } from '#http/workflow/plan.ts'

const PendingStep = t.Object(
  {
    jobID: t.String(),
    stepID: t.String({ description: 'ID to approve or reject it; percent-encode its slashes' }),
    stepName: t.String(),
    recommendationID: t.String(),
    resourceUid: t.String(),
    title: t.String({ description: 'title of the recommendation, a full sentence' }),
    operation: t.String({ description: 'what is executed after approval, in order, with its target' }),
    instruction: t.Optional(t.String({ description: 'for template manual: instructions for people' })),
    currentCostUsd: t.Number({ description: 'of the resource, US dollars for 30 days' }),
    savingsUsd: t.Number({ description: 'potential savings from that' }),
    requestedAt: Timestamp,
    expiresAt: t.String({ format: 'date-time', description: 'when the workflow is cancelled' }),
    approvalsGiven: t.Integer({ description: 'number of approvals given' }),
    approvalsNeeded: t.Integer({ description: 'number of different people who must approve' }),
  },
  { title: 'PendingStep', examples: [pendingExample] },
)
export type PendingStep = Static<typeof PendingStep>

function show({ id, recommendation_id, resource_uid, plan, step, given, updated_at }: PendingRow): PendingStep {
  const requestedAt = new Date(step.startedAt ?? updated_at)
  const { costUsd, savingsUsd } = estimateOf(plan)
  return {
    jobID: id,
    stepID: step.id,
    stepName: step.name,
    recommendationID: recommendation_id,
    resourceUid: resource_uid,
    title: plan.title,
    operation: operationText(plan),
    ...(plan.instruction && { instruction: plan.instruction }),
    currentCostUsd: costUsd,
    savingsUsd,
    requestedAt: requestedAt.toISOString(),
    expiresAt: new Date(requestedAt.getTime() + (step.expiresHours ?? expiresHoursDefault) * hourMs).toISOString(),
    approvalsGiven: given,
    approvalsNeeded: step.approvals ?? 1,
  }
}

export const pendingApprovals: readonly Route[] = [
  route({
    method: 'GET',
    path: '/workflows/pending-approval',
    summary: 'List steps waiting for approval, longest waiting first',
    description:
      'One entry per step. Owners and admins approve or reject it. A role that is limited to some accounts or teams only sees the steps of their resources.',
    permission: 'service.view',
    tags: ['Workflows'],
    query: t.Object(paging(20, 100)),
    reply: t.Array(PendingStep),
    handle: async ({ caller, query, url }, { em }) => {
      const { items, total } = await pendingPage(em, caller.orgId, sightOf(caller), slice(query))
      return reply(items.map(show), { headers: pageHeaders(url, total, query) })
    },
  }),
]
