/** Deployments: which branch of which repository is built, where it runs, and its revisions with their builds. */
import { useState } from 'preact/hooks'
import { ago, timeText } from '../../day.ts'
import { change, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { DeploymentForm } from './deployment-form.tsx'
import { Revisions } from './revisions.tsx'
import { useSpaces } from './use-spaces.ts'
import { nameOf, type Deployment, type Deployments as Found } from './labels.ts'

const pageSize = 20

export function Deployments() {
  if (!may('deployment.view'))
    return (
      <Empty title="Your role cannot view deployments.">
        <p>
          It requires the permission <code>deployment.view</code>. An administrator of your organization can grant it to
          you.
        </p>
      </Empty>
    )
  return <DeploymentList />
}

function DeploymentList() {
  const [page, search, opened] = [Number(param('page') ?? 1), param('search'), param('deployment')]
  const report = useReport('GET /deployments', { query: { search, page, limit: pageSize } })
  const { spaces, names } = useSpaces()
  const [edited, setEdited] = useState<Deployment | 'new' | undefined>()
  const done = () => {
    setEdited(undefined)
    report.again()
  }
  /** What is opened of one that is gone goes with it. */
  const removed = (id: string) => {
    if (opened === id) change({ deployment: null }, { replace: true })
    report.again()
  }
  const find = (event: Event) =>
    change({ search: (event.target as HTMLInputElement).value || null, page: null }, { replace: true })
  return (
    <>
      {edited !== undefined && (
        <DeploymentForm
          key={edited === 'new' ? '' : edited.id}
          deployment={edited === 'new' ? undefined : edited}
          spaces={spaces}
          onClose={() => setEdited(undefined)}
          onDone={done}
        />
      )}
      <Panel
        title="Deployments"
        tools={
          <>
            <Act needs="deployment.create" class="main" onClick={() => setEdited('new')}>
              New deployment
            </Act>
            <Copies report={report} />
          </>
        }
      >
        <p class="bar">
          <label>
            Search <input type="search" data-search value={search ?? ''} onChange={find} />
          </label>
        </p>
        <ReportContent report={report} rows={4}>
          {(data: Found) =>
            data.total === 0 ? (
              <Empty title={search === undefined ? 'No deployments yet.' : 'No deployments match the search.'}>
                <p>
                  Each push to a deployment’s branch is built once.{' '}
                  <Next needs="deployment.create" what="Creating one">
                    Create the first one above.
                  </Next>{' '}
                  The repository host must{' '}
                  <a href="https://docs.github.com/webhooks" target="_blank" rel="noreferrer noopener">
                    send push webhooks
                  </a>
                  , which an operator sets up (docs/webhooks.md).
                </p>
              </Empty>
            ) : (
              <>
                <Table
                  caption="Deployments"
                  columns={columnsOf(names, setEdited, removed)}
                  rows={data.items}
                  keyOf={({ id }: Deployment) => id}
                />
                <Pages page={page} limit={pageSize} total={data.total} onPage={(to: number) => change({ page: to })} />
              </>
            )
          }
        </ReportContent>
      </Panel>
      {opened !== undefined && (
        <Revisions key={opened} id={opened} deployment={report.data?.items.find(({ id }) => id === opened)} />
      )}
    </>
  )
}

const columnsOf = (
  names: ReadonlyMap<string, string>,
  onEdit: (one: Deployment) => void,
  removed: (id: string) => void,
) => [
  {
    key: 'name',
    title: 'Deployment',
    show: ({ id, name }: Deployment) => (
      <a
        class="clip wide"
        dir="auto"
        title={name}
        href={hrefOf('provisioning', { tab: 'deployments', deployment: id })}
      >
        {name}
      </a>
    ),
  },
  {
    key: 'from',
    title: 'Repository',
    show: ({ repositoryURL, branch }: Deployment) => (
      <>
        <span class="clip wide" title={repositoryURL}>
          {repositoryURL}
        </span>
        <span class="sub faint clip wide" title={branch}>
          {branch}
        </span>
      </>
    ),
  },
  {
    key: 'space',
    title: 'Space',
    show: ({ spaceID }: Deployment) => (
      <span class="clip" dir="auto">
        {nameOf(names, spaceID)}
      </span>
    ),
  },
  {
    key: 'auto',
    title: 'Build on push',
    show: ({ auto_deploy: isAuto }: Deployment) =>
      isAuto ? <span class="badge good">on</span> : <span class="badge">off</span>,
  },
  {
    key: 'changed',
    title: 'Changed',
    show: ({ updatedAt }: Deployment) => <span title={timeText(updatedAt)}>{ago(updatedAt)}</span>,
  },
  {
    key: 'do',
    title: 'Actions',
    show: (one: Deployment) => (
      <>
        <Act needs="deployment.update" isSmall label={`Edit ${one.name}`} onClick={() => onEdit(one)}>
          Edit
        </Act>
        <ConfirmButton
          operation="DELETE /deployments/:deploymentID"
          params={{ deploymentID: one.id }}
          needs="deployment.delete"
          isDanger
          label="Remove"
          of={one.name}
          title="Remove this deployment?"
          action="Remove deployment"
          onDone={() => removed(one.id)}
        >
          <p>
            <strong dir="auto">{one.name}</strong> stops following <code>{one.branch}</code>: pushes are no longer
            built. A build in progress finishes but is not promoted. Its revisions remain visible; running workloads
            continue at the same cost. This cannot be undone, but you can create another deployment.
          </p>
        </ConfirmButton>
      </>
    ),
  },
]
