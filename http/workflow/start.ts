/** Previewing and starting the workflow of a recommendation. */
import { setTimeout as sleep } from 'node:timers/promises'
import { operationText } from '#actors/workflow/plan/describe.ts'
import { changesOf, planParts } from '#actors/workflow/plan/changes.ts'
import { hashOf } from '#actors/workflow/plan/plan.ts'
import { planFor } from '#actors/workflow/plan/preview.ts'
import { begunSince, livePlanOf, statusOf } from '#actors/workflow/row.ts'
import type { DetailRow } from '#actors/recommendation/row.ts'
import { minuteMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { one } from '#http/recommendation/body.ts'
import { recommendationSeen } from '#http/recommendation/detail.ts'
import { reply } from '#http/store/reply.ts'
import { stepBasics, stepRecord } from '#http/workflow/body.ts'
import { exampleIds, previewExample } from '#http/workflow/example.ts'
import { showSight, SightShown } from '#http/workflow/plan.ts'
import { askerOf, recordWorkflow, type WorkflowRequester } from '#http/workflow/record.ts'
import { templateNames, workflowWanted, type SubjectType } from '#streams/workflow.ts'

/**
 * Maximum milliseconds that a response waits until the workflow waits for people or has ended. Below: the interval of
 * checks.
 */
const patienceMs = 3_000
const pollMs = 50

const Preview = t.Object(
  {
    recommendationID: t.String(),
    template: t.Enum(templateNames),
    templateRevision: t.Integer(),
    operation: t.String({ description: 'what would be executed, in order, with its target' }),
    steps: t.Array(t.Object(stepRecord, { title: 'PlannedStep' })),
    targetSpec: t.Optional(
      t.Record(t.String(), t.Unknown(), {
        description: 'the target specification; absent if there is nothing to set',
      }),
    ),
    planHash: t.String({
      description:
        'SHA-256 of the plan as of now; if a running workflow has a different one, something has changed since',
    }),
    was: t.Optional(SightShown),
    approvalRequired: t.Boolean({ description: 'whether it would wait for approval' }),
    underWay: t.Optional(
      t.Object(
        {
          jobID: t.String(),
          planHash: t.String(),
          changes: t.Array(t.Enum(planParts), {
            description:
              'what would differ in its plan by now; none: unchanged. Differences in figures alone do not prevent approval',
          }),
        },
        { description: 'the running workflow of the recommendation, if any' },
      ),
    ),
  },
  { title: 'WorkflowPreview', examples: [previewExample] },
)

const StartReply = t.Object({ jobID: t.String() }, { examples: [{ jobID: exampleIds.job }] })

const readReply = actorReply(t.Object({ jobId: t.String() }))

interface Subject {
  type: SubjectType
  id: string
}

/** Returns the id of the workflow, once it waits for people or has ended, or after three seconds. */
export async function startWorkflow(
  request: WorkflowRequester,
  { id: recommendationId, cloud_account_id: cloudAccountId, resource_uid: resourceUid, rule_id: ruleID }: DetailRow,
  subject: Subject,
  services: Services,
): Promise<string> {
  const { caller } = request
  await checkPace(services, caller.orgId, askerOf(caller))
  const about = { cloudAccountId, recommendationId, subjectType: subject.type, subjectId: subject.id }
  const wanted = { ...about, jobId: services.newId(), userId: askerOf(caller) }
  const { jobId } = readReply(await services.ask(workflowWanted, wanted))
  const detail = { jobID: jobId, recommendationID: recommendationId, ruleID, resourceUID: resourceUid }
  await recordWorkflow(request, services, 'workflow_started', { ...detail, cloudAccountID: cloudAccountId })
  await waitUntilParked(services, caller.orgId, jobId)
  return jobId
}

/** Maximum workflows that one person starts within a minute. */
const perMinute = 20

/** @throws Fault `rate_limited` */
async function checkPace({ em, now }: Services, orgId: string, userId: string): Promise<void> {
  const since = new Date(now().getTime() - minuteMs)
  const begun = await begunSince(em, orgId, userId, since)
  if (begun.length < perMinute) return
  const retryAfter = Math.max(1, Math.ceil((begun[0]!.getTime() - since.getTime()) / 1000))
  throw Fault.invalid('rate_limited', `A user can start at most ${perMinute} workflows per minute.`, { retryAfter })
}

/** Resolves once the workflow waits for people or has ended, or the time is over. */
async function waitUntilParked({ em }: Services, orgId: string, id: string): Promise<void> {
  const until = performance.now() + patienceMs
  for (;;) {
    const status = await statusOf(em, orgId, id)
    const isUnderway = status === undefined || status === 'pending' || status === 'running'
    if (!isUnderway || performance.now() >= until) return
    await sleep(pollMs)
  }
}

const routeBase = { path: '/recommendations/:recID/workflow', tags: ['Workflows'], params: one } as const

export const workflowStarts: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    summary: 'Preview the workflow of a recommendation step by step; nothing is started or stored',
    description: 'Based on the current recommendation, resource and policies. No cloud is queried.',
    permission: 'service.view',
    reply: Preview,
    handle: async ({ caller, params: { recID } }, services) => {
      await recommendationSeen(caller, recID, services)
      const { plan, steps } = await planFor(services.em, caller.orgId, recID)
      const live = await livePlanOf(services.em, caller.orgId, recID)
      return {
        recommendationID: recID,
        template: plan.template,
        templateRevision: plan.templateRevision,
        operation: operationText(plan),
        steps: steps.map(stepBasics),
        ...(plan.targetSpec && { targetSpec: plan.targetSpec }),
        ...(plan.was && { was: showSight(plan.was) }),
        planHash: hashOf(plan),
        approvalRequired: steps.some(({ kind }) => kind === 'approval'),
        ...(live && {
          underWay: { jobID: live.id, planHash: live.planHash, changes: changesOf(live.plan, plan) },
        }),
      }
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    summary: 'Start a workflow for a recommendation',
    description:
      'Responds once the workflow is waiting for approval or has ended, after at most three seconds. Everything except a ' +
      'start requires approval. Returns 409 job_active if a workflow of this recommendation is running, 409 ' +
      'invalid_transition if it is not open, 422 limit_reached if 1,000 workflows of the organization are running, and 422 ' +
      'capability_missing if the account is not connected.',
    permission: 'service.create',
    status: 202,
    headers: { Location: 'URL of the new workflow' },
    reply: StartReply,
    refuses: { 409: ['invalid_transition', 'job_active'], 422: ['capability_missing', 'limit_reached'] },
    handle: async (request, services) => {
      const row = await recommendationSeen(request.caller, request.params.recID, services)
      const jobID = await startWorkflow(request, row, { type: 'resource', id: row.resource_uid }, services)
      return reply({ jobID }, { headers: { Location: `/workflows/${jobID}` } })
    },
  }),
]
