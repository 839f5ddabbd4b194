import { carriedOut } from '#config/command/line/route.ts'
import {
  aboutOrg,
  requireValue,
  requireOrg,
  UsageError,
  type Command,
  type Invocation,
  type Result,
} from '#config/command/line/command.ts'
import { countOf, withOrganization } from '#config/command/line/engine.ts'
import { table } from '#config/command/line/table.ts'
import type { Instance } from '#config/product/instance.ts'
import { workflowStatuses } from '#streams/workflow.ts'

const text = { type: 'string' } as const
const aboutJob = { ...aboutOrg, '--id ID': 'Workflow ID from "workflow list"' }
const aboutReason = { '--reason TEXT': 'Reason, kept in the audit log' }
const limitMax = 100
const aboutLimit = { '--limit N': `Maximum number of rows, 1 to ${limitMax}; default 20` }

interface WorkflowItem {
  id: string
  status: string
  template: string
  currentStep: string | null
  title: string
  reason?: string
}

interface Job extends WorkflowItem {
  steps: { id: string; kind: string; status: string; errorMessage?: string }[]
  plan: { operation: string; instruction?: string; estimate: { costUsd: number; savingsUsd: number } }
  audit: { stepName: string; eventType: string; actor: string; reason?: string; createdAt: string }[]
}

interface Pending {
  jobID: string
  stepID: string
  operation: string
  savingsUsd: number
  expiresAt: string
  approvalsGiven: number
  approvalsNeeded: number
}

const lineOf = ({ id, status, currentStep, template, title, reason }: WorkflowItem): string =>
  `${id}  ${status}${currentStep === null ? '' : ` (${currentStep})`}  ${template}  ${title}${reason ? `  ${reason}` : ''}`

const paragraphs = (job: Job): string =>
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

const header = ['ID', 'STATUS', 'STEP', 'TEMPLATE', 'TITLE', 'REASON']

const rowOf = ({ id, status, currentStep, template, title, reason }: WorkflowItem) => [
  id,
  status,
  currentStep,
  template,
  title,
  reason,
]

const pendingHeader = ['WORKFLOW', 'STEP', 'APPROVALS', 'EXPIRES', 'SAVINGS USD', 'OPERATION']

const pendingRow = (one: Pending) => [
  one.jobID,
  one.stepID,
  `${one.approvalsGiven} of ${one.approvalsNeeded}`,
  one.expiresAt,
  one.savingsUsd.toFixed(2),
  one.operation,
]

const resultOf = (data: Job): Result => ({ data, text: lineOf(data), code: data.status === 'failed' ? 1 : 0 })

interface CommandSpec {
  name: string
  summary: string
  usage: string
  options?: Command['options']
  about?: Command['about']
  /** What it comes to; `orgId` is that of `--org`. */
  ask: (instance: Instance, orgId: string, values: Invocation['values']) => Promise<Result>
  /** Looks at what was typed before anything is opened. @throws UsageError */
  check?: (values: Invocation['values']) => void
}

function command({ name, summary, usage, options = {}, about = aboutOrg, ask, check }: CommandSpec): Command {
  const whole = `tidemark workflow ${name} ${usage}`
  return {
    name: `workflow ${name}`,
    summary,
    usage: whole,
    options: { org: text, ...options },
    about,
    async run({ values }) {
      const named = requireOrg({ usage: whole }, values['org'])
      if ('id' in options) requireValue({ usage: whole }, values['id'], '--id')
      check?.(values)
      return withOrganization(named, (instance, orgId) => ask(instance, orgId, values))
    },
  }
}

function limitOf({ limit = '20' }: Invocation['values']): string {
  const count = countOf(limit, limitMax)
  if (count === undefined) throw new UsageError(`--limit must be a whole number from 1 to ${limitMax}`)
  return String(count)
}

function checkStatus({ status }: Invocation['values']): void {
  if (status !== undefined && !(workflowStatuses as readonly unknown[]).includes(status))
    throw new UsageError(`--status must be one of ${workflowStatuses.join(', ')}`)
}

const jobOf = (instance: Instance, orgId: string, jobID: string): Promise<Job> =>
  carriedOut<Job>(instance, orgId, 'GET /workflows/:jobID', { params: { jobID } })

/** The step that was named, or the one that waits. @throws Error where none waits */
async function stepOf(instance: Instance, orgId: string, jobID: string, named: unknown): Promise<string> {
  if (typeof named === 'string') return named
  const { steps, status } = await jobOf(instance, orgId, jobID)
  const waiting = steps.find((step) => step.kind === 'approval' && step.status === 'awaiting_user')
  if (!waiting) throw new Error(`No step is waiting for approval: the workflow is ${status}.`)
  return waiting.id
}

const bodyOf = ({ reason, 'changed-plan': changedPlanHash }: Invocation['values']) => ({
  ...(typeof reason === 'string' && { reason }),
  ...(typeof changedPlanHash === 'string' && { changedPlanHash }),
})

const changedPlanOptions = {
  usage: ' [--changed-plan HASH]',
  options: { 'changed-plan': text },
  about: {
    '--changed-plan HASH': 'Hash of the current plan, to approve it although it changed since the workflow started',
  },
}
const noOptions = { usage: '', options: {}, about: {} }

function decision(verdict: 'approve' | 'reject', summary: string): Command {
  const plans = verdict === 'approve' ? changedPlanOptions : noOptions
  return command({
    name: verdict,
    summary,
    usage: `--org ORG --id ID [--step ID] [--reason TEXT]${plans.usage}`,
    options: { id: text, step: text, reason: text, ...plans.options },
    about: {
      ...aboutJob,
      '--step ID': 'Step ID from "workflow show"; default: the step that is waiting',
      ...aboutReason,
      ...plans.about,
    },
    ask: async (instance, orgId, values) => {
      const jobID = String(values['id'])
      const stepID = await stepOf(instance, orgId, jobID, values['step'])
      const path = `POST /workflows/:jobID/steps-by-id/:stepID/${verdict}`
      const given = { params: { jobID, stepID }, body: bodyOf(values) }
      return resultOf(await carriedOut<Job>(instance, orgId, path, given))
    },
  })
}

export const workflowCommands: readonly Command[] = [
  command({
    name: 'list',
    summary: 'List workflows, newest first',
    usage: '--org ORG [--status STATUS] [--limit N]',
    options: { status: text, limit: text },
    about: {
      ...aboutOrg,
      '--status STATUS': `One of ${workflowStatuses.join(', ')}; default: all`,
      ...aboutLimit,
    },
    check: (values) => {
      checkStatus(values)
      limitOf(values)
    },
    ask: async (instance, orgId, values) => {
      const status = values['status']
      const query = { ...(typeof status === 'string' && { status }), limit: limitOf(values) }
      const { items: data } = await carriedOut<{ items: WorkflowItem[] }>(instance, orgId, 'GET /workflows', { query })
      return { data, text: table(header, data.map(rowOf), 'No workflows.') }
    },
  }),
  command({
    name: 'pending',
    summary: 'List steps that are waiting for approval',
    usage: '--org ORG [--limit N]',
    options: { limit: text },
    about: { ...aboutOrg, ...aboutLimit },
    check: (values) => void limitOf(values),
    ask: async (instance, orgId, values) => {
      const query = { limit: limitOf(values) }
      const data = await carriedOut<Pending[]>(instance, orgId, 'GET /workflows/pending-approval', { query })
      return { data, text: table(pendingHeader, data.map(pendingRow), 'No steps are waiting for approval.') }
    },
  }),
  command({
    name: 'show',
    summary: 'Show the plan, progress and history of a workflow',
    usage: '--org ORG --id ID',
    options: { id: text },
    about: aboutJob,
    ask: async (instance, orgId, { id }) => {
      const data = await jobOf(instance, orgId, String(id))
      return { data, text: paragraphs(data) }
    },
  }),
  command({
    name: 'start',
    summary: 'Start a workflow for a recommendation',
    usage: '--org ORG --id ID',
    options: { id: text },
    about: { ...aboutOrg, '--id ID': 'Recommendation ID from "recommendations list"' },
    ask: async (instance, orgId, { id }) => {
      const given = { params: { recID: String(id) } }
      const path = 'POST /recommendations/:recID/workflow'
      const { jobID } = await carriedOut<{ jobID: string }>(instance, orgId, path, given)
      return resultOf(await jobOf(instance, orgId, jobID))
    },
  }),
  decision('approve', 'Approve the waiting step of a workflow'),
  decision('reject', 'Reject the waiting step of a workflow and end the workflow'),
  command({
    name: 'cancel',
    summary: 'Cancel a workflow; completed steps are not undone',
    usage: '--org ORG --id ID [--reason TEXT]',
    options: { id: text, reason: text },
    about: { ...aboutJob, ...aboutReason },
    ask: async (instance, orgId, values) => {
      const given = { params: { jobID: String(values['id']) }, body: bodyOf(values) }
      return resultOf(await carriedOut<Job>(instance, orgId, 'POST /workflows/:jobID/cancel', given))
    },
  }),
]
