/** Sets the OpenID provider. Its secret is given and never shown. */
import { curlOf } from '../../address.ts'
import { ask } from '../../api.ts'
import { useEditing } from '../../editing.ts'
import { useRequest } from '../../report.ts'
import { session } from '../../session.ts'
import { Copy } from '../../part/copy.tsx'
import { ConcurrentEdits } from '../../part/concurrent-edits.tsx'
import { CheckField, FormProblem, TextField } from '../../part/form.tsx'
import type { OpenIdConnection } from './connections.ts'

interface OpenIdFormProps {
  connection: OpenIdConnection | undefined
  onClose: () => void
  onDone: () => void
}

/** What a provider is asked unless it is said otherwise. */
const usual = {
  issuer: '',
  clientID: '',
  scopes: ['openid', 'email', 'profile'],
  emailClaim: 'email',
  emailVerifiedClaim: 'email_verified',
  nameClaim: 'name',
  emailDomains: [] as string[],
  enabled: true,
}

function startDraft(connection: OpenIdConnection | undefined) {
  const { scopes, emailDomains, ...given } = connection ?? usual
  const { issuer, clientID, emailClaim, emailVerifiedClaim, nameClaim, enabled } = given
  const texts = { issuer, clientID, emailClaim, emailVerifiedClaim, nameClaim, clientSecret: '' }
  return { ...texts, scopes: scopes.join(' '), domains: emailDomains.join('\n'), enabled }
}

const labels = {
  issuer: 'Issuer',
  clientID: 'Client ID',
  clientSecret: 'Client secret',
  scopes: 'Scopes',
  emailClaim: 'Email claim',
  emailVerifiedClaim: 'Email-verified claim',
  nameClaim: 'Name claim',
  domains: 'Domains',
  enabled: 'Sign-in enabled',
}
const fields = [
  '/issuer',
  '/clientID',
  '/clientSecret',
  '/scopes',
  '/emailClaim',
  '/emailVerifiedClaim',
  '/nameClaim',
  '/emailDomains',
]
const words = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== '')

export function OpenIdForm({ connection, onClose, onDone }: OpenIdFormProps) {
  const params = { orgID: session.value?.orgID ?? '' }
  const look = async () => (await ask('GET /organisations/:orgID/oidc', { params })).data as OpenIdConnection
  const editing = useEditing({ thing: connection, begun: startDraft, look })
  const { draft, settle } = editing
  const set = (name: keyof typeof draft) => (value: string) => editing.set({ [name]: value })
  const doing = useRequest('PUT /organisations/:orgID/oidc')
  const { problem } = doing
  const { domains, scopes, clientSecret, ...rest } = draft
  const body = {
    ...rest,
    scopes: words(scopes),
    emailDomains: words(domains),
    ...(clientSecret !== '' && { clientSecret }),
  }
  const submit = (event: Event) => {
    event.preventDefault()
    void settle(() => void doing.run({ params, body }, onDone))
  }
  return (
    <form class="form" onSubmit={submit} noValidate>
      <TextField
        label="Issuer"
        value={draft.issuer}
        onValue={set('issuer')}
        at="/issuer"
        problem={problem}
        placeholder="https://idp.example.com"
        isCode
        required
      />
      <TextField
        label="Client ID"
        value={draft.clientID}
        onValue={set('clientID')}
        at="/clientID"
        problem={problem}
        isCode
        required
      />
      <TextField
        label="Client secret"
        type="password"
        value={draft.clientSecret}
        onValue={set('clientSecret')}
        at="/clientSecret"
        problem={problem}
        hint={connection ? 'Leave empty to keep the current secret.' : 'It is stored encrypted and never shown.'}
        isCode
        autoComplete="off"
      />
      <TextField
        label="Scopes"
        value={draft.scopes}
        onValue={set('scopes')}
        at="/scopes"
        problem={problem}
        isCode
        required
      />
      <TextField
        label="Email claim"
        value={draft.emailClaim}
        onValue={set('emailClaim')}
        at="/emailClaim"
        problem={problem}
        isCode
        required
      />
      <TextField
        label="Email-verified claim"
        value={draft.emailVerifiedClaim}
        onValue={set('emailVerifiedClaim')}
        at="/emailVerifiedClaim"
        problem={problem}
        hint="xms_edov for Microsoft Entra ID."
        isCode
        required
      />
      <TextField
        label="Name claim"
        value={draft.nameClaim}
        onValue={set('nameClaim')}
        at="/nameClaim"
        problem={problem}
        isCode
        required
      />
      <TextField
        label="Email domains for OpenID sign-in, one per line"
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
        label="OpenID sign-in enabled"
        isOn={draft.enabled}
        onValue={(enabled: boolean) => editing.set({ enabled })}
      />
      <p class="faint">
        SAML uses the same domains. Sessions end if they were started with another issuer or client, with a disabled
        provider, or from a removed domain.
      </p>
      <ConcurrentEdits editing={editing} labels={labels} />
      <FormProblem problem={problem} fields={fields} />
      <p class="bar">
        <button type="submit" class="main" disabled={doing.isBusy || editing.isLooking}>
          Save OpenID provider
        </button>{' '}
        <button type="button" onClick={onClose}>
          Cancel
        </button>{' '}
        <Copy
          label="Copy as curl"
          text={curlOf(
            'PUT /organisations/:orgID/oidc',
            params,
            {},
            { ...body, ...(clientSecret !== '' && { clientSecret: '...' }) },
          )}
        />
      </p>
    </form>
  )
}
