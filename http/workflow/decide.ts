/** Decisions about a workflow in progress: approving or rejecting a step, or cancelling it. */
import type { WholeJobRow } from '#actors/workflow/row.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { JobView, showJob } from '#http/workflow/body.ts'
import { jobExample } from '#http/workflow/example.ts'
import { checkKnown, knownPlans, type PlanHashes } from '#http/workflow/plan-check.ts'
import { families, jobParams, jobSeen, tagOf, type Family } from '#http/workflow/job.ts'
import { askerOf, recordWorkflow, type WorkflowRequester } from '#http/workflow/record.ts'
import { text } from '#streams/text.ts'
import { workflowCancelled, workflowDecided } from '#streams/workflow.ts'

const reasonOf = (example: string) =>
  t.Object(
    {
      reason: t.Optional(
        text({
          maxLength: 1000,
          description: 'reason, kept in the audit; when cancelling, the reason of the workflow',
        }),
      ),
    },
    { examples: [{ reason: example }] },
  )
type Body = Static<ReturnType<typeof reasonOf>>

const approvalOf = (example: string) =>
  t.Object(
    { ...reasonOf(example).properties, ...knownPlans },
    { examples: [{ reason: example, planHash: jobExample.planHash }] },
  )

const verdicts = ['approve', 'reject'] as const
type Verdict = (typeof verdicts)[number]

/** The audit details of every decision. */
const detailOf = (job: WholeJobRow) => ({
  jobID: job.id,
  recommendationID: job.recommendation_id,
  resourceUID: job.resource_uid,
  cloudAccountID: job.cloud_account_id,
})

const toReason = ({ reason }: Body) => ({ ...(reason && { reason }) })

/** A step by its id or name. */
type StepAddress = { stepId: string } | { stepName: string }

/** @throws Fault `missing` */
function stepOf(job: WholeJobRow, by: StepAddress): string {
  const step = job.steps.find(({ id, name }) => ('stepId' in by ? id === by.stepId : name === by.stepName))
  if (!step) throw Fault.missing('step', 'stepId' in by ? by.stepId : by.stepName)
  return step.id
}

async function decideStep(
  { caller, client, body }: WorkflowRequester & { body: Body & PlanHashes },
  jobID: string,
  by: StepAddress,
  verdict: Verdict,
  services: Services,
): Promise<JobView> {
  const job = await jobSeen(caller, jobID, services)
  const stepID = stepOf(job, by)
  if (verdict === 'approve')
    await checkKnown(job, { stepID, userId: askerOf(caller), orgId: caller.orgId }, body, services)
  const at = { cloudAccountId: job.cloud_account_id, jobId: job.id, ...by }
  await services.ask(workflowDecided, { ...at, verdict, userId: askerOf(caller), ...toReason(body) })
  const type = verdict === 'approve' ? 'workflow_approved' : 'workflow_rejected'
  await recordWorkflow({ caller, client }, services, type, { ...detailOf(job), stepID })
  return showJob(caller.orgId, await jobSeen(caller, jobID, services))
}

async function cancelJob(
  { caller, client, params, body }: Request<{ jobID: string }, unknown, Body>,
  services: Services,
): Promise<JobView> {
  const job = await jobSeen(caller, params.jobID, services)
  const at = { cloudAccountId: job.cloud_account_id, jobId: job.id }
  await services.ask(workflowCancelled, { ...at, userId: askerOf(caller), ...toReason(body) })
  await recordWorkflow({ caller, client }, services, 'workflow_cancelled', detailOf(job))
  return showJob(caller.orgId, await jobSeen(caller, params.jobID, services))
}

const verdictTexts: Readonly<Record<Verdict, { summary: string; description: string; example: string }>> = {
  approve: {
    summary: 'Approve a waiting step: the workflow continues',
    description:
      'For owners and admins, including personal access tokens whose user is one now. The approval applies to the current ' +
      'plan; nothing else is executed. If several approvals are required, the workflow continues with the last one: 409 ' +
      'already_approved for a second approval by the same person. Returns 403 four_eyes if a policy requires an approver ' +
      'other than the person who started it. With planHash, the plan that was read: returns 409 plan_changed if a plan made ' +
      'now would differ in more than figures, unless changedPlanHash names that plan; its changes list the differences.',
    example: 'Agreed with the team of the shop.',
  },
  reject: {
    summary: 'Reject a waiting step: the workflow is cancelled',
    description: 'For owners and admins. Nothing more is executed; completed steps are not undone.',
    example: 'It is needed in February.',
  },
}

const stepNeeded = 'Returns 404 if the step does not exist, and 409 not_awaiting if it is not waiting.'

const decisionsOf = (family: Family, verdict: Verdict): readonly Route[] => {
  const { summary, description, example } = verdictTexts[verdict]
  const refuses = {
    403: ['four_eyes'],
    409: ['already_approved', 'invalid_transition', 'not_awaiting', 'plan_changed'],
  }
  const fixed = { method: 'POST', permission: 'admin', tags: tagOf(family), summary, reply: JobView, refuses } as const
  const body = verdict === 'approve' ? approvalOf(example) : reasonOf(example)
  return [
    route({
      ...fixed,
      path: `${family}/:jobID/steps-by-id/:stepID/${verdict}`,
      description: `${description} ${stepNeeded} Percent-encode the slashes of the ID: stop%2Fapprove%2F1.`,
      params: t.Object({
        ...jobParams,
        stepID: t.String({ description: "as in the workflow's steps", examples: ['stop%2Fapprove%2F1'] }),
      }),
      body,
      handle: (request, services) =>
        decideStep(request, request.params.jobID, { stepId: request.params.stepID }, verdict, services),
    }),
    route({
      ...fixed,
      path: `${family}/:jobID/steps/:stepName/${verdict}`,
      description: `${description} ${stepNeeded} Deprecated: use the ID of the step, which never changes.`,
      deprecated: { since: '2026-01-01', sunset: '2028-01-01T00:00:00Z', link: '/docs' },
      params: t.Object({
        ...jobParams,
        stepName: t.String({ description: "as in the workflow's steps", examples: ['approval'] }),
      }),
      body,
      handle: (request, services) =>
        decideStep(request, request.params.jobID, { stepName: request.params.stepName }, verdict, services),
    }),
  ]
}

const cancelOf = (family: Family): Route =>
  route({
    method: 'POST',
    path: `${family}/:jobID/cancel`,
    tags: tagOf(family),
    summary: 'Cancel a workflow; completed steps are not undone',
    description:
      'Steps that have not started are skipped; a call in progress is not revoked. Returns 409 invalid_transition if it has ended.',
    permission: 'service.update',
    params: t.Object(jobParams),
    body: reasonOf('Not this month.'),
    refuses: { 409: ['invalid_transition'] },
    reply: JobView,
    handle: cancelJob,
  })

const ofFamily = (family: Family): readonly Route[] => [
  cancelOf(family),
  ...verdicts.flatMap((verdict) => decisionsOf(family, verdict)),
]

export const [workflowDecisions, remediationDecisions] = families.map(ofFamily) as [readonly Route[], readonly Route[]]
