/** What waits for an approval, the longest first, and all workflows, newest first. */
import type { Reply } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { pluralize, usd } from '../../figure.ts'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { change, hrefOf, param, params, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Pick } from '../anomalies/pick.tsx'
import { markOpening } from '../anomalies/focus-on-open.ts'
import { statusBadge, statuses, statusName, type JobSummary, type PendingApproval } from './labels.ts'

const pageSize = 20
const on = ['workflow.']

export const WorkflowStatus = ({ status }: { status: string }) => (
  <span class={`badge ${statusBadge(status)}`}>{statusName(status)}</span>
)

const hrefOfJob = (id: string) => hrefOf('workflows', withParams({ job: id }))

export function PendingApprovals() {
  const report = useReport('GET /workflows/pending-approval', { query: { limit: 100 }, on })
  return (
    <Panel title="Pending approval" tools={<Copies report={report} />}>
      <ReportContent report={report} rows={3}>
        {(items: Reply<'GET /workflows/pending-approval'>) =>
          items.length === 0 ? (
            <Empty title="No workflows pending approval.">
              <p>
                Start a workflow from a recommendation: <a href={hrefOf('recommendations')}>see recommendations</a>.
              </p>
            </Empty>
          ) : (
            <>
              <ul class="list stories roomy">
                {items.map((one) => (
                  <WaitingOne key={`${one.jobID} ${one.stepID}`} one={one} />
                ))}
              </ul>
              {(report.total ?? 0) > items.length && (
                <p class="faint">
                  Showing the {items.length} oldest of {report.total}.
                </p>
              )}
            </>
          )
        }
      </ReportContent>
    </Panel>
  )
}

function WaitingOne({ one }: { one: PendingApproval }) {
  const { jobID, title, operation, savingsUsd, currentCostUsd, requestedAt, expiresAt } = one
  const isOpen = param('job') === jobID
  return (
    <li class={isOpen ? 'open' : ''}>
      <a
        class="what clip"
        dir="auto"
        title={title}
        href={hrefOfJob(jobID)}
        aria-current={isOpen ? 'true' : undefined}
        onClick={markOpening}
      >
        {title}
      </a>
      <span class="end">
        <strong class="figure">{usd(savingsUsd)}</strong>{' '}
        <span class="faint figure">of {usd(currentCostUsd)}, 30-day estimate</span>
      </span>
      <span class="cause" dir="auto" title={operation}>
        {operation}
      </span>
      <span class="faint line">
        requested{' '}
        <time datetime={requestedAt} title={timeText(requestedAt)}>
          {ago(requestedAt)}
        </time>
        ; expires{' '}
        <time datetime={expiresAt} title={timeText(expiresAt)}>
          {ago(expiresAt)}
        </time>{' '}
        without a decision; {one.approvalsGiven} of {pluralize(one.approvalsNeeded, 'approval')} given
      </span>
    </li>
  )
}

export function All() {
  const page = Math.max(1, Number(param('page')) || 1)
  const status = params('status').filter((one) => one !== '')
  const report = useReport('GET /remediation-jobs', { query: { status, page, limit: pageSize }, on })
  return (
    <Panel title="All workflows" about="newest first" tools={<Copies report={report} sql={jobsSql} />}>
      <div class="bar" role="group" aria-label="Filters">
        <Pick title="Status" name="status" options={statuses.map((value) => ({ value, title: statusName(value) }))} />
      </div>
      <ReportContent report={report} rows={5}>
        {({ items, total }: Reply<'GET /remediation-jobs'>) =>
          items.length === 0 ? (
            <Empty
              title={
                status.length > 0 || page > 1 ? 'No workflows with this status on this page.' : 'No workflows yet.'
              }
            >
              <p>
                {status.length > 0 || page > 1 ? (
                  <button type="button" onClick={() => change({ status: null, page: null })}>
                    Show all
                  </button>
                ) : (
                  <>
                    Open a <a href={hrefOf('recommendations')}>recommendation</a>. You see its plan before it starts,
                    and nothing is changed until someone approves it.
                  </>
                )}
              </p>
            </Empty>
          ) : (
            <>
              <Table caption="Workflows" columns={columns} rows={items} keyOf={({ id }: JobSummary) => id} />
              <Pages
                page={page}
                limit={pageSize}
                total={total}
                onPage={(to: number) => change({ page: to === 1 ? null : to })}
              />
            </>
          )
        }
      </ReportContent>
    </Panel>
  )
}

/** Every change of every workflow, for analysts. */
const jobsSql = `SELECT job_id, at, event, actor, reason
FROM workflow_events
ORDER BY at DESC
LIMIT 100`

const columns = [
  {
    key: 'title',
    title: 'Workflow',
    show: ({ id, title, template, resourceUid }: JobSummary) => (
      <>
        <a class="clip wide" dir="auto" title={title} href={hrefOfJob(id)} onClick={markOpening}>
          {title}
        </a>
        <span class="faint">
          {template} ·{' '}
          <span class="clip tight" title={resourceUid}>
            {resourceUid}
          </span>
        </span>
      </>
    ),
  },
  {
    key: 'status',
    title: 'Status',
    show: ({ status, currentStep, reason }: JobSummary) => (
      <>
        <WorkflowStatus status={status} />
        {(reason || currentStep) && (
          <span class="faint clip" dir="auto" title={reason ?? ''}>
            {reason || `at ${currentStep}`}
          </span>
        )}
      </>
    ),
  },
  {
    key: 'begun',
    title: 'Started',
    show: ({ createdAt }: JobSummary) => (
      <time class="nowrap" datetime={createdAt} title={timeText(createdAt)}>
        {ago(createdAt)}
      </time>
    ),
  },
  {
    key: 'over',
    title: 'Finished',
    show: ({ completedAt }: JobSummary) =>
      completedAt === undefined ? (
        '–'
      ) : (
        <time class="nowrap" datetime={completedAt} title={timeText(completedAt)}>
          {ago(completedAt)}
        </time>
      ),
  },
]
