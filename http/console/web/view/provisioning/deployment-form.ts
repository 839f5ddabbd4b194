/** Makes or changes a deployment. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import { useDoing } from '../../report.ts'
import { Act } from '../../part/act.ts'
import { CheckField, ChoiceField, Refused, TextField } from '../../part/form.ts'
import { Panel } from '../../part/panel.ts'
import { Asked } from '../../part/sure.ts'
import type { Deployment } from './deployments.ts'
import type { Space } from './words.ts'

export interface DeploymentFormProps {
  deployment: Deployment | undefined
  spaces: readonly Space[]
  onClose: () => void
  onDone: () => void
}

const fields = ['/name', '/spaceID', '/repositoryURL', '/branch', '/auto_deploy']

export function DeploymentForm({ deployment, spaces, onClose, onDone }: DeploymentFormProps) {
  const [draft, setDraft] = useState({
    name: deployment?.name ?? '',
    spaceID: deployment?.spaceID ?? spaces[0]?.id ?? '',
    repositoryURL: deployment?.repositoryURL ?? '',
    branch: deployment?.branch ?? 'main',
    auto_deploy: deployment?.auto_deploy ?? true,
  })
  const [isAsked, setAsked] = useState(false)
  const set = (changes: Partial<typeof draft>) => setDraft({ ...draft, ...changes })
  const making = useDoing('POST /deployments')
  const changing = useDoing('PATCH /deployments/:deploymentID')
  const { problem } = deployment ? changing : making
  const request = deployment
    ? {
        operation: 'PATCH /deployments/:deploymentID',
        params: { deploymentID: deployment.id },
        doing: changing,
        title: 'Change this deployment?',
        action: 'Save it',
      }
    : { operation: 'POST /deployments', doing: making, title: 'Make this deployment?', action: 'Make it' }
  const options = [
    ...(draft.spaceID === '' ? [{ value: '', title: 'there is no space yet' }] : []),
    ...spaces.map(({ id, name, region }) => ({ value: id, title: `${name} (${region})` })),
  ]
  const submit = (event: Event) => {
    event.preventDefault()
    setAsked(true)
  }
  return html`<${Panel} title=${deployment ? 'Change the deployment' : 'New deployment'}>
    <form class="form" onSubmit=${submit} noValidate>
      <${TextField} label="Name" value=${draft.name} onValue=${(name: string) => set({ name })} at="/name" problem=${problem} />
      <${ChoiceField} label="Space it runs in" value=${draft.spaceID} options=${options} onValue=${(spaceID: string) => set({ spaceID })} at="/spaceID" problem=${problem} />
      <${TextField} label="Address of the repository" value=${draft.repositoryURL} onValue=${(repositoryURL: string) => set({ repositoryURL })} at="/repositoryURL" problem=${problem} isCode hint="https, ssh or git@host:path, without user and password" />
      <${TextField} label="Branch" value=${draft.branch} onValue=${(branch: string) => set({ branch })} at="/branch" problem=${problem} isCode />
      <${CheckField} label="A push to the branch is built" isOn=${draft.auto_deploy} onValue=${(isOn: boolean) => set({ auto_deploy: isOn })} />
      <${Refused} problem=${problem} fields=${fields} />
      <p class="bar"><${Act} type="submit" needs=${deployment ? 'deployment.update' : 'deployment.create'} class="main">${deployment ? 'Save …' : 'Make the deployment …'}<//> <button type="button" onClick=${onClose}>Cancel</button></p>
    </form>
    ${
      isAsked &&
      html`<${Asked} ...${request} body=${draft} closesOnProblem onDone=${onDone} onClose=${() => setAsked(false)}>
      <p>${draft.auto_deploy ? html`From now on each push to <code>${draft.branch}</code> of <code>${draft.repositoryURL}</code> is built, once; the builder says what that costs, not Tidemark.` : 'Pushes are not built: nothing happens and it costs nothing until that is switched on.'} It can be changed and removed at any time; revisions that there are stay.</p><//>`
    }
  <//>`
}
