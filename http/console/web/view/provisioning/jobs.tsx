/** All jobs, newest first: what each makes, how far it is, and what went wrong. */
import { ago, timeText } from '../../day.ts'
import { change, go, hrefOf, param, params } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { useEvery } from '../../part/polling.ts'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { useSpaces } from './use-spaces.ts'
import { buckets, isUnderWay, kinds, looks, nameOf, type ProvisioningJob, type Jobs as Known } from './labels.ts'

const pageSize = 20

export function Jobs() {
  const [page, kind, phase] = [Number(param('page') ?? 1), params('kind'), params('phase')]
  const report = useReport('GET /provisioning-jobs', { query: { kind, phase, page, limit: pageSize } })
  const { names } = useSpaces()
  useEvery(5, report.data?.items.some(isUnderWay) ?? false, report.again)
  const isNarrowed = kind.length + phase.length > 0
  const set = (name: string) => (event: Event) =>
    change({ [name]: (event.target as HTMLSelectElement).value || null, page: null })
  const option = (name: string, value: string, title: string) => (
    <option value={value} selected={param(name) === value}>
      {title}
    </option>
  )
  return (
    <Panel
      title="Jobs"
      tools={
        <>
          <Act needs="provisioning.create" class="main" onClick={() => go('provisioning', { new: 'job' })}>
            Provision
          </Act>
          <Copies report={report} />
        </>
      }
    >
      <p class="bar">
        <label>
          Type{' '}
          <select onChange={set('kind')}>
            <option value="">all</option>
            {Object.entries(kinds).map(([value, title]) => option('kind', value, title))}
          </select>
        </label>
        <label>
          Phase{' '}
          <select onChange={set('phase')}>
            <option value="">all</option>
            {Object.keys(looks).map((value) => option('phase', value, value.replace('_', ' ')))}
          </select>
        </label>
      </p>
      <ReportContent report={report} rows={5}>
        {(data: Known) =>
          data.total === 0 ? (
            <Empty title={isNarrowed ? 'No jobs match these filters.' : 'Nothing has been provisioned yet.'}>
              <p>
                {isNarrowed ? (
                  <a href={hrefOf('provisioning')}>Show all jobs</a>
                ) : (
                  <>
                    Get a database, a cluster or a VM pool without a ticket, see what it would cost, and delete it
                    completely when done.{' '}
                    <Next needs="provisioning.create" what="Provisioning">
                      <a href={hrefOf('provisioning', { new: 'job' })}>Choose what to provision</a>. The price is shown
                      first.
                    </Next>
                  </>
                )}
              </p>
            </Empty>
          ) : (
            <>
              <Table
                caption="Jobs"
                columns={columnsOf(names)}
                rows={data.items}
                keyOf={({ id }: ProvisioningJob) => id}
              />
              <Pages page={page} limit={pageSize} total={data.total} onPage={(to: number) => change({ page: to })} />
            </>
          )
        }
      </ReportContent>
    </Panel>
  )
}

export const Phase = ({ job: { phase } }: { job: ProvisioningJob }) => (
  <span class={`badge ${looks[phase]}`}>{phase.replace('_', ' ')}</span>
)

const columnsOf = (names: ReadonlyMap<string, string>) => [
  {
    key: 'name',
    title: 'Job',
    show: ({ id, name, kind }: ProvisioningJob) => (
      <>
        <a class="clip wide" dir="auto" title={name} href={hrefOf('provisioning', { job: id })}>
          {name}
        </a>
        <span class="sub faint">{kinds[kind]}</span>
      </>
    ),
  },
  {
    key: 'space',
    title: 'Space',
    show: ({ spaceID }: ProvisioningJob) => (
      <span class="clip" dir="auto" title={nameOf(names, spaceID)}>
        {nameOf(names, spaceID)}
      </span>
    ),
  },
  {
    key: 'phase',
    title: 'Phase',
    show: (job: ProvisioningJob) => (
      <>
        <Phase job={job} />
        {isUnderWay(job) && (
          <span class="sub faint">
            {job.steps.filter(({ status }) => status === 'succeeded' || status === 'skipped').length} of{' '}
            {job.steps.length} steps{job.currentStep && `, ${job.currentStep.replaceAll('_', ' ')}`}
          </span>
        )}
      </>
    ),
  },
  {
    key: 'error',
    title: 'Error',
    isLong: true,
    show: ({ error }: ProvisioningJob) =>
      error ? (
        <>
          <span class="clip wide" title={error.message}>
            {error.message}
          </span>
          <span class="sub faint">{buckets[error.bucket]}</span>
        </>
      ) : (
        ''
      ),
  },
  {
    key: 'made',
    title: 'Requested',
    show: ({ createdAt }: ProvisioningJob) => <span title={timeText(createdAt)}>{ago(createdAt)}</span>,
  },
  {
    key: 'ends',
    title: 'Expires',
    show: ({ expiresAt }: ProvisioningJob) =>
      expiresAt ? <span title={timeText(expiresAt)}>{ago(expiresAt)}</span> : <span class="faint">never</span>,
  },
]
