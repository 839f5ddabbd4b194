/** Has it carried out: the plan before, and then a workflow that waits for whoever approves it. */
import { useEffect, useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { curlOf } from '../../address.ts'
import { ago } from '../../day.ts'
import { usd } from '../../figure.ts'
import { Act } from '../../part/act.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { Copies, Copy } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { go, hrefOf } from '../../router.ts'
import { useRequest, useReport } from '../../report.ts'
import { WorkflowStatus } from '../workflows/list.tsx'
import { PlannedSteps } from '../workflows/steps.tsx'
import { undoText } from '../workflows/undo.ts'
import { isLive, templateText } from '../workflows/labels.ts'
import type { Detail } from './labels.ts'

type Preview = Reply<'GET /recommendations/:recID/workflow'>
type Jobs = Reply<'GET /remediation-jobs'>

const operation = 'POST /remediation-jobs'

export function StartWorkflow({ data }: { data: Detail }) {
  const jobs = useReport('GET /remediation-jobs', {
    query: { recommendation_id: data.id, limit: 5 },
    on: ['workflow.'],
  })
  const live = jobs.data?.items.find(({ status }) => isLive(status))
  const isPlanned = data.status === 'open' && jobs.data !== undefined && !live
  // An open question stays, for what it is answered with is said there.
  const [isAsking, setAsking] = useState(false)
  const preview = useReport('GET /recommendations/:recID/workflow', {
    params: { recID: data.id },
    when: isPlanned,
    on: ['recommendation.'],
  })
  return (
    <Panel title="Automate" tools={isPlanned && <Copies report={preview} />}>
      <ReportContent report={jobs} rows={1}>
        {(found: Jobs) => <Earlier jobs={found} />}
      </ReportContent>
      {(isPlanned || isAsking) && (
        <ReportContent report={preview} rows={3}>
          {(plan: Preview) => (
            <PlanPreview plan={plan} data={data} isAsking={isAsking} setAsking={setAsking} onLate={jobs.again} />
          )}
        </ReportContent>
      )}
      {data.status !== 'open' && !live && <p class="faint">Only open recommendations can be automated.</p>}
    </Panel>
  )
}

function Earlier({ jobs: { items } }: { jobs: Jobs }) {
  if (items.length === 0) return null
  return (
    <ul class="list">
      {items.map(({ id, status, template, createdAt, reason }) => (
        <li key={id}>
          <a href={hrefOf('workflows', { job: id })}>Workflow {template}</a> <WorkflowStatus status={status} />
          <span class="end faint">started {ago(createdAt)}</span>
          {reason && (
            <span class="line faint" dir="auto">
              {reason}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

interface PlanPreviewProps {
  plan: Preview
  data: Detail
  isAsking: boolean
  setAsking: (isAsking: boolean) => void
  /** Somebody else has begun one. */
  onLate: () => void
}

function PlanPreview({ plan, data, isAsking, setAsking, onLate }: PlanPreviewProps) {
  const doing = useRequest(operation)
  const body = { recommendationID: data.id, subjectType: 'resource', subjectID: data.resourceUid }
  const run = () => void doing.run({ body }, ({ id }) => go('workflows', { job: id }))
  const isLate = doing.problem?.code === 'job_active'
  useEffect(() => {
    if (isLate) onLate()
  }, [isLate])
  const shown = isLate ? { ...doing, problem: undefined } : doing
  const open = () => {
    doing.clear()
    setAsking(true)
  }
  return (
    <>
      <p class="sentence" dir="auto">
        {plan.operation}
      </p>
      <p class="faint">{templateText[plan.template]}</p>
      <PlannedSteps steps={plan.steps} />
      <p class="bar">
        <Act needs="service.create" class="main" onClick={open}>
          Start workflow…
        </Act>
      </p>
      {isAsking && (
        <Confirm
          title="Start the workflow?"
          action="Start workflow"
          doing={shown}
          onConfirm={run}
          onClose={() => setAsking(false)}
        >
          <p dir="auto">
            <strong>{plan.operation}</strong>
          </p>
          <p>
            {data.resourceName || data.resourceUid} costs {usd(data.currentCostUsd)} in 30 days; estimated savings:{' '}
            {usd(data.savingsUsd)}.
          </p>
          <p>
            {plan.approvalRequired
              ? `Nothing is changed yet: the workflow waits for ${approvers(plan)}, who ${approvalsOf(plan) === 1 ? 'is' : 'are'} notified by email. Until then, no call is made and you can cancel it.`
              : 'No approval is needed: the change is made immediately.'}
          </p>
          <p>{undoText(plan)}</p>
          {isLate && (
            <p class="note bad" role="alert">
              Someone else was faster: a workflow for it is already in progress, and nothing was started twice. It is
              listed where you opened this dialog.
            </p>
          )}
          <p>
            <Copy label="Copy as curl" text={curlOf(operation, undefined, undefined, body)} />
          </p>
        </Confirm>
      )}
    </>
  )
}

const approvalsOf = ({ steps }: Preview): number => Math.max(1, ...steps.map(({ approvals = 1 }) => approvals))
const approvers = (plan: Preview): string =>
  approvalsOf(plan) === 1 ? 'an owner or admin' : `${approvalsOf(plan)} different owners or admins`
