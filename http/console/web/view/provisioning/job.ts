/** One job: its steps, what went wrong and who can act, and all that it has made. */
import { html } from '../../html.ts'
import { ago, timeText } from '../../day.ts'
import { change, go, hrefOf, param } from '../../place.ts'
import { useReport } from '../../report.ts'
import { Act } from '../../part/act.ts'
import { Copies } from '../../part/copy.ts'
import { Elsewhere } from '../../part/elsewhere.ts'
import { useEvery } from '../../part/every.ts'
import { Panel } from '../../part/panel.ts'
import { whoText } from '../../part/person.ts'
import { Shown } from '../../part/state.ts'
import { Sure } from '../../part/sure.ts'
import { Table } from '../../part/table.ts'
import { Change } from './change.ts'
import { Datastore } from './databases.ts'
import { Drift } from './drift.ts'
import { Phase } from './jobs.ts'
import { PriceOf } from './price.ts'
import { useSpaces } from './use-spaces.ts'
import { buckets, isUnderWay, kinds, nameOf, type Failure, type Job } from './words.ts'

export function Opened({ id }: { id: string }) {
  const report = useReport('GET /provisioning-jobs/:id', { params: { id } })
  const { names } = useSpaces()
  const isChanging = param('edit') !== undefined
  useEvery(2, report.data !== undefined && isUnderWay(report.data), report.again)
  return html`<${Shown} report=${report} rows=${6}>${(job: Job) => html`
    <div class="view-head"><h1><a href=${hrefOf('provisioning')}>Provisioning</a> / <span class="clip wide" dir="auto" title=${job.name}>${job.name}</span> <${Phase} job=${job} /></h1><span class="tools">${job.phase !== 'deleted' && html`<${Act} needs="provisioning.update" onClick=${() => change({ edit: isChanging ? null : 1 })}>Change<//>`}<${Acts} job=${job} onDone=${report.again} /><${Copies} report=${report} /></span></div>
    <p class="faint">${kinds[job.kind]} in ${nameOf(names, job.spaceID)} · asked for ${ago(job.createdAt)} by <span dir="auto">${whoText(`user:${job.createdBy}`, job.createdByName)}</span>${job.expiresAt && ` · is deleted at its end, ${timeText(job.expiresAt)}`}</p>
    ${
      isChanging &&
      job.phase !== 'deleted' &&
      html`<${Change} job=${job} onClose=${() => change({ edit: null })} onDone=${() => {
        change({ edit: null })
        report.again()
      }} />`
    }
    ${job.error && html`<${Wrong} error=${job.error} />`}
    <div class="halves">
      <${Panel} title="Steps" about=${job.attempts > 1 ? `begun ${job.attempts} times` : ''}><${Steps} job=${job} /><//>
      <${Panel} title="What was asked for"><pre tabindex="0" aria-label="Config">${JSON.stringify(job.config, null, 2)}</pre>${
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
  html`<section class="panel failure" aria-label="What went wrong">
    <p><span class="badge failed">${error.bucket.replace('_', ' ')}</span> <strong>${error.message}</strong></p>
    <p>It went wrong at the step <code>${error.stepName}</code>: ${buckets[error.bucket]}.</p>
    ${error.fixHint && html`<p>${error.fixHint} ${error.consoleUrl && html`<${Elsewhere} href=${error.consoleUrl}>Open the console of the cloud<//>`}</p>`}
    ${!error.fixHint && error.consoleUrl && html`<p><${Elsewhere} href=${error.consoleUrl}>Open the console of the cloud<//></p>`}
  </section>`

type Step = Job['steps'][number]
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
    title: 'Is',
    show: ({ status, attempts }: Step) =>
      html`<span class=${`badge ${stepLooks[status]}`}>${status}</span>${attempts > 1 && html` <span class="faint">begun ${attempts} times</span>`}`,
  },
  {
    key: 'time',
    title: 'Ended',
    show: ({ completedAt, startedAt }: Step) =>
      completedAt
        ? html`<span class="nowrap" title=${timeText(completedAt)}>${ago(completedAt)}</span>`
        : startedAt
          ? html`<span class="faint">since ${ago(startedAt)}</span>`
          : '',
  },
  {
    key: 'made',
    title: 'Made',
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

const Steps = ({ job }: { job: Job }) =>
  html`<${Table} caption="Steps" columns=${columns} rows=${job.steps} keyOf=${({ id }: Step) => id} />`

function Acts({ job, onDone }: { job: Job; onDone: () => void }) {
  const params = { id: job.id }
  const made = job.steps
    .filter(({ status, output }) => status === 'succeeded' && output !== undefined)
    .map(({ name }) => name.replaceAll('_', ' '))
  return html`
    ${
      job.phase === 'failed' &&
      html`<${Sure} operation="POST /provisioning-jobs/:id/retry" params=${params} needs="provisioning.update" class="main" label="Retry" title="Try this job again?" action="Try it again" onDone=${onDone}>
      <p><strong dir="auto">${job.name}</strong> goes on from the first step that did not succeed, <code>${job.error?.stepName}</code>: ${job.error && buckets[job.error.bucket]}. What is made already is found and not made twice.</p>
      <p>Once it is there it costs what it costs, until it is deleted.</p><${PriceOf} job=${job} /><//>`
    }
    ${
      ['ready', 'failed', 'delete_failed'].includes(job.phase) &&
      html`<${Sure} operation="DELETE /provisioning-jobs/:id" params=${params} needs="provisioning.delete" isDanger label="Delete" title="Delete all that this job has made?" action="Delete it all" onDone=${onDone}>
      <p><strong dir="auto">${job.name}</strong>, the ${kinds[job.kind]}, is taken away at the cloud with all that is in it: ${made.length > 0 ? `what these steps made: ${made.join(', ')}` : 'it has made nothing that is known'}${job.kind === 'datastore' ? '; its databases, their owners and connections' : ''}${job.kind === 'kubernetes' ? '; its node groups, and what runs in them' : ''}.</p>
      <p>It costs nothing from then on. The job stays to be looked at. <strong>It cannot be undone</strong>: what was stored there is gone.</p><//>`
    }
    ${job.phase === 'deleted' && html`<button type="button" onClick=${() => go('provisioning')}>All jobs</button>`}`
}
