/** Sets the identity provider: all of it, as its metadata has it. */
import { ask } from '../../api.ts'
import { session } from '../../session.ts'
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'
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

type Draft = ReturnType<typeof startDraft>

const bodyOf = ({ domains, ...rest }: Draft) => ({
  ...rest,
  emailDomains: domains.split(/[\s,]+/).filter((one) => one !== ''),
})

const fields: FormField<Draft>[] = [
  { name: 'entityID', label: 'Provider entity ID', kind: 'code', isRequired: true },
  {
    name: 'ssoURL',
    label: 'Sign-in URL (HTTP-Redirect)',
    kind: 'code',
    placeholder: 'https://idp.example.com/sso',
    isRequired: true,
  },
  { name: 'certificatePEM', label: 'Signing certificate (PEM)', kind: 'code', rows: 6, isRequired: true },
  {
    name: 'domains',
    label: 'Email domains that sign in there, one per line',
    kind: 'code',
    rows: 3,
    at: '/emailDomains',
    placeholder: 'example.com',
    isRequired: true,
  },
  { name: 'enabled', label: 'Sign-in enabled', kind: 'check' },
]

export function ProviderForm({ connection, onClose, onDone }: ProviderFormProps) {
  const params = { orgID: session.value?.orgID ?? '' }
  return (
    <Form
      noun="identity provider"
      title={null}
      action="Save"
      thing={connection}
      begun={startDraft}
      look={async () => (await ask('GET /organisations/:orgID/saml', { params })).data as Connection}
      fields={() => fields}
      labels={{ ssoURL: 'Sign-in URL', certificatePEM: 'Signing certificate', domains: 'Domains' }}
      body={bodyOf}
      isWhole
      create="PUT /organisations/:orgID/saml"
      update="PUT /organisations/:orgID/saml"
      params={params}
      needs={{ create: 'admin', update: 'admin' }}
      note="Domains you keep stay verified. Sessions end if they were started with another provider, with a disabled provider, or from a removed domain."
      onClose={onClose}
      onDone={onDone}
    />
  )
}
