/** Making, renaming and deleting a team. */
import { ask } from '../../api.ts'
import { go } from '../../router.ts'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'

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
type Draft = ReturnType<typeof startDraft>

const bodyOf = ({ name, description }: Draft, isNew: boolean) => ({
  name,
  ...((!isNew || description) && { description: description || null }),
})

const fieldsOf = (): FormField<Draft>[] => [
  { name: 'name', label: 'Name', isRequired: true },
  { name: 'description', label: 'Description (optional)' },
]

export const TeamForm = ({ team, onClose, onDone }: TeamFormProps) => (
  <Form
    noun="team"
    thing={team}
    begun={startDraft}
    look={async () => (await ask('GET /teams/:teamID', { params: { teamID: team!.id } })).data as EditableTeam}
    fields={fieldsOf}
    labels={{ description: 'Description' }}
    body={bodyOf}
    create="POST /teams"
    update="PATCH /teams/:teamID"
    params={team && { teamID: team.id }}
    note={
      team &&
      'Rules that name teams by tag use the team name: resources tagged with the old name leave the team unless a rule has an alias for it.'
    }
    onClose={onClose}
    onDone={() => {
      onDone()
      onClose()
    }}
  />
)

export const DeleteTeam = ({ team: { id, name } }: { team: EditableTeam }) => (
  <ConfirmButton
    operation="DELETE /teams/:teamID"
    params={{ teamID: id }}
    needs="service.delete"
    isDanger
    label="Delete"
    title={`Delete ${name}?`}
    action="Delete team"
    onDone={() => go('teams', {}, { replace: true })}
  >
    <p>
      Its resources, and their costs in all open months, become unassigned unless another rule assigns them a team.
      Closed months keep its name.
    </p>
    <p>This cannot be undone: a new team with the same name does not regain manual assignments.</p>
  </ConfirmButton>
)
