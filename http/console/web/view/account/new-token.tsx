/** Makes a personal access token. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { param } from '../../router.ts'
import { useRequest } from '../../report.ts'
import { Copy } from '../../part/copy.tsx'
import { ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { OneTimeSecret } from '../../part/one-time-secret.tsx'
import { Panel } from '../../part/panel.tsx'

const scopes = [
  { value: 'api', title: 'API' },
  { value: 'analyst', title: 'Analyst SQL: reads the views that your permissions allow' },
]

const mays = [
  { value: '', title: 'Everything you can do' },
  { value: 'viewer', title: 'Read-only: no more than a viewer' },
]

const dayMs = 86_400_000
/** Days, as the service has them where nothing is said; empty: until it is revoked. */
const lasting = [
  { value: '7', title: '1 week' },
  { value: '30', title: '30 days' },
  { value: '90', title: '90 days' },
  { value: '365', title: '1 year' },
  { value: '', title: 'Never (until revoked)' },
]

export function NewToken({ onDone }: { onDone: () => void }) {
  const isForAgent = param('for') === 'agent'
  const [name, setName] = useState(isForAgent ? 'agent' : '')
  const [role, setRole] = useState(isForAgent ? 'viewer' : '')
  const [scope, setScope] = useState('api')
  const [days, setDays] = useState('90')
  const doing = useRequest('POST /settings/personal-access-tokens')
  const bodyNow = () => ({
    name,
    scope,
    ...(role !== '' && { role }),
    expiresAt: days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString(),
  })
  const submit = (event: Event) => {
    event.preventDefault()
    void doing.run({ body: bodyNow() }, () => {
      setName('')
      onDone()
    })
  }
  return (
    <Panel title="Create a token">
      {doing.done && (
        <OneTimeSecret
          key={doing.done.id}
          label={`Token ${doing.done.name}`}
          text={doing.done.token}
          onClose={doing.clear}
        >
          <p class="faint">
            Send it as <code>Authorization: Bearer</code>; for analyst SQL, it is the password.{' '}
            {doing.done.role === 'viewer'
              ? 'Anyone who has it can read what a viewer can.'
              : 'Anyone who has it can do what you can.'}
          </p>
        </OneTimeSecret>
      )}
      <form class="form" onSubmit={submit} noValidate>
        <TextField label="Name" value={name} onValue={setName} at="/name" problem={doing.problem} required />
        <ChoiceField
          label="Scope"
          value={scope}
          onValue={setScope}
          options={scopes}
          at="/scope"
          problem={doing.problem}
        />
        {scope === 'analyst' && (
          <p class="faint">
            Costs, recommendations and most other views need <code>service.view</code>; <code>resources</code> needs{' '}
            <code>space.view</code>; <code>resource_slice</code>, <code>present_resources</code> and{' '}
            <code>fact_sheets</code> need both; <code>security_events</code> is for owners and admins.
          </p>
        )}
        <ChoiceField label="Access" value={role} onValue={setRole} options={mays} at="/role" problem={doing.problem} />
        <ChoiceField
          label="Expires after"
          value={days}
          onValue={setDays}
          options={lasting}
          at="/expiresAt"
          problem={doing.problem}
        />
        <p class="faint">
          A token never allows more than you can do yourself, and it ends when you leave the organization. You get an
          email a week before it expires. You can revoke it at any time.
        </p>
        <FormProblem problem={doing.problem} fields={['/name', '/scope', '/role', '/expiresAt']} />
        <p class="bar">
          <button type="submit" class="main" disabled={doing.isBusy}>
            Create token
          </button>{' '}
          <Copy label="Copy as curl" text={curlOf('POST /settings/personal-access-tokens', {}, {}, bodyNow())} />
        </p>
      </form>
    </Panel>
  )
}
