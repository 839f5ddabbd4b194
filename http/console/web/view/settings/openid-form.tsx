/** Sets the OpenID provider. Its secret is given and never shown. */
import { ask } from '../../api.ts'
import { session } from '../../session.ts'
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'
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

type Draft = ReturnType<typeof startDraft>

const words = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== '')

const bodyOf = ({ domains, scopes, clientSecret, ...rest }: Draft) => ({
  ...rest,
  scopes: words(scopes),
  emailDomains: words(domains),
  ...(clientSecret !== '' && { clientSecret }),
})

const fieldsOf = (isThere: boolean): FormField<Draft>[] => [
  { name: 'issuer', label: 'Issuer', kind: 'code', placeholder: 'https://idp.example.com', isRequired: true },
  { name: 'clientID', label: 'Client ID', kind: 'code', isRequired: true },
  {
    name: 'clientSecret',
    label: 'Client secret',
    kind: 'password',
    help: isThere ? 'Leave empty to keep the current secret.' : 'It is stored encrypted and never shown.',
    autoComplete: 'off',
  },
  { name: 'scopes', label: 'Scopes', kind: 'code', isRequired: true },
  { name: 'emailClaim', label: 'Email claim', kind: 'code', isRequired: true },
  {
    name: 'emailVerifiedClaim',
    label: 'Email-verified claim',
    kind: 'code',
    help: 'xms_edov for Microsoft Entra ID.',
    isRequired: true,
  },
  { name: 'nameClaim', label: 'Name claim', kind: 'code', isRequired: true },
  {
    name: 'domains',
    label: 'Email domains for OpenID sign-in, one per line',
    kind: 'code',
    rows: 3,
    at: '/emailDomains',
    placeholder: 'example.com',
    isRequired: true,
  },
  { name: 'enabled', label: 'OpenID sign-in enabled', kind: 'check' },
]

export function OpenIdForm({ connection, onClose, onDone }: OpenIdFormProps) {
  const params = { orgID: session.value?.orgID ?? '' }
  return (
    <Form
      noun="OpenID provider"
      title={null}
      action="Save OpenID provider"
      thing={connection}
      begun={startDraft}
      look={async () => (await ask('GET /organisations/:orgID/oidc', { params })).data as OpenIdConnection}
      fields={() => fieldsOf(connection !== undefined)}
      labels={{ domains: 'Domains', enabled: 'Sign-in enabled' }}
      body={bodyOf}
      isWhole
      create="PUT /organisations/:orgID/oidc"
      update="PUT /organisations/:orgID/oidc"
      params={params}
      needs={{ create: 'admin', update: 'admin' }}
      note="SAML uses the same domains. Sessions end if they were started with another issuer or client, with a disabled provider, or from a removed domain."
      onClose={onClose}
      onDone={onDone}
    />
  )
}
