/** The revisions of a deployment, newest first: what was pushed, and what became of its build. */
import type { Reply } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { change, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Copies } from '../../part/copy.tsx'
import { ExternalLink } from '../../part/external-link.tsx'
import { useEvery } from '../../part/polling.ts'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
import type { Deployment } from './labels.ts'

type RevisionPage = Reply<'GET /deployments/:deploymentID/revisions'>
type Revision = RevisionPage['items'][number]

const pageSize = 20
const looks: Readonly<Record<Revision['status'], string>> = {
  queued: '',
  building: 'warning',
  promoted: 'good',
  superseded: '',
  failed: 'failed',
}

export function Revisions({ id, deployment }: { id: string; deployment: Deployment | undefined }) {
  const page = Number(param('revisions') ?? 1)
  const report = useReport('GET /deployments/:deploymentID/revisions', {
    params: { deploymentID: id },
    query: { page, limit: pageSize },
  })
  useEvery(
    5,
    report.data?.items.some(({ status }) => status === 'queued' || status === 'building') ?? false,
    report.again,
  )
  const columns = [
    {
      key: 'commit',
      title: 'Commit',
      show: (one: Revision) => (
        <>
          <code title={one.commitSHA}>{one.commitSHA.slice(0, 10)}</code>
          {one.id === deployment?.currentRevisionID && (
            <>
              {' '}
              <span class="badge good">current</span>
            </>
          )}
          <span class="sub faint clip" title={one.ref}>
            {one.ref}
          </span>
        </>
      ),
    },
    {
      key: 'status',
      title: 'Build',
      show: ({ status, failureReason }: Revision) => (
        <>
          <span class={`badge ${looks[status]}`}>{status}</span>
          {failureReason && <span class="sub">{failureReason}</span>}
        </>
      ),
    },
    {
      key: 'image',
      title: 'Image',
      show: ({ imageRef }: Revision) =>
        imageRef ? (
          <code class="clip wide" title={imageRef}>
            {imageRef}
          </code>
        ) : (
          '–'
        ),
    },
    {
      key: 'logs',
      title: 'Log',
      show: ({ logsURL }: Revision) => (logsURL ? <ExternalLink href={logsURL}>Open</ExternalLink> : '–'),
    },
    {
      key: 'at',
      title: 'Pushed',
      show: ({ createdAt }: Revision) => <span title={timeText(createdAt)}>{ago(createdAt)}</span>,
    },
    {
      key: 'end',
      title: 'Finished',
      show: ({ completedAt }: Revision) =>
        completedAt ? (
          <span title={timeText(completedAt)}>{ago(completedAt)}</span>
        ) : (
          <span class="faint">not yet</span>
        ),
    },
  ]
  return (
    <Panel title="Revisions" about={deployment?.name ?? ''} tools={<Copies report={report} />}>
      <ReportContent report={report} rows={3}>
        {(data: RevisionPage) =>
          data.total === 0 ? (
            <Empty title="No revisions yet.">
              <p>The next push to its branch creates a revision and builds it.</p>
            </Empty>
          ) : (
            <>
              <Table caption="Revisions" columns={columns} rows={data.items} keyOf={(one: Revision) => one.id} />
              <Pages
                page={page}
                limit={pageSize}
                total={data.total}
                onPage={(to: number) => change({ revisions: to })}
              />
            </>
          )
        }
      </ReportContent>
    </Panel>
  )
}
