/** Makes or changes a deployment. */
import { ask } from '../../api.ts'
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'
import type { Deployment, Space } from './labels.ts'

export interface DeploymentFormProps {
  deployment: Deployment | undefined
  spaces: readonly Space[]
  onClose: () => void
  onDone: () => void
}

type Draft = Pick<Deployment, 'name' | 'spaceID' | 'repositoryURL' | 'branch' | 'auto_deploy'>

function startDraft(deployment: Deployment | undefined, spaces: readonly Space[]): Draft {
  if (!deployment)
    return { name: '', spaceID: spaces[0]?.id ?? '', repositoryURL: '', branch: 'main', auto_deploy: true }
  const { name, spaceID, repositoryURL, branch, auto_deploy: isAuto } = deployment
  return { name, spaceID, repositoryURL, branch, auto_deploy: isAuto }
}

export function DeploymentForm({ deployment, spaces, onClose, onDone }: DeploymentFormProps) {
  const look = async () => {
    const { data } = await ask('GET /deployments', { query: { limit: 100 } })
    return data.items.find(({ id }) => id === deployment!.id)
  }
  const fields = ({ spaceID }: Draft): FormField<Draft>[] => [
    { name: 'name', label: 'Name' },
    {
      name: 'spaceID',
      label: 'Space',
      kind: 'choice',
      options: [
        ...(spaceID === '' ? [{ value: '', title: 'no spaces yet' }] : []),
        ...spaces.map(({ id, name, region }) => ({ value: id, title: `${name} (${region})` })),
      ],
    },
    {
      name: 'repositoryURL',
      label: 'Repository URL',
      kind: 'code',
      help: 'https, ssh or git@host:path, without user name and password',
    },
    { name: 'branch', label: 'Branch', kind: 'code' },
    { name: 'auto_deploy', label: 'Build on every push to the branch', kind: 'check' },
  ]
  return (
    <Form
      noun="deployment"
      thing={deployment}
      begun={(of) => startDraft(of, spaces)}
      look={look}
      fields={fields}
      create="POST /deployments"
      update="PATCH /deployments/:deploymentID"
      params={deployment && { deploymentID: deployment.id }}
      needs={{ create: 'deployment.create', update: 'deployment.update' }}
      confirm={(draft) => ({
        title: deployment ? 'Save this deployment?' : 'Create this deployment?',
        action: deployment ? 'Save changes' : 'Create',
        children: <Happens draft={draft} />,
      })}
      onClose={onClose}
      onDone={onDone}
    />
  )
}

const Happens = ({ draft }: { draft: Draft }) => (
  <p>
    {draft.auto_deploy ? (
      <>
        From now on each push to <code>{draft.branch}</code> of <code>{draft.repositoryURL}</code> is built once. The
        build service charges for it, not Tidemark.
      </>
    ) : (
      'Pushes are not built: nothing happens and nothing is charged until you enable it.'
    )}{' '}
    You can edit or remove the deployment at any time; existing revisions remain.
  </p>
)
