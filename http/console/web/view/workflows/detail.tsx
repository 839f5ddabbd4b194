/** One workflow: its plan as it was hashed for approval, how far it is, what people decide, and its audit. */
import type { ComponentChildren } from 'preact'
import { ago, timeText } from '../../day.ts'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { useNameOf } from '../../part/person.ts'
import { ReportContent } from '../../part/report-content.tsx'
import { change, hrefOf } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { useFocusOnOpen } from '../anomalies/focus-on-open.ts'
import { Cancel } from './cancel.tsx'
import { Decide } from './decide.tsx'
import { WorkflowStatus } from './list.tsx'
import { useNow } from './current-plan.tsx'
import { Plan } from './plan.tsx'
import { Steps } from './steps.tsx'
import { auditName, isLive, type WorkflowJob } from './labels.ts'

const close = () => change({ job: null })

export function WorkflowDetail({ id }: { id: string }) {
  const report = useReport('GET /remediation-jobs/:jobID', { params: { jobID: id }, on: ['workflow.'] })
  const place = useFocusOnOpen<HTMLDivElement>(id)
  const tools = (
    <>
      <Copies report={report} />
      <button type="button" class="quiet" onClick={close}>
        Close ✕
      </button>
    </>
  )
  return (
    <div class="opened" tabindex={-1} ref={place} role="group" aria-label={report.data?.title ?? 'Workflow'}>
      {report.data === undefined ? (
        <Panel title="Workflow" tools={tools}>
          <ReportContent report={report} rows={8}>
            {() => null}
          </ReportContent>
        </Panel>
      ) : (
        <DetailBody job={report.data} report={report} tools={tools} />
      )}
    </div>
  )
}

function DetailBody({
  job,
  report,
  tools,
}: {
  job: WorkflowJob
  report: Report<WorkflowJob>
  tools: ComponentChildren
}) {
  const nameOf = useNameOf()
  const now = useNow(job)
  const { title, status, reason, recommendationID, createdBy, createdAt } = job
  return (
    <>
      <Panel title={title} tools={tools}>
        <ReportContent report={report}>
          {() => (
            <>
              <p>
                <WorkflowStatus status={status} />{' '}
                <span class="faint">
                  started by <span dir="auto">{nameOf(createdBy)}</span>,{' '}
                  <time datetime={createdAt} title={timeText(createdAt)}>
                    {ago(createdAt)}
                  </time>
                </span>
              </p>
              {reason && (
                <p class={`note ${status === 'failed' ? 'bad' : ''}`} role="status" dir="auto">
                  {reason}
                </p>
              )}
              <p>
                <a href={hrefOf('recommendations', { rec: recommendationID, status: 'any' })}>View recommendation</a>
              </p>
            </>
          )}
        </ReportContent>
      </Panel>
      <Plan job={job} now={now} />
      <Decide job={job} now={now} nameOf={nameOf} onDecided={report.again} />
      <Panel title="Steps">
        <Steps steps={job.steps} now={job.currentStep} />
        {isLive(status) && <Cancel job={job} onDone={report.again} />}
      </Panel>
      <Audit job={job} nameOf={nameOf} />
    </>
  )
}

function Audit({ job: { audit, id }, nameOf }: { job: WorkflowJob; nameOf: (id: string) => string }) {
  const copied = { operation: 'GET /remediation-jobs/:jobID/audit' as const, given: { params: { jobID: id } } }
  return (
    <Panel title="Audit" tools={<Copies report={copied} />}>
      <ol class="list">
        {audit.map(({ stepName, eventType, actor, reason, createdAt }, at) => (
          <li key={at}>
            <span>
              <strong>{stepName.replaceAll('_', ' ')}</strong> {auditName(eventType)}
              {(eventType === 'approved' || eventType === 'rejected') && (
                <>
                  {' '}
                  <span dir="auto">{nameOf(actor)}</span>
                </>
              )}
            </span>
            <time class="end faint" datetime={createdAt}>
              {timeText(createdAt)}
            </time>
            {reason && (
              <blockquote class="said line" dir="auto">
                {reason}
              </blockquote>
            )}
          </li>
        ))}
      </ol>
    </Panel>
  )
}
