/** Closes the organization, to be deleted after a grace; for its owners. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { useRequest } from '../../report.ts'
import { lookAgain, session } from '../../session.ts'
import { ConfirmDialog } from '../../part/confirm-dialog.tsx'
import { Copy } from '../../part/copy.tsx'
import { FormProblem, TextField } from '../../part/form.tsx'
import { Panel } from '../../part/panel.tsx'

export function DeleteOrganization() {
  const { orgID, me, tenants } = session.value!
  const [name, setName] = useState('')
  const [isAsked, setAsked] = useState(false)
  const doing = useRequest('DELETE /organisations/:orgID')
  if (me.role !== 'owner') return null
  const known = tenants.find(({ id }) => id === orgID)?.name ?? ''
  const params = { orgID: orgID! }
  const body = { name }
  const submit = (event: Event) => {
    event.preventDefault()
    setAsked(true)
  }
  return (
    <Panel title="Delete organization">
      <form class="form" onSubmit={submit} noValidate>
        <p>
          The organization is closed immediately. After seven days, all its data is deleted: bills, resources, settings,
          members and their tokens. Until then, an owner can restore it.
        </p>
        <TextField
          label="Enter its name to confirm"
          value={name}
          onValue={setName}
          at="/name"
          problem={doing.problem}
          hint={known}
        />
        <FormProblem problem={doing.problem} fields={['/name']} />
        <p class="bar">
          <button type="submit" class="danger" disabled={doing.isBusy || name !== known}>
            Delete organization
          </button>{' '}
          <Copy label="Copy as curl" text={curlOf('DELETE /organisations/:orgID', params, {}, body)} />
        </p>
      </form>
      {isAsked && (
        <ConfirmDialog
          operation="DELETE /organisations/:orgID"
          params={params}
          body={body}
          doing={doing}
          closesOnProblem
          title="Delete organization?"
          action="Delete"
          isDanger
          onDone={() => void lookAgain()}
          onClose={() => setAsked(false)}
        >
          <p>
            <strong dir="auto">{known}</strong> is closed for everyone now and deleted after seven days.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}
