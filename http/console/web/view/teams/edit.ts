/** Making, renaming and deleting a team. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import { go } from '../../place.ts'
import { useDoing } from '../../report.ts'
import { Act } from '../../part/act.ts'
import { Confirm } from '../../part/confirm.ts'
import { Refused, TextField } from '../../part/form.ts'
import { Panel } from '../../part/panel.ts'

export interface Edited {
  id: string
  name: string
  description?: string
}

export interface TeamFormProps {
  /** Undefined: one is made. */
  team?: Edited
  onClose: () => void
  onDone: () => void
}

export function TeamForm({ team, onClose, onDone }: TeamFormProps) {
  const [name, setName] = useState(team?.name ?? '')
  const [description, setDescription] = useState(team?.description ?? '')
  const making = useDoing('POST /teams')
  const changing = useDoing('PATCH /teams/:teamID')
  const doing = team ? changing : making
  const submit = async (event: Event) => {
    event.preventDefault()
    const made = team
      ? await changing.run({ params: { teamID: team.id }, body: { name, description: description || null } })
      : await making.run({ body: { name, ...(description && { description }) } })
    if (!made) return
    onDone()
    onClose()
  }
  const title = team ? 'Rename the team' : 'New team'
  return html`<${Panel} title=${title}>
    <form class="form" onSubmit=${submit} noValidate>
      <${TextField} label="Name" value=${name} onValue=${setName} at="/name" problem=${doing.problem} required />
      <${TextField} label="What it is (may be left out)" value=${description} onValue=${setDescription} at="/description" problem=${doing.problem} />
      ${team && html`<p class="faint">Rules that name teams by a tag go by the name: resources whose tag says the old one leave the team, unless a rule has an alias for it.</p>`}
      <${Refused} problem=${doing.problem} fields=${['/name', '/description']} />
      <p class="bar"><${Act} type="submit" needs=${team ? 'service.update' : 'service.create'} class="main" disabled=${doing.isBusy}>${team ? 'Save' : 'Make the team'}<//> <button type="button" onClick=${onClose}>Cancel</button></p>
    </form>
  <//>`
}

export function DeleteTeam({ team, onClose }: { team: Edited; onClose: () => void }) {
  const doing = useDoing('DELETE /teams/:teamID')
  const run = () => void doing.run({ params: { teamID: team.id } }, () => go('teams', {}, { replace: true }))
  return html`<${Confirm} title=${`Delete ${team.name}?`} action="Delete the team" isDanger doing=${doing} request=${{ operation: 'DELETE /teams/:teamID', params: { teamID: team.id } }} onConfirm=${run} onClose=${onClose}>
    <p>Its resources, and their costs of all open months, become Unassigned, unless another rule gives them a team. Closed months keep its name.</p>
    <p>This cannot be undone: a new team of the same name does not get back what was assigned by hand.</p>
  <//>`
}
