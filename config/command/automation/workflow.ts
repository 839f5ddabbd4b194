import type { Api, ListPage } from '#config/command/line/api.ts'
import { askCommand, routeCommand } from '#config/command/line/build.ts'
import type { Command, Result } from '#config/command/line/command.ts'
import { choice, id, limit, optional, org } from '#config/command/line/flag.ts'
import { listOf } from '#config/command/line/table.ts'
import type { JobView, ListedJob } from '#http/workflow/body.ts'
import type { PendingStep } from '#http/workflow/pending.ts'
import { workflowStatuses } from '#streams/workflow.ts'

const lineOf = ({ id, status, currentStep, template, title, reason }: ListedJob): string =>
  `${id}  ${status}${currentStep === null ? '' : ` (${currentStep})`}  ${template}  ${title}${reason ? `  ${reason}` : ''}`

const paragraphs = (job: JobView): string =>
  [
    lineOf(job),
    job.plan.operation,
    ...(job.plan.instruction ? [job.plan.instruction] : []),
    `Estimated savings: ${job.plan.estimate.savingsUsd.toFixed(2)} of ${job.plan.estimate.costUsd.toFixed(2)} USD per 30 days.`,
    ...job.steps.map(({ id, status, errorMessage }) => `${status}  ${id}${errorMessage ? `  ${errorMessage}` : ''}`),
    ...job.audit.map(
      ({ createdAt, stepName, eventType, actor, reason }) =>
        `${createdAt}  ${stepName} ${eventType} by ${actor}${reason ? `: ${reason}` : ''}`,
    ),
  ].join('\n')

const list = listOf<ListedJob>(
  { ID: 'id', STATUS: 'status', STEP: 'currentStep', TEMPLATE: 'template', TITLE: 'title', REASON: 'reason' },
  'No workflows.',
)

const pending = listOf<PendingStep>(
  {
    WORKFLOW: 'jobID',
    STEP: 'stepID',
    APPROVALS: ({ approvalsGiven, approvalsNeeded }) => `${approvalsGiven} of ${approvalsNeeded}`,
    EXPIRES: 'expiresAt',
    'SAVINGS USD': ({ savingsUsd }) => savingsUsd.toFixed(2),
    OPERATION: 'operation',
  },
  'No steps are waiting for approval.',
)

const show = (data: JobView): Result => ({ data, text: lineOf(data), code: data.status === 'failed' ? 1 : 0 })

const jobOf = (api: Api, jobID: string): Promise<JobView> =>
  api.ask<JobView>('GET /workflows/:jobID', { params: { jobID } })

/** The step that waits. @throws Error where none does */
async function waitingStep(api: Api, jobID: string): Promise<string> {
  const { steps, status } = await jobOf(api, jobID)
  const waiting = steps.find((step) => step.kind === 'approval' && step.status === 'awaiting_user')
  if (!waiting) throw new Error(`No step is waiting for approval: the workflow is ${status}.`)
  return waiting.id
}

const ofJob = { org, id: id('Workflow', 'workflow list') }
const reason = optional('TEXT', 'Reason, kept in the audit log')
const ofStep = {
  ...ofJob,
  step: optional('ID', 'Step ID from "workflow show"; default: the step that is waiting'),
  reason,
}

async function decide(
  api: Api,
  verdict: 'approve' | 'reject',
  { id: jobID, step }: { id: string; step: string | undefined },
  body: { reason: string | undefined; changedPlanHash?: string | undefined },
): Promise<Result> {
  const stepID = step ?? (await waitingStep(api, jobID))
  const path = `POST /workflows/:jobID/steps-by-id/:stepID/${verdict}`
  return show(await api.ask<JobView>(path, { params: { jobID, stepID }, body }))
}

export const workflowCommands: readonly Command[] = [
  routeCommand({
    name: 'workflow list',
    summary: 'List workflows, newest first',
    takes: { org, status: choice('STATUS', workflowStatuses, '; default: all'), limit: limit() },
    route: 'GET /workflows',
    ask: ({ status, limit }) => ({ query: { status, limit } }),
    show: ({ items }: ListPage<ListedJob>) => list(items),
  }),
  routeCommand({
    name: 'workflow pending',
    summary: 'List steps that are waiting for approval',
    takes: { org, limit: limit() },
    route: 'GET /workflows/pending-approval',
    ask: ({ limit }) => ({ query: { limit } }),
    show: pending,
  }),
  routeCommand({
    name: 'workflow show',
    summary: 'Show the plan, progress and history of a workflow',
    takes: ofJob,
    route: 'GET /workflows/:jobID',
    ask: ({ id: jobID }) => ({ params: { jobID } }),
    show: (data: JobView) => ({ data, text: paragraphs(data) }),
  }),
  askCommand({
    name: 'workflow start',
    summary: 'Start a workflow for a recommendation',
    takes: { org, id: id('Recommendation', 'recommendations list') },
    run: async (api, { id: recID }) => {
      const path = 'POST /recommendations/:recID/workflow'
      const { jobID } = await api.ask<{ jobID: string }>(path, { params: { recID } })
      return show(await jobOf(api, jobID))
    },
  }),
  askCommand({
    name: 'workflow approve',
    summary: 'Approve the waiting step of a workflow',
    takes: {
      ...ofStep,
      'changed-plan': optional(
        'HASH',
        'Hash of the current plan, to approve it although it changed since the workflow started',
      ),
    },
    run: (api, { reason, 'changed-plan': changedPlanHash, ...step }) =>
      decide(api, 'approve', step, { reason, changedPlanHash }),
  }),
  askCommand({
    name: 'workflow reject',
    summary: 'Reject the waiting step of a workflow and end the workflow',
    takes: ofStep,
    run: (api, { reason, ...step }) => decide(api, 'reject', step, { reason }),
  }),
  routeCommand({
    name: 'workflow cancel',
    summary: 'Cancel a workflow; completed steps are not undone',
    takes: { ...ofJob, reason },
    route: 'POST /workflows/:jobID/cancel',
    ask: ({ id: jobID, reason }) => ({ params: { jobID }, body: { reason } }),
    show,
  }),
]
