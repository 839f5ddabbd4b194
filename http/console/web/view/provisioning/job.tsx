/** One job: its steps, what went wrong and who can act, and all that it has made. */
import { ago, timeText } from '../../day.ts'
import { change, go, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Clip } from '../../part/clip.tsx'
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { ExternalLink } from '../../part/external-link.tsx'
import { useEvery } from '../../part/polling.ts'
import { Panel } from '../../part/panel.tsx'
import { whoText } from '../../part/person.ts'
import { ReportContent } from '../../part/report-content.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Head } from '../../part/head.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'
import { JobForm } from './job-form.tsx'
import { Datastore } from './databases.tsx'
import { Drift } from './drift.tsx'
import { Phase } from './jobs.tsx'
import { PriceOf } from './price.tsx'
import { useSpaces } from './use-spaces.ts'
import { buckets, isUnderWay, kinds, nameOf, type Failure, type ProvisioningJob } from './labels.ts'

export function JobDetail({ id }: { id: string }) {
  const report = useReport('GET /provisioning-jobs/:id', { params: { id } })
  const { names } = useSpaces()
  const isChanging = param('edit') !== undefined
  useEvery(2, report.data !== undefined && isUnderWay(report.data), report.again)
  return (
    <ReportContent report={report} rows={6}>
      {(job: ProvisioningJob) => (
        <>
          <Head title="Provisioning" of={{ name: job.name, href: hrefOf('provisioning') }} beside={<Phase job={job} />}>
            {job.phase !== 'deleted' && (
              <Act needs="provisioning.update" onClick={() => change({ edit: isChanging ? null : 1 })}>
                Edit
              </Act>
            )}
            <Acts job={job} onDone={report.again} />
            <Copies report={report} />
          </Head>
          <p class="faint">
            {kinds[job.kind]} in {nameOf(names, job.spaceID)} · requested {ago(job.createdAt)} by{' '}
            <span dir="auto">{whoText(`user:${job.createdBy}`, job.createdByName)}</span>
            {job.expiresAt && ` · expires ${timeText(job.expiresAt)}`}
          </p>
          {isChanging && job.phase !== 'deleted' && (
            <JobForm
              job={job}
              onClose={() => change({ edit: null })}
              onDone={() => {
                change({ edit: null })
                report.again()
              }}
            />
          )}
          {job.error && <Wrong error={job.error} />}
          <div class="halves">
            <Panel title="Steps" about={job.attempts > 1 ? `started ${job.attempts} times` : ''}>
              <Steps job={job} />
            </Panel>
            <Panel title="Requested configuration">
              <pre tabindex={0} aria-label="Config">
                {JSON.stringify(job.config, null, 2)}
              </pre>
              {Object.keys(job.tags).length > 0 && (
                <p class="faint">
                  Tags:{' '}
                  {Object.entries(job.tags)
                    .map(([name, value]) => `${name}=${value}`)
                    .join(', ')}
                </p>
              )}
              <PriceOf job={job} />
            </Panel>
          </div>
          {job.phase === 'ready' && <Drift id={job.id} />}
          {(job.kind === 'datastore' || job.kind === 'existing_datastore') && job.phase === 'ready' && (
            <Datastore jobID={job.id} hasDatabases={(job.config as { engine?: string }).engine !== 'redis'} />
          )}
        </>
      )}
    </ReportContent>
  )
}

/** Which step, why, who can act, and where. */
const Wrong = ({ error }: { error: Failure }) => (
  <section class="panel failure" aria-label="Error">
    <p>
      <span class="badge failed">{error.bucket.replace('_', ' ')}</span> <strong>{error.message}</strong>
    </p>
    <p>
      It failed at step <code>{error.stepName}</code>: {buckets[error.bucket]}.
    </p>
    {error.fixHint && (
      <p>
        {error.fixHint}{' '}
        {error.consoleUrl && <ExternalLink href={error.consoleUrl}>Open the cloud console</ExternalLink>}
      </p>
    )}
    {!error.fixHint && error.consoleUrl && (
      <p>
        <ExternalLink href={error.consoleUrl}>Open the cloud console</ExternalLink>
      </p>
    )}
  </section>
)

type Step = ProvisioningJob['steps'][number]
const stepLooks: Readonly<Record<Step['status'], string>> = {
  pending: '',
  running: 'warning',
  succeeded: 'good',
  failed: 'failed',
  skipped: '',
}

const outputText = (output: NonNullable<Step['output']>): string =>
  Object.entries(output)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')

const columns: Column<Step>[] = [
  { title: 'Step', show: ({ name }) => name.replaceAll('_', ' ') },
  {
    title: 'Status',
    show: ({ status, attempts }) => (
      <>
        <span class={`badge ${stepLooks[status]}`}>{status}</span>
        {attempts > 1 && <span class="faint"> started {attempts} times</span>}
      </>
    ),
  },
  {
    title: 'Finished',
    show: ({ completedAt, startedAt }) =>
      completedAt ? (
        <span class="nowrap" title={timeText(completedAt)}>
          {ago(completedAt)}
        </span>
      ) : (
        startedAt && <span class="faint">since {ago(startedAt)}</span>
      ),
  },
  {
    title: 'Created',
    isLong: true,
    show: ({ output = {}, error }) =>
      error
        ? error.message
        : Object.keys(output).length > 0 && <Clip text={outputText(output)} title={JSON.stringify(output)} />,
  },
]

const Steps = ({ job }: { job: ProvisioningJob }) => (
  <Table caption="Steps" columns={columns} rows={job.steps} keyOf={({ id }: Step) => id} />
)

function Acts({ job, onDone }: { job: ProvisioningJob; onDone: () => void }) {
  const params = { id: job.id }
  const made = job.steps
    .filter(({ status, output }) => status === 'succeeded' && output !== undefined)
    .map(({ name }) => name.replaceAll('_', ' '))
  return (
    <>
      {job.phase === 'failed' && (
        <ConfirmButton
          operation="POST /provisioning-jobs/:id/retry"
          params={params}
          needs="provisioning.update"
          class="main"
          label="Retry"
          title="Retry this job?"
          action="Retry"
          onDone={onDone}
        >
          <p>
            <strong dir="auto">{job.name}</strong> continues from the first step that did not succeed,{' '}
            <code>{job.error?.stepName}</code>: {job.error && buckets[job.error.bucket]}. Resources that already exist
            are not created twice.
          </p>
          <p>Once created, it incurs costs until it is deleted.</p>
          <PriceOf job={job} />
        </ConfirmButton>
      )}
      {['ready', 'failed', 'delete_failed'].includes(job.phase) && (
        <ConfirmButton
          operation="DELETE /provisioning-jobs/:id"
          params={params}
          needs="provisioning.delete"
          isDanger
          label="Delete"
          title="Delete everything this job created?"
          action="Delete everything"
          onDone={onDone}
        >
          <p>
            <strong dir="auto">{job.name}</strong>, the {kinds[job.kind]}, is deleted in the cloud with everything in
            it: {made.length > 0 ? `the output of these steps: ${made.join(', ')}` : 'nothing it created is known'}
            {job.kind === 'datastore' ? '; its databases, their owners and connections' : ''}
            {job.kind === 'kubernetes' ? '; its node groups and everything running in them' : ''}.
          </p>
          <p>
            After that it incurs no cost. The job remains visible. <strong>This cannot be undone</strong>: stored data
            is lost.
          </p>
        </ConfirmButton>
      )}
      {job.phase === 'deleted' && (
        <button type="button" onClick={() => go('provisioning')}>
          All jobs
        </button>
      )}
    </>
  )
}
