/** Makes or changes a role of the organization. What somebody else changed meanwhile is not overwritten unseen. */
import { curlOf } from '../../address.ts'
import { ask } from '../../api.ts'
import { diffFields, useEditing } from '../../editing.ts'
import { useRequest, useReport } from '../../report.ts'
import { Copy } from '../../part/copy.tsx'
import { FormProblem, TextField } from '../../part/form.tsx'
import { ConcurrentEdits } from '../../part/concurrent-edits.tsx'
import { Panel } from '../../part/panel.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import type { Role } from './role-options.ts'
import { bodyOf, draftOf } from './draft.ts'
import { PermissionGrid, ScopeFields } from './role-fields.tsx'

interface RoleFormProps {
  /** Undefined: one is made. */
  id: string | undefined
  onClose: () => void
  onDone: () => void
}

export function RoleForm({ id, onClose, onDone }: RoleFormProps) {
  const report = useReport('GET /roles/:roleID', { params: { roleID: id ?? '' }, when: id !== undefined })
  return (
    <Panel title={id ? 'Edit role' : 'New role'}>
      {id === undefined ? (
        <Form role={undefined} onClose={onClose} onDone={onDone} />
      ) : (
        <ReportContent report={report}>
          {(role: Role) => <Form role={role} onClose={onClose} onDone={onDone} />}
        </ReportContent>
      )}
    </Panel>
  )
}

const labels = { all: 'All costs', cloudAccountIDs: 'Accounts', teamIDs: 'Teams' }
const fields = ['/name', '/permissions', '/reportScope']

function Form({ role, onClose, onDone }: { role: Role | undefined; onClose: () => void; onDone: () => void }) {
  const params = { roleID: role?.id ?? '' }
  const look = async () => (await ask('GET /roles/:roleID', { params })).data
  const editing = useEditing({ thing: role, begun: draftOf, look })
  const { draft, set, base, settle } = editing
  const making = useRequest('POST /roles')
  const changing = useRequest('PATCH /roles/:roleID')
  const doing = role ? changing : making
  const { problem } = doing
  const body = role ? diffFields(bodyOf(base), bodyOf(draft)) : bodyOf(draft)
  const isSame = Object.keys(body).length === 0
  const done = () => {
    onDone()
    onClose()
  }
  const save = (event: Event) => {
    event.preventDefault()
    if (!role) return void making.run({ body }, done)
    void settle(() => void changing.run({ params, body }, done))
  }
  return (
    <form class="form" onSubmit={save} noValidate>
      <TextField
        label="Name"
        value={draft.name}
        onValue={(name: string) => set({ name })}
        at="/name"
        problem={problem}
        required
      />
      <PermissionGrid draft={draft} set={set} problem={problem} />
      <ScopeFields draft={draft} set={set} problem={problem} />
      <p class="faint">
        Changes apply from the next request of each member with this role, in all open sessions. You can change it
        again.
      </p>
      <ConcurrentEdits editing={editing} labels={labels} />
      <FormProblem problem={problem} fields={fields} />
      <p class="bar">
        <button type="submit" class="main" disabled={doing.isBusy || editing.isLooking || isSame}>
          {role ? 'Save' : 'Create role'}
        </button>{' '}
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <Copy
          label="Copy as curl"
          text={role ? curlOf('PATCH /roles/:roleID', params, {}, body) : curlOf('POST /roles', {}, {}, body)}
        />
      </p>
    </form>
  )
}
