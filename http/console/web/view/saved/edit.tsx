/** Renames a saved view, or says who sees it. */
import { curlOf } from '../../address.ts'
import { ask } from '../../api.ts'
import { diffFields, useEditing } from '../../editing.ts'
import { useRequest } from '../../report.ts'
import { Copy } from '../../part/copy.tsx'
import { ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { ConcurrentEdits } from '../../part/concurrent-edits.tsx'
import { Panel } from '../../part/panel.tsx'
import { nameHint, savedChanged, getSharingOptions, type SavedView } from '../../part/saved-views.tsx'

const startDraft = (saved: SavedView | undefined) => ({
  name: saved?.name ?? '',
  shared: (saved?.shared ?? 'me') as string,
})
const bodyOf = ({ name, shared }: ReturnType<typeof startDraft>) => ({ name: name.trim(), shared })

export function Edit({ saved, onClose }: { saved: SavedView; onClose: () => void }) {
  const look = async () => (await ask('GET /saved-views')).data.find(({ id }) => id === saved.id)
  const editing = useEditing({ thing: saved, begun: startDraft, look })
  const { draft, set, base, settle } = editing
  const { name, shared } = draft
  const doing = useRequest('PATCH /saved-views/:savedViewID')
  const params = { savedViewID: saved.id }
  const body = diffFields(bodyOf(base), bodyOf(draft))
  const isSame = Object.keys(body).length === 0
  const submit = (event: Event) => {
    event.preventDefault()
    const done = () => {
      savedChanged()
      onClose()
    }
    void settle(() => void doing.run({ params, body }, done))
  }
  return (
    <Panel title="Edit saved view">
      <form class="form" onSubmit={submit} noValidate>
        <TextField
          label="Name"
          value={name}
          onValue={(value: string) => set({ name: value })}
          at="/name"
          problem={doing.problem}
          hint={nameHint(name)}
          required
        />
        {saved.isMine ? (
          <ChoiceField
            label="Visible to"
            value={shared}
            onValue={(value: string) => set({ shared: value })}
            options={getSharingOptions()}
            at="/shared"
            problem={doing.problem}
            hint={
              saved.shared === 'organization' &&
              shared === 'me' &&
              'It disappears from other people’s menus, and their schedules for it are disabled when next due.'
            }
          />
        ) : (
          <p class="faint">Another member shared this view with the organization. You can change only its name.</p>
        )}
        <ConcurrentEdits editing={editing} labels={{ shared: 'Visible to' }} />
        <FormProblem problem={doing.problem} fields={['/name', '/shared']} />
        <p class="bar">
          <button type="submit" class="main" disabled={doing.isBusy || editing.isLooking || isSame}>
            Save
          </button>{' '}
          <button type="button" onClick={onClose}>
            Cancel
          </button>{' '}
          <Copy label="Copy as curl" text={curlOf('PATCH /saved-views/:savedViewID', params, {}, body)} />
        </p>
      </form>
    </Panel>
  )
}
