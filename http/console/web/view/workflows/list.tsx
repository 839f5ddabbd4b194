/** What waits for an approval, the longest first, and all workflows, newest first. */
import type { Reply } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { pluralize, usd } from '../../figure.ts'
import { Clip } from '../../part/clip.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { hrefOf, param, params, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Pick } from '../anomalies/pick.tsx'
import { markOpening } from '../anomalies/focus-on-open.ts'
import { statusBadge, statuses, statusName, type JobSummary, type PendingApproval } from './labels.ts'

const pageSize = 20
const on = ['workflow.']

export const WorkflowStatus = ({ status }: { status: string }) => (
  <span class={`badge ${statusBadge(status)}`}>{statusName(status)}</span>
)

const JobLink = ({ id, title }: { id: string; title: string }) => (
  <a
    class="clip wide"
    dir="auto"
    title={title}
    href={hrefOf('workflows', withParams({ job: id }))}
    aria-current={param('job') === id ? 'true' : undefined}
    onClick={markOpening}
  >
    {title}
  </a>
)

const Time = ({ at }: { at: string }) => (
  <time class="nowrap" datetime={at} title={timeText(at)}>
    {ago(at)}
  </time>
)

const pendingColumns: Column<PendingApproval>[] = [
  {
    title: 'Workflow',
    csv: ({ title }) => title,
    show: ({ jobID, title }) => <JobLink id={jobID} title={title} />,
    sub: ({ operation }) => <Clip text={operation} size="wide" />,
  },
  {
    title: 'Savings, 30-day estimate',
    usd: ({ savingsUsd }) => savingsUsd,
    sub: ({ currentCostUsd }) => `of ${usd(currentCostUsd)}`,
  },
  {
    title: 'Requested',
    ago: ({ requestedAt }) => requestedAt,
    sub: ({ expiresAt }) => (
      <>
        expires <Time at={expiresAt} /> without a decision
      </>
    ),
  },
  {
    title: 'Approvals',
    count: ({ approvalsGiven }) => approvalsGiven,
    show: ({ approvalsGiven, approvalsNeeded }) => `${approvalsGiven} of ${pluralize(approvalsNeeded, 'approval')}`,
  },
]

export function PendingApprovals() {
  const report = useReport('GET /workflows/pending-approval', { query: { limit: 100 }, on })
  const items: Reply<'GET /workflows/pending-approval'> = report.data ?? []
  return (
    <ListView
      title="Pending approval"
      noun="workflows pending approval"
      report={report}
      columns={pendingColumns}
      keyOf={({ jobID, stepID }) => `${jobID} ${stepID}`}
      bones={3}
      empty={{
        title: 'No workflows pending approval.',
        children: (
          <p>
            Start a workflow from a recommendation: <a href={hrefOf('recommendations')}>see recommendations</a>.
          </p>
        ),
      }}
    >
      {(report.total ?? 0) > items.length && (
        <p class="faint">
          Showing the {items.length} oldest of {report.total}.
        </p>
      )}
    </ListView>
  )
}

export function All() {
  const status = params('status').filter((one) => one !== '')
  const query = { status, page: param('page') ?? 1, limit: pageSize }
  const report = useReport('GET /remediation-jobs', { query, on })
  return (
    <ListView
      title="All workflows"
      noun="workflows"
      caption="Workflows"
      about="newest first"
      report={report}
      sql={jobsSql}
      columns={columns}
      pageSize={pageSize}
      narrowedBy={['status']}
      intro={
        <div class="bar" role="group" aria-label="Filters">
          <Pick title="Status" name="status" options={statuses.map((value) => ({ value, title: statusName(value) }))} />
        </div>
      }
      empty={{
        title: 'No workflows yet.',
        children: (
          <p>
            Open a <a href={hrefOf('recommendations')}>recommendation</a>. You see its plan before it starts, and
            nothing is changed until someone approves it.
          </p>
        ),
      }}
    />
  )
}

/** Every change of every workflow, for analysts. */
const jobsSql = `SELECT job_id, at, event, actor, reason
FROM workflow_events
ORDER BY at DESC
LIMIT 100`

const columns: Column<JobSummary>[] = [
  {
    title: 'Workflow',
    csv: ({ title }) => title,
    show: ({ id, title }) => <JobLink id={id} title={title} />,
    sub: ({ template, resourceUid }) => (
      <>
        {template} · <Clip text={resourceUid} size="tight" />
      </>
    ),
  },
  {
    title: 'Status',
    text: ({ status }) => statusName(status),
    badge: ({ status }) => statusBadge(status),
    sub: ({ currentStep, reason }) =>
      (reason || currentStep) && <Clip text={reason || `at ${currentStep}`} title={reason ?? ''} />,
  },
  { title: 'Started', ago: ({ createdAt }) => createdAt },
  { title: 'Finished', ago: ({ completedAt }) => completedAt },
]
