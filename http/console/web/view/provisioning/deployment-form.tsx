/** Makes or changes a deployment. */
import { useState } from 'preact/hooks'
import { ask } from '../../api.ts'
import { diffFields, useEditing } from '../../editing.ts'
import { useRequest } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { CheckField, ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { ConcurrentEdits, Same } from '../../part/concurrent-edits.tsx'
import { Panel } from '../../part/panel.tsx'
import { ConfirmDialog } from '../../part/confirm-dialog.tsx'
import type { Deployment, Space } from './labels.ts'

export interface DeploymentFormProps {
  deployment: Deployment | undefined
  spaces: readonly Space[]
  onClose: () => void
  onDone: () => void
}

const fields = ['/name', '/spaceID', '/repositoryURL', '/branch', '/auto_deploy']

const labels = {
  spaceID: 'Space',
  repositoryURL: 'Repository URL',
  auto_deploy: 'Build on every push to the branch',
}

const makes = { heading: 'New deployment', needs: 'deployment.create', button: 'Create deployment…' }
const changes = { heading: 'Edit deployment', needs: 'deployment.update', button: 'Save…' }

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
  const editing = useEditing({ thing: deployment, begun: (of: Deployment | undefined) => startDraft(of, spaces), look })
  const { draft, set, base, settle } = editing
  const body = deployment ? diffFields(base, draft) : draft
  const isSame = Object.keys(body).length === 0
  const [isAsked, setAsked] = useState(false)
  const making = useRequest('POST /deployments')
  const changing = useRequest('PATCH /deployments/:deploymentID')
  const { problem } = deployment ? changing : making
  const request = deployment
    ? {
        operation: 'PATCH /deployments/:deploymentID' as const,
        params: { deploymentID: deployment.id },
        doing: changing,
        title: 'Save this deployment?',
        action: 'Save changes',
      }
    : { operation: 'POST /deployments' as const, doing: making, title: 'Create this deployment?', action: 'Create' }
  const words = deployment ? changes : makes
  const options = [
    ...(draft.spaceID === '' ? [{ value: '', title: 'no spaces yet' }] : []),
    ...spaces.map(({ id, name, region }) => ({ value: id, title: `${name} (${region})` })),
  ]
  const submit = (event: Event) => {
    event.preventDefault()
    void settle(() => setAsked(true))
  }
  return (
    <Panel title={words.heading}>
      <form class="form" onSubmit={submit} noValidate>
        <TextField
          label="Name"
          value={draft.name}
          onValue={(name: string) => set({ name })}
          at="/name"
          problem={problem}
        />
        <ChoiceField
          label="Space"
          value={draft.spaceID}
          options={options}
          onValue={(spaceID: string) => set({ spaceID })}
          at="/spaceID"
          problem={problem}
        />
        <TextField
          label="Repository URL"
          value={draft.repositoryURL}
          onValue={(repositoryURL: string) => set({ repositoryURL })}
          at="/repositoryURL"
          problem={problem}
          isCode
          hint="https, ssh or git@host:path, without user name and password"
        />
        <TextField
          label="Branch"
          value={draft.branch}
          onValue={(branch: string) => set({ branch })}
          at="/branch"
          problem={problem}
          isCode
        />
        <CheckField
          label="Build on every push to the branch"
          isOn={draft.auto_deploy}
          onValue={(isOn: boolean) => set({ auto_deploy: isOn })}
        />
        <ConcurrentEdits editing={editing} labels={labels} />
        <FormProblem problem={problem} fields={fields} />
        <p class="bar">
          <Act type="submit" needs={words.needs} class="main" disabled={isSame}>
            {words.button}
          </Act>{' '}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <Same isSame={isSame} />
        </p>
      </form>
      {isAsked && (
        <ConfirmDialog
          {...request}
          body={body}
          settle={settle}
          closesOnProblem
          onDone={onDone}
          onClose={() => setAsked(false)}
        >
          <p>
            {draft.auto_deploy ? (
              <>
                From now on each push to <code>{draft.branch}</code> of <code>{draft.repositoryURL}</code> is built
                once. The build service charges for it, not Tidemark.
              </>
            ) : (
              'Pushes are not built: nothing happens and nothing is charged until you enable it.'
            )}{' '}
            You can edit or remove the deployment at any time; existing revisions remain.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}
