/**
 * Mails to administrators about workflows. Following a link executes nothing: to decide, one signs in or uses a token.
 */
import type { Mail } from '#streams/delivery/email.ts'
import { quoteName } from '#streams/delivery/format/text.ts'
import type { MailTemplate } from '#streams/workflow.ts'
import { plainHtml } from '#streams/delivery/format/email.ts'
import { operationText } from '#actors/workflow/plan/describe.ts'
import type { WorkflowPlan, WorkflowStep } from '#actors/workflow/entity.ts'

/** The data of a mail. */
export interface MailRow {
  email: string
  organization: string
  account: string
  plan: WorkflowPlan
  steps: WorkflowStep[]
  approvals: { stepId: string }[]
  reason: string
  startedBy: string
}

interface About {
  jobId: string
  stepId: string
  url: string
}

/** A header with the template, for sorting mails. */
const templateHeader = 'X-Tidemark-Template'

/** One line, whatever the resource's name contains. */
const flat = (text: string): string => text.replaceAll(/[\p{C}\s]+/gu, ' ').trim()

export function workflowMail(template: MailTemplate, about: About, row: MailRow): Mail {
  const { subject, lines } =
    template === 'remediation.approval_required' ? approvalOf(about, row) : endOf(template, about, row)
  return {
    to: row.email,
    subject: flat(subject).slice(0, 200),
    text: `${lines.join('\n')}\n`,
    html: plainHtml(lines),
    headers: { [templateHeader]: template },
  }
}

const usd = (amount: number): string => `${amount.toFixed(2)} USD a month`

function factsOf({ plan, account, startedBy }: MailRow): string[] {
  const { resource, estimate, title } = plan
  return [
    `What: ${flat(operationText(plan))}`,
    `Why: ${flat(title)} (${plan.ruleId})`,
    `Where: ${flat(account)}, ${resource.provider} ${flat(resource.region)}`.trimEnd(),
    `Cost now: ${usd(estimate.costUsd)}; potential savings: ${usd(estimate.savingsUsd)}`,
    `Started by: ${flat(startedBy)}`,
  ]
}

function approvalOf({ jobId, stepId, url }: About, row: MailRow) {
  const { plan, steps, approvals, organization } = row
  const step = steps.find(({ id }) => id === stepId)
  const expiresAt = step?.output?.['expiresAt']
  const until = typeof expiresAt === 'string' ? expiresAt : ''
  const [given, needed] = [approvals.filter((one) => one.stepId === stepId).length, step?.approvals ?? 1]
  const place = `${url}/workflows/${jobId}/steps-by-id/${encodeURIComponent(stepId)}`
  const name = flat(plan.resource.name || plan.resource.uid)
  return {
    subject: `Approval needed: ${plan.template} ${name}`,
    lines: [
      `A change in ${organization === '' ? 'your organization' : quoteName(organization)} is waiting for your approval. Nothing is changed before it is approved.`,
      '',
      ...factsOf(row),
      ...(plan.instruction === '' ? [] : [`To do manually: ${flat(plan.instruction)}`]),
      `Approvals: ${given} of ${needed}`,
      `Expires: ${until}; the workflow is then cancelled`,
      '',
      `Workflow ${jobId}, step ${stepId}. Review it, then approve or reject it, signed in or with an administrator token:`,
      `  GET ${url}/workflows/${jobId}`,
      `  POST ${place}/approve`,
      `  POST ${place}/reject`,
      `or: tidemark workflow approve --org ORG --id ${jobId} --step ${stepId}`,
    ],
  }
}

const ends = {
  'remediation.succeeded': 'succeeded',
  'remediation.failed': 'failed',
  'remediation.cancelled': 'was cancelled',
} as const

function endOf(template: Exclude<MailTemplate, 'remediation.approval_required'>, { jobId, url }: About, row: MailRow) {
  const { plan, organization, reason } = row
  const name = flat(plan.resource.name || plan.resource.uid)
  const end = ends[template]
  return {
    subject: `${plan.template} ${name} ${end}`,
    lines: [
      `A workflow in ${organization === '' ? 'your organization' : quoteName(organization)} ${end}.`,
      ...(reason === '' ? [] : [flat(reason)]),
      '',
      ...factsOf(row),
      '',
      `  GET ${url}/workflows/${jobId}`,
    ],
  }
}
