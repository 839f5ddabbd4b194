/** Sets the identity provider: all of it, as its metadata has it. */
import { curlOf } from '../../address.ts'
import { ask } from '../../api.ts'
import { useEditing } from '../../editing.ts'
import { useRequest } from '../../report.ts'
import { session } from '../../session.ts'
import { Copy } from '../../part/copy.tsx'
import { ConcurrentEdits } from '../../part/concurrent-edits.tsx'
import { CheckField, FormProblem, TextField } from '../../part/form.tsx'
import type { Connection } from './connections.ts'

interface ProviderFormProps {
  connection: Connection | undefined
  onClose: () => void
  onDone: () => void
}

const startDraft = (connection: Connection | undefined) => ({
  entityID: connection?.entityID ?? '',
  ssoURL: connection?.ssoURL ?? '',
  certificatePEM: connection?.certificatePEM ?? '',
  domains: (connection?.emailDomains ?? []).join('\n'),
  enabled: connection?.enabled ?? true,
})

const labels = {
  entityID: 'Provider entity ID',
  ssoURL: 'Sign-in URL',
  certificatePEM: 'Signing certificate',
  domains: 'Domains',
  enabled: 'Sign-in enabled',
}
const fields = ['/entityID', '/ssoURL', '/certificatePEM', '/emailDomains']

export function ProviderForm({ connection, onClose, onDone }: ProviderFormProps) {
  const params = { orgID: session.value?.orgID ?? '' }
  const look = async () => (await ask('GET /organisations/:orgID/saml', { params })).data as Connection
  const editing = useEditing({ thing: connection, begun: startDraft, look })
  const { draft, settle } = editing
  const set = (name: keyof typeof draft) => (value: string) => editing.set({ [name]: value })
  const doing = useRequest('PUT /organisations/:orgID/saml')
  const { problem } = doing
  const { domains, ...rest } = draft
  const body = { ...rest, emailDomains: domains.split(/[\s,]+/).filter((one) => one !== '') }
  const submit = (event: Event) => {
    event.preventDefault()
    void settle(() => void doing.run({ params, body }, onDone))
  }
  return (
    <form class="form" onSubmit={submit} noValidate>
      <TextField
        label="Provider entity ID"
        value={draft.entityID}
        onValue={set('entityID')}
        at="/entityID"
        problem={problem}
        isCode
        required
      />
      <TextField
        label="Sign-in URL (HTTP-Redirect)"
        value={draft.ssoURL}
        onValue={set('ssoURL')}
        at="/ssoURL"
        problem={problem}
        placeholder="https://idp.example.com/sso"
        isCode
        required
      />
      <TextField
        label="Signing certificate (PEM)"
        rows={6}
        value={draft.certificatePEM}
        onValue={set('certificatePEM')}
        at="/certificatePEM"
        problem={problem}
        isCode
        required
      />
      <TextField
        label="Email domains that sign in there, one per line"
        rows={3}
        value={draft.domains}
        onValue={set('domains')}
        at="/emailDomains"
        problem={problem}
        placeholder="example.com"
        isCode
        required
      />
      <CheckField
        label="Sign-in enabled"
        isOn={draft.enabled}
        onValue={(enabled: boolean) => editing.set({ enabled })}
      />
      <p class="faint">
        Domains you keep stay verified. Sessions end if they were started with another provider, with a disabled
        provider, or from a removed domain.
      </p>
      <ConcurrentEdits editing={editing} labels={labels} />
      <FormProblem problem={problem} fields={fields} />
      <p class="bar">
        <button type="submit" class="main" disabled={doing.isBusy || editing.isLooking}>
          Save
        </button>{' '}
        <button type="button" onClick={onClose}>
          Cancel
        </button>{' '}
        <Copy label="Copy as curl" text={curlOf('PUT /organisations/:orgID/saml', params, {}, body)} />
      </p>
    </form>
  )
}
