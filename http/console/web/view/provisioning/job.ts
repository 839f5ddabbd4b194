/** One job: its steps, what went wrong and who can act, and all that it has made. */
import { html } from '../../html.ts'
import { ago, timeText } from '../../day.ts'
import { change, go, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Act } from '../../part/act.ts'
import { Copies } from '../../part/copy.ts'
import { ExternalLink } from '../../part/external-link.ts'
import { useEvery } from '../../part/polling.ts'
import { Panel } from '../../part/panel.ts'
import { whoText } from '../../part/person.ts'
import { ReportContent } from '../../part/report-content.ts'
import { ConfirmButton } from '../../part/confirm-dialog.ts'
import { Table } from '../../part/table.ts'
import { JobForm } from './job-form.ts'
import { Datastore } from './databases.ts'
import { Drift } from './drift.ts'
import { Phase } from './jobs.ts'
import { PriceOf } from './price.ts'
import { useSpaces } from './use-spaces.ts'
import { buckets, isUnderWay, kinds, nameOf, type Failure, type ProvisioningJob } from './labels.ts'

export function JobDetail({ id }: { id: string }) {
  const report = useReport('GET /provisioning-jobs/:id', { params: { id } })
  const { names } = useSpaces()
  const isChanging = param('edit') !== undefined
  useEvery(2, report.data !== undefined && isUnderWay(report.data), report.again)
  return html`<${ReportContent} report=${report} rows=${6}>${(job: ProvisioningJob) => html`
    <div class="view-head"><h1><a href=${hrefOf('provisioning')}>Provisioning</a> / <span class="clip wide" dir="auto" title=${job.name}>${job.name}</span> <${Phase} job=${job} /></h1><span class="tools">${job.phase !== 'deleted' && html`<${Act} needs="provisioning.update" onClick=${() => change({ edit: isChanging ? null : 1 })}>Edit<//>`}<${Acts} job=${job} onDone=${report.again} /><${Copies} report=${report} /></span></div>
    <p class="faint">${kinds[job.kind]} in ${nameOf(names, job.spaceID)} · requested ${ago(job.createdAt)} by <span dir="auto">${whoText(`user:${job.createdBy}`, job.createdByName)}</span>${job.expiresAt && ` · expires ${timeText(job.expiresAt)}`}</p>
    ${
      isChanging &&
      job.phase !== 'deleted' &&
      html`<${JobForm} job=${job} onClose=${() => change({ edit: null })} onDone=${() => {
        change({ edit: null })
        report.again()
      }} />`
    }
    ${job.error && html`<${Wrong} error=${job.error} />`}
    <div class="halves">
      <${Panel} title="Steps" about=${job.attempts > 1 ? `started ${job.attempts} times` : ''}><${Steps} job=${job} /><//>
      <${Panel} title="Requested configuration"><pre tabindex="0" aria-label="Config">${JSON.stringify(job.config, null, 2)}</pre>${
        Object.keys(job.tags).length > 0 &&
        html`<p class="faint">Tags: ${Object.entries(job.tags)
          .map(([name, value]) => `${name}=${value}`)
          .join(', ')}</p>`
      }<${PriceOf} job=${job} /><//>
    </div>
    ${job.phase === 'ready' && html`<${Drift} id=${job.id} />`}
    ${job.kind === 'datastore' && job.phase === 'ready' && html`<${Datastore} jobID=${job.id} hasDatabases=${(job.config as { engine?: string }).engine !== 'redis'} />`}`}<//>`
}

/** Which step, why, who can act, and where. */
const Wrong = ({ error }: { error: Failure }) =>
  html`<section class="panel failure" aria-label="Error">
    <p><span class="badge failed">${error.bucket.replace('_', ' ')}</span> <strong>${error.message}</strong></p>
    <p>It failed at step <code>${error.stepName}</code>: ${buckets[error.bucket]}.</p>
    ${error.fixHint && html`<p>${error.fixHint} ${error.consoleUrl && html`<${ExternalLink} href=${error.consoleUrl}>Open the cloud console<//>`}</p>`}
    ${!error.fixHint && error.consoleUrl && html`<p><${ExternalLink} href=${error.consoleUrl}>Open the cloud console<//></p>`}
  </section>`

type Step = ProvisioningJob['steps'][number]
const stepLooks: Readonly<Record<Step['status'], string>> = {
  pending: '',
  running: 'warning',
  succeeded: 'good',
  failed: 'failed',
  skipped: '',
}

const columns = [
  { key: 'name', title: 'Step', show: ({ name }: Step) => name.replaceAll('_', ' ') },
  {
    key: 'status',
    title: 'Status',
    show: ({ status, attempts }: Step) =>
      html`<span class=${`badge ${stepLooks[status]}`}>${status}</span>${attempts > 1 && html` <span class="faint">started ${attempts} times</span>`}`,
  },
  {
    key: 'time',
    title: 'Finished',
    show: ({ completedAt, startedAt }: Step) =>
      completedAt
        ? html`<span class="nowrap" title=${timeText(completedAt)}>${ago(completedAt)}</span>`
        : startedAt
          ? html`<span class="faint">since ${ago(startedAt)}</span>`
          : '',
  },
  {
    key: 'made',
    title: 'Created',
    isLong: true,
    show: ({ output, error }: Step) =>
      error
        ? error.message
        : output && Object.keys(output).length > 0
          ? html`<span class="clip" title=${JSON.stringify(output)}>${Object.entries(output)
              .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
              .join(', ')}</span>`
          : '',
  },
]

const Steps = ({ job }: { job: ProvisioningJob }) =>
  html`<${Table} caption="Steps" columns=${columns} rows=${job.steps} keyOf=${({ id }: Step) => id} />`

function Acts({ job, onDone }: { job: ProvisioningJob; onDone: () => void }) {
  const params = { id: job.id }
  const made = job.steps
    .filter(({ status, output }) => status === 'succeeded' && output !== undefined)
    .map(({ name }) => name.replaceAll('_', ' '))
  return html`
    ${
      job.phase === 'failed' &&
      html`<${ConfirmButton} operation="POST /provisioning-jobs/:id/retry" params=${params} needs="provisioning.update" class="main" label="Retry" title="Retry this job?" action="Retry" onDone=${onDone}>
      <p><strong dir="auto">${job.name}</strong> continues from the first step that did not succeed, <code>${job.error?.stepName}</code>: ${job.error && buckets[job.error.bucket]}. Resources that already exist are not created twice.</p>
      <p>Once created, it incurs costs until it is deleted.</p><${PriceOf} job=${job} /><//>`
    }
    ${
      ['ready', 'failed', 'delete_failed'].includes(job.phase) &&
      html`<${ConfirmButton} operation="DELETE /provisioning-jobs/:id" params=${params} needs="provisioning.delete" isDanger label="Delete" title="Delete everything this job created?" action="Delete everything" onDone=${onDone}>
      <p><strong dir="auto">${job.name}</strong>, the ${kinds[job.kind]}, is deleted in the cloud with everything in it: ${made.length > 0 ? `the output of these steps: ${made.join(', ')}` : 'nothing it created is known'}${job.kind === 'datastore' ? '; its databases, their owners and connections' : ''}${job.kind === 'kubernetes' ? '; its node groups and everything running in them' : ''}.</p>
      <p>After that it incurs no cost. The job remains visible. <strong>This cannot be undone</strong>: stored data is lost.</p><//>`
    }
    ${job.phase === 'deleted' && html`<button type="button" onClick=${() => go('provisioning')}>All jobs</button>`}`
}
