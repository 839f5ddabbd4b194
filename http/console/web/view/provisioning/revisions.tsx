/** The revisions of a deployment, newest first: what was pushed, and what became of its build. */
import type { Reply } from '../../api.ts'
import { param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Clip } from '../../part/clip.tsx'
import { ExternalLink } from '../../part/external-link.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { useEvery } from '../../part/polling.ts'
import type { Deployment } from './labels.ts'

type Revision = Reply<'GET /deployments/:deploymentID/revisions'>['items'][number]

const pageSize = 20
const looks: Readonly<Record<Revision['status'], string>> = {
  queued: '',
  building: 'warning',
  promoted: 'good',
  superseded: '',
  failed: 'failed',
}

export function Revisions({ id, deployment }: { id: string; deployment: Deployment | undefined }) {
  const report = useReport('GET /deployments/:deploymentID/revisions', {
    params: { deploymentID: id },
    query: { page: param('revisions') ?? 1, limit: pageSize },
  })
  const isBuilding = report.data?.items.some(({ status }) => status === 'queued' || status === 'building') ?? false
  useEvery(5, isBuilding, report.again)
  const columns: Column<Revision>[] = [
    {
      title: 'Commit',
      csv: ({ commitSHA }) => commitSHA,
      show: (one) => (
        <>
          <code title={one.commitSHA}>{one.commitSHA.slice(0, 10)}</code>{' '}
          {one.id === deployment?.currentRevisionID && <span class="badge good">current</span>}
        </>
      ),
      sub: ({ ref }) => <Clip text={ref} />,
    },
    {
      title: 'Build',
      text: ({ status }) => status,
      badge: ({ status }) => looks[status],
      sub: ({ failureReason }) => failureReason,
    },
    {
      title: 'Image',
      csv: ({ imageRef }) => imageRef,
      show: ({ imageRef }) =>
        imageRef ? (
          <code class="clip wide" title={imageRef}>
            {imageRef}
          </code>
        ) : (
          '–'
        ),
    },
    {
      title: 'Log',
      csv: ({ logsURL }) => logsURL,
      show: ({ logsURL }) => (logsURL ? <ExternalLink href={logsURL}>Open</ExternalLink> : '–'),
    },
    { title: 'Pushed', ago: ({ createdAt }) => createdAt },
    { title: 'Finished', ago: ({ completedAt }) => completedAt, none: 'not yet' },
  ]
  return (
    <ListView
      title="Revisions"
      noun="revisions"
      about={deployment?.name ?? ''}
      report={report}
      columns={columns}
      pageSize={pageSize}
      pageName="revisions"
      bones={3}
      empty={{
        title: 'No revisions yet.',
        children: <p>The next push to its branch creates a revision and builds it.</p>,
      }}
    />
  )
}
