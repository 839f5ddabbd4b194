/** Another password. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { useRequest } from '../../report.ts'
import { Copy } from '../../part/copy.tsx'
import { FormProblem, TextField } from '../../part/form.tsx'
import { Panel } from '../../part/panel.tsx'

const maskedBody = { currentPassword: '…', newPassword: '…' }

export function Password() {
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const doing = useRequest('POST /auth/password/change')
  const submit = (event: Event) => {
    event.preventDefault()
    void doing.run({ body: { currentPassword, newPassword } }, () => {
      setCurrent('')
      setNew('')
    })
  }
  return (
    <Panel title="Change password">
      <form class="form" onSubmit={submit} noValidate>
        <TextField
          label="Current password"
          type="password"
          value={currentPassword}
          onValue={setCurrent}
          at="/currentPassword"
          problem={doing.problem}
          autoComplete="current-password"
          isCode
          required
        />
        <TextField
          label="New password"
          type="password"
          value={newPassword}
          onValue={setNew}
          at="/newPassword"
          problem={doing.problem}
          autoComplete="new-password"
          isCode
          required
        />
        <p class="faint">
          Changing it ends all your other sessions; your tokens keep working. If you sign in with a link, Google, GitHub
          or your organization’s provider, you have no password here.
        </p>
        <FormProblem problem={doing.problem} fields={['/currentPassword', '/newPassword']} />
        <p class="bar">
          <button type="submit" class="main" disabled={doing.isBusy}>
            Change password
          </button>{' '}
          <Copy label="Copy as curl" text={curlOf('POST /auth/password/change', {}, {}, maskedBody)} />
          {doing.done && (
            <span class="note good" role="status">
              Password changed. Your other sessions have ended.
            </span>
          )}
        </p>
      </form>
    </Panel>
  )
}
