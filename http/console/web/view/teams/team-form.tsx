/** Making, renaming and deleting a team. */
import { ask } from '../../api.ts'
import { diffFields, useEditing } from '../../editing.ts'
import { go } from '../../router.ts'
import { useRequest } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { FormProblem, TextField } from '../../part/form.tsx'
import { ConcurrentEdits, Same } from '../../part/concurrent-edits.tsx'
import { Panel } from '../../part/panel.tsx'

export interface EditableTeam {
  id: string
  name: string
  description?: string
}

export interface TeamFormProps {
  /** Undefined: one is made. */
  team?: EditableTeam
  onClose: () => void
  onDone: () => void
}

const startDraft = (team: EditableTeam | undefined) => ({
  name: team?.name ?? '',
  description: team?.description ?? '',
})
const bodyOf = ({ name, description }: ReturnType<typeof startDraft>) => ({ name, description: description || null })

export function TeamForm({ team, onClose, onDone }: TeamFormProps) {
  const look = async () => (await ask('GET /teams/:teamID', { params: { teamID: team!.id } })).data as EditableTeam
  const editing = useEditing({ thing: team, begun: startDraft, look })
  const { draft, set, base, settle } = editing
  const { name, description } = draft
  const body = diffFields(bodyOf(base), bodyOf(draft))
  const isSame = team !== undefined && Object.keys(body).length === 0
  const making = useRequest('POST /teams')
  const changing = useRequest('PATCH /teams/:teamID')
  const doing = team ? changing : making
  const done = () => {
    onDone()
    onClose()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (!team) return void making.run({ body: { name, ...(description && { description }) } }, done)
    void settle(() => void changing.run({ params: { teamID: team.id }, body }, done))
  }
  const title = team ? 'Edit team' : 'New team'
  return (
    <Panel title={title}>
      <form class="form" onSubmit={submit} noValidate>
        <TextField
          label="Name"
          value={name}
          onValue={(value: string) => set({ name: value })}
          at="/name"
          problem={doing.problem}
          required
        />
        <TextField
          label="Description (optional)"
          value={description}
          onValue={(value: string) => set({ description: value })}
          at="/description"
          problem={doing.problem}
        />
        {team && (
          <p class="faint">
            Rules that name teams by tag use the team name: resources tagged with the old name leave the team unless a
            rule has an alias for it.
          </p>
        )}
        <ConcurrentEdits editing={editing} labels={{ description: 'Description' }} />
        <FormProblem problem={doing.problem} fields={['/name', '/description']} />
        <p class="bar">
          <Act
            type="submit"
            needs={team ? 'service.update' : 'service.create'}
            class="main"
            disabled={doing.isBusy || editing.isLooking || isSame}
          >
            {team ? 'Save' : 'Create team'}
          </Act>{' '}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <Same isSame={isSame} />
        </p>
      </form>
    </Panel>
  )
}

export function DeleteTeam({ team, onClose }: { team: EditableTeam; onClose: () => void }) {
  const doing = useRequest('DELETE /teams/:teamID')
  const run = () => void doing.run({ params: { teamID: team.id } }, () => go('teams', {}, { replace: true }))
  return (
    <Confirm
      title={`Delete ${team.name}?`}
      action="Delete team"
      isDanger
      doing={doing}
      request={{ operation: 'DELETE /teams/:teamID', params: { teamID: team.id } }}
      onConfirm={run}
      onClose={onClose}
    >
      <p>
        Its resources, and their costs in all open months, become unassigned unless another rule assigns them a team.
        Closed months keep its name.
      </p>
      <p>This cannot be undone: a new team with the same name does not regain manual assignments.</p>
    </Confirm>
  )
}
