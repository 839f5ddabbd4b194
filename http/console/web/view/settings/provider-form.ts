/** Sets the identity provider: all of it, as its metadata has it. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import { curlOf } from '../../address.ts'
import { useDoing } from '../../report.ts'
import { session } from '../../session.ts'
import { Copy } from '../../part/copy.ts'
import { CheckField, Refused, TextField } from '../../part/form.ts'
import type { Connection } from './asked.ts'

interface ProviderFormProps {
  connection: Connection | undefined
  onClose: () => void
  onDone: () => void
}

const begun = (connection: Connection | undefined) => ({
  entityID: connection?.entityID ?? '',
  ssoURL: connection?.ssoURL ?? '',
  certificatePEM: connection?.certificatePEM ?? '',
  domains: (connection?.emailDomains ?? []).join('\n'),
  enabled: connection?.enabled ?? true,
})

const fields = ['/entityID', '/ssoURL', '/certificatePEM', '/emailDomains']

export function ProviderForm({ connection, onClose, onDone }: ProviderFormProps) {
  const [draft, setDraft] = useState(() => begun(connection))
  const set = (name: keyof typeof draft) => (value: string) => setDraft({ ...draft, [name]: value })
  const doing = useDoing('PUT /organisations/:orgID/saml')
  const { problem } = doing
  const params = { orgID: session.value?.orgID ?? '' }
  const { domains, ...rest } = draft
  const body = { ...rest, emailDomains: domains.split(/[\s,]+/).filter((one) => one !== '') }
  const submit = (event: Event) => {
    event.preventDefault()
    void doing.run({ params, body }, onDone)
  }
  return html`<form class="form" onSubmit=${submit} noValidate>
    <${TextField} label="Entity id of the provider" value=${draft.entityID} onValue=${set('entityID')} at="/entityID" problem=${problem} isCode required />
    <${TextField} label="Where sign-ins are sent (HTTP-Redirect)" value=${draft.ssoURL} onValue=${set('ssoURL')} at="/ssoURL" problem=${problem} placeholder="https://idp.example.com/sso" isCode required />
    <${TextField} label="Certificate of its answers, PEM" rows=${6} value=${draft.certificatePEM} onValue=${set('certificatePEM')} at="/certificatePEM" problem=${problem} isCode required />
    <${TextField} label="Domains of the addresses that sign in there, one a line" rows=${3} value=${draft.domains} onValue=${set('domains')} at="/emailDomains" problem=${problem} placeholder="example.com" isCode required />
    <${CheckField} label="People may sign in there" isOn=${draft.enabled} onValue=${(enabled: boolean) => setDraft({ ...draft, enabled })} />
    <p class="faint">Domains that stay keep their proof. Sessions end that began at a provider of another name, at one that is switched off, or by a domain that is left out.</p>
    <${Refused} problem=${problem} fields=${fields} />
    <p class="bar"><button type="submit" class="main" disabled=${doing.isBusy}>Save</button> <button type="button" onClick=${onClose}>Cancel</button> <${Copy} label="Copy as curl" text=${curlOf('PUT /organisations/:orgID/saml', params, {}, body)} /></p>
  </form>`
}
