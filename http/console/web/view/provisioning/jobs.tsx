/** All jobs, newest first: what each makes, how far it is, and what went wrong. */
import { go, hrefOf, param, params } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { useEvery } from '../../part/polling.ts'
import { Next } from '../../part/next-step.tsx'
import { useSpaces } from './use-spaces.ts'
import { buckets, isUnderWay, kinds, looks, nameOf, type ProvisioningJob } from './labels.ts'

const pageSize = 20

const filters = [
  { name: 'kind', title: 'Type', choices: Object.entries(kinds) },
  { name: 'phase', title: 'Phase', choices: Object.keys(looks).map((value) => [value, value.replace('_', ' ')]) },
]

export function Jobs() {
  const query = { kind: params('kind'), phase: params('phase'), page: param('page') ?? 1, limit: pageSize }
  const report = useReport('GET /provisioning-jobs', { query })
  const { names } = useSpaces()
  useEvery(5, report.data?.items.some(isUnderWay) ?? false, report.again)
  return (
    <ListView
      title="Jobs"
      noun="jobs"
      report={report}
      columns={columnsOf(names)}
      filters={filters}
      pageSize={pageSize}
      tools={
        <Act needs="provisioning.create" class="main" onClick={() => go('provisioning', { new: 'job' })}>
          Provision
        </Act>
      }
      empty={{
        title: 'Nothing has been provisioned yet.',
        children: (
          <p>
            Get a database, a cluster or a VM pool without a ticket, see what it would cost, and delete it completely
            when done.{' '}
            <Next needs="provisioning.create" what="Provisioning">
              <a href={hrefOf('provisioning', { new: 'job' })}>Choose what to provision</a>. The price is shown first.
            </Next>
          </p>
        ),
      }}
    />
  )
}

export const Phase = ({ job: { phase } }: { job: ProvisioningJob }) => (
  <span class={`badge ${looks[phase]}`}>{phase.replace('_', ' ')}</span>
)

const columnsOf = (names: ReadonlyMap<string, string>): Column<ProvisioningJob>[] => [
  {
    title: 'Job',
    text: ({ name }) => name,
    href: ({ id }) => hrefOf('provisioning', { job: id }),
    sub: ({ kind }) => kinds[kind],
  },
  { title: 'Space', text: ({ spaceID }) => nameOf(names, spaceID) },
  {
    title: 'Phase',
    text: ({ phase }) => phase.replace('_', ' '),
    badge: ({ phase }) => looks[phase],
    sub: (job) => {
      const done = job.steps.filter(({ status }) => status === 'succeeded' || status === 'skipped').length
      const now = job.currentStep ? `, ${job.currentStep.replaceAll('_', ' ')}` : ''
      return isUnderWay(job) && `${done} of ${job.steps.length} steps${now}`
    },
  },
  {
    title: 'Error',
    isLong: true,
    show: ({ error }) => error?.message,
    sub: ({ error }) => error && buckets[error.bucket],
  },
  { title: 'Requested', ago: ({ createdAt }) => createdAt },
  { title: 'Expires', ago: ({ expiresAt }) => expiresAt, none: 'never' },
]
