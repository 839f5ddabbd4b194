/** Deployments: which branch of which repository is built, where it runs, and its revisions with their builds. */
import { useState } from 'preact/hooks'
import { change, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { Clip } from '../../part/clip.tsx'
import { Act } from '../../part/act.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Next } from '../../part/next-step.tsx'
import { Empty } from '../../part/report-content.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { DeploymentForm } from './deployment-form.tsx'
import { Revisions } from './revisions.tsx'
import { useSpaces } from './use-spaces.ts'
import { nameOf, type Deployment } from './labels.ts'

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

const filters = [{ name: 'search', title: 'Search' }]

function DeploymentList() {
  const opened = param('deployment')
  const query = { search: param('search'), page: param('page') ?? 1, limit: pageSize }
  const report = useReport('GET /deployments', { query })
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
      <ListView
        title="Deployments"
        noun="deployments"
        report={report}
        columns={columnsOf(names, setEdited, removed)}
        filters={filters}
        pageSize={pageSize}
        bones={4}
        tools={
          <Act needs="deployment.create" class="main" onClick={() => setEdited('new')}>
            New deployment
          </Act>
        }
        empty={{
          title: 'No deployments yet.',
          children: (
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
          ),
        }}
      />
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
): Column<Deployment>[] => [
  {
    title: 'Deployment',
    text: ({ name }) => name,
    href: ({ id }) => hrefOf('provisioning', { tab: 'deployments', deployment: id }),
  },
  {
    title: 'Repository',
    text: ({ repositoryURL }) => repositoryURL,
    sub: ({ branch }) => <Clip text={branch} size="wide" />,
  },
  { title: 'Space', text: ({ spaceID }) => nameOf(names, spaceID) },
  {
    title: 'Build on push',
    text: ({ auto_deploy: isAuto }) => (isAuto ? 'on' : 'off'),
    badge: ({ auto_deploy: isAuto }) => (isAuto ? 'good' : ''),
  },
  { title: 'Changed', ago: ({ updatedAt }) => updatedAt },
  {
    title: 'Actions',
    isAction: true,
    show: (one) => (
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
