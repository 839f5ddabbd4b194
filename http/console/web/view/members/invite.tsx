/** Invites a person by mail. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { useRequest } from '../../report.ts'
import { Copy } from '../../part/copy.tsx'
import { ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { Panel } from '../../part/panel.tsx'
import { optionsOf, type Role } from './role-options.ts'

export function Invite({ roles, onDone }: { roles: readonly Role[]; onDone: () => void }) {
  const [email, setEmail] = useState('')
  const [roleID, setRole] = useState('viewer')
  const doing = useRequest('POST /members')
  const body = { email: email.trim(), roleID }
  const submit = (event: Event) => {
    event.preventDefault()
    void doing.run({ body }, () => {
      setEmail('')
      onDone()
    })
  }
  return (
    <Panel title="Invite a member">
      <form class="form" onSubmit={submit} noValidate>
        <TextField
          label="Email"
          type="email"
          value={email}
          onValue={setEmail}
          at="/email"
          problem={doing.problem}
          required
        />
        <ChoiceField
          label="Role"
          value={roleID}
          onValue={setRole}
          options={roles.length > 0 ? optionsOf(roles) : [{ value: 'viewer', title: 'viewer' }]}
          at="/roleID"
          problem={doing.problem}
        />
        <p class="faint">
          They get an email and become a member when they sign in and join the organization. You can withdraw the
          invitation.
        </p>
        <FormProblem problem={doing.problem} fields={['/email', '/roleID']} />
        <p class="bar">
          <button type="submit" class="main" disabled={doing.isBusy}>
            {doing.isBusy ? 'Inviting…' : 'Invite'}
          </button>{' '}
          <Copy label="Copy as curl" text={curlOf('POST /members', {}, {}, body)} />
          {doing.done && !doing.problem && (
            <span class="note good" role="status">
              {doing.done.email} has been invited.
            </span>
          )}
        </p>
      </form>
    </Panel>
  )
}
