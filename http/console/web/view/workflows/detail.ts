/** One workflow: its plan as it was hashed for approval, how far it is, what people decide, and its audit. */
import { html } from '../../html.ts'
import { ago, timeText } from '../../day.ts'
import { Copies } from '../../part/copy.ts'
import { Panel } from '../../part/panel.ts'
import { useNameOf } from '../../part/person.ts'
import { ReportContent } from '../../part/report-content.ts'
import { change, hrefOf } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { useFocusOnOpen } from '../anomalies/focus-on-open.ts'
import { Cancel } from './cancel.ts'
import { Decide } from './decide.ts'
import { WorkflowStatus } from './list.ts'
import { useNow } from './current-plan.ts'
import { Plan } from './plan.ts'
import { Steps } from './steps.ts'
import { auditName, isLive, type WorkflowJob } from './labels.ts'

const close = () => change({ job: null })

export function WorkflowDetail({ id }: { id: string }) {
  const report = useReport('GET /remediation-jobs/:jobID', { params: { jobID: id }, on: ['workflow.'] })
  const place = useFocusOnOpen<HTMLDivElement>(id)
  const tools = html`<${Copies} report=${report} /><button type="button" class="quiet" onClick=${close}>Close ✕</button>`
  return html`<div class="opened" tabindex="-1" ref=${place} role="group" aria-label=${report.data?.title ?? 'Workflow'}>
    ${report.data === undefined ? html`<${Panel} title="Workflow" tools=${tools}><${ReportContent} report=${report} rows=${8}>${() => null}<//><//>` : html`<${DetailBody} job=${report.data} report=${report} tools=${tools} />`}
  </div>`
}

function DetailBody({ job, report, tools }: { job: WorkflowJob; report: Report<WorkflowJob>; tools: unknown }) {
  const nameOf = useNameOf()
  const now = useNow(job)
  const { title, status, reason, recommendationID, createdBy, createdAt } = job
  return html`<${Panel} title=${title} tools=${tools}>
      <${ReportContent} report=${report}>${() => html`<p><${WorkflowStatus} status=${status} />${' '}<span class="faint">started by <span dir="auto">${nameOf(createdBy)}</span>, <time datetime=${createdAt} title=${timeText(createdAt)}>${ago(createdAt)}</time></span></p>
        ${reason && html`<p class=${`note ${status === 'failed' ? 'bad' : ''}`} role="status" dir="auto">${reason}</p>`}
        <p><a href=${hrefOf('recommendations', { rec: recommendationID, status: 'any' })}>View recommendation</a></p>`}<//>
    <//>
    <${Plan} job=${job} now=${now} />
    <${Decide} job=${job} now=${now} nameOf=${nameOf} onDecided=${report.again} />
    <${Panel} title="Steps"><${Steps} steps=${job.steps} now=${job.currentStep} />${isLive(status) && html`<${Cancel} job=${job} onDone=${report.again} />`}<//>
    <${Audit} job=${job} nameOf=${nameOf} />`
}

function Audit({ job: { audit, id }, nameOf }: { job: WorkflowJob; nameOf: (id: string) => string }) {
  const copied = { operation: 'GET /remediation-jobs/:jobID/audit' as const, given: { params: { jobID: id } } }
  return html`<${Panel} title="Audit" tools=${html`<${Copies} report=${copied} />`}>
    <ol class="list">${audit.map(({ stepName, eventType, actor, reason, createdAt }, at) => html`<li key=${at}><span><strong>${stepName.replaceAll('_', ' ')}</strong> ${auditName(eventType)}${(eventType === 'approved' || eventType === 'rejected') && html`${' '}<span dir="auto">${nameOf(actor)}</span>`}</span><time class="end faint" datetime=${createdAt}>${timeText(createdAt)}</time>${reason && html`<blockquote class="said line" dir="auto">${reason}</blockquote>`}</li>`)}</ol>
  <//>`
}
