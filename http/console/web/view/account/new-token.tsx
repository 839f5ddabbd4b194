/** Makes a personal access token. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { param } from '../../router.ts'
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'
import { OneTimeSecret } from '../../part/one-time-secret.tsx'

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

const startDraft = () => {
  const isForAgent = param('for') === 'agent'
  return { name: isForAgent ? 'agent' : '', role: isForAgent ? 'viewer' : '', scope: 'api', days: '90' }
}
type Draft = ReturnType<typeof startDraft>

const bodyOf = ({ name, scope, role, days }: Draft) => ({
  name,
  scope,
  ...(role !== '' && { role }),
  expiresAt: days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString(),
})

const viewsOfAnalysts = (
  <p class="faint">
    Costs, recommendations and most other views need <code>service.view</code>; <code>resources</code> needs{' '}
    <code>space.view</code>; <code>resource_slice</code>, <code>present_resources</code> and <code>fact_sheets</code>{' '}
    need both; <code>security_events</code> is for owners and admins.
  </p>
)

const fieldsOf = ({ scope }: Draft): FormField<Draft>[] => [
  { name: 'name', label: 'Name', isRequired: true },
  { name: 'scope', label: 'Scope', kind: 'choice', options: scopes },
  scope === 'analyst' && { show: () => viewsOfAnalysts },
  { name: 'role', label: 'Access', kind: 'choice', options: mays },
  { name: 'days', label: 'Expires after', kind: 'choice', options: lasting, at: '/expiresAt' },
]

export function NewToken({ onDone }: { onDone: () => void }) {
  const [made, setMade] = useState<Reply<'POST /settings/personal-access-tokens'> | undefined>()
  const done = (token: typeof made) => {
    setMade(token)
    onDone()
  }
  return (
    <>
      {made && (
        <OneTimeSecret key={made.id} label={`Token ${made.name}`} text={made.token} onClose={() => setMade(undefined)}>
          <p class="faint">
            Send it as <code>Authorization: Bearer</code>; for analyst SQL, it is the password.{' '}
            {made.role === 'viewer'
              ? 'Anyone who has it can read what a viewer can.'
              : 'Anyone who has it can do what you can.'}
          </p>
        </OneTimeSecret>
      )}
      <Form
        noun="token"
        title="Create a token"
        isStanding
        begun={startDraft}
        fields={fieldsOf}
        body={bodyOf}
        create="POST /settings/personal-access-tokens"
        needs={{ create: 'session' }}
        note="A token never allows more than you can do yourself, and it ends when you leave the organization. You get an email a week before it expires. You can revoke it at any time."
        onDone={done}
      />
    </>
  )
}
