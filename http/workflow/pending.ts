/** What waits for somebody who approves it. */
import { operationText } from '#actors/workflow/describe.ts'
import { pendingPage, type PendingRow } from '#actors/workflow/row.ts'
import { expiresHoursDefault } from '#actors/workflow/template.ts'
import { t, type Static } from '#engine/schema.ts'
import { Timestamp } from '#http/edge/field.ts'
import { pageHeaders, paging, slice } from '#http/edge/paging.ts'
import { route, type Route } from '#http/edge/route.ts'
import { sightOf } from '#http/recommendation/body.ts'
import { reply } from '#http/store/reply.ts'
import { pendingExample } from '#http/workflow/example.ts'
import { estimateOf } from '#http/workflow/plan.ts'

const PendingStep = t.Object(
  {
    jobID: t.String(),
    stepID: t.String({ description: 'what it is approved or rejected by; percent-encode its slashes' }),
    stepName: t.String(),
    recommendationID: t.String(),
    resourceUid: t.String(),
    title: t.String({ description: 'of the recommendation, a whole sentence' }),
    operation: t.String({ description: 'what is done once it is approved, in which order, and to what' }),
    instruction: t.Optional(t.String({ description: 'of template manual: what people have to do then' })),
    currentCostUsd: t.Number({ description: 'of the resource, US dollars for 30 days' }),
    savingsUsd: t.Number({ description: 'what it would save of that' }),
    requestedAt: Timestamp,
    expiresAt: t.String({ format: 'date-time', description: 'then the workflow is cancelled' }),
    approvalsGiven: t.Integer({ description: 'people who have said yes' }),
    approvalsNeeded: t.Integer({ description: 'different people who have to' }),
  },
  { title: 'PendingStep', examples: [pendingExample] },
)

const hourMs = 3_600_000

function show({
  id,
  recommendation_id,
  resource_uid,
  plan,
  step,
  given,
  updated_at,
}: PendingRow): Static<typeof PendingStep> {
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
    summary: 'What waits for somebody who approves it, the longest waiting first',
    description:
      'One entry a step. Owners and admins approve or reject it. A role that sees some accounts and teams sees the steps of their resources alone.',
    permission: 'service.view',
    tags: ['Workflows'],
    query: t.Object(paging(20, 100)),
    reply: t.Array(PendingStep),
    headers: { 'X-Total-Count': 'how many steps wait', Link: 'the next and the previous page' },
    handle: async ({ caller, query, url }, { em }) => {
      const { items, total } = await pendingPage(em, caller.orgId, sightOf(caller), slice(query))
      return reply(items.map(show), { headers: pageHeaders(url, total, query) })
    },
  }),
]
