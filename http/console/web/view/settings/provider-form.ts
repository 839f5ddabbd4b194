/** Sets the identity provider: all of it, as its metadata has it. */
import { html } from '../../html.ts'
import { curlOf } from '../../address.ts'
import { ask } from '../../api.ts'
import { useEditing } from '../../editing.ts'
import { useDoing } from '../../report.ts'
import { session } from '../../session.ts'
import { Copy } from '../../part/copy.ts'
import { Meanwhile } from '../../part/meanwhile.ts'
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

const labels = {
  entityID: 'Entity id of the provider',
  ssoURL: 'Where sign-ins are sent',
  certificatePEM: 'Certificate of its answers',
  domains: 'Domains',
  enabled: 'People may sign in there',
}
const fields = ['/entityID', '/ssoURL', '/certificatePEM', '/emailDomains']

export function ProviderForm({ connection, onClose, onDone }: ProviderFormProps) {
  const params = { orgID: session.value?.orgID ?? '' }
  const look = async () => (await ask('GET /organisations/:orgID/saml', { params })).data as Connection
  const editing = useEditing({ thing: connection, begun, look })
  const { draft, settle } = editing
  const set = (name: keyof typeof draft) => (value: string) => editing.set({ [name]: value })
  const doing = useDoing('PUT /organisations/:orgID/saml')
  const { problem } = doing
  const { domains, ...rest } = draft
  const body = { ...rest, emailDomains: domains.split(/[\s,]+/).filter((one) => one !== '') }
  const submit = (event: Event) => {
    event.preventDefault()
    void settle(() => void doing.run({ params, body }, onDone))
  }
  return html`<form class="form" onSubmit=${submit} noValidate>
    <${TextField} label="Entity id of the provider" value=${draft.entityID} onValue=${set('entityID')} at="/entityID" problem=${problem} isCode required />
    <${TextField} label="Where sign-ins are sent (HTTP-Redirect)" value=${draft.ssoURL} onValue=${set('ssoURL')} at="/ssoURL" problem=${problem} placeholder="https://idp.example.com/sso" isCode required />
    <${TextField} label="Certificate of its answers, PEM" rows=${6} value=${draft.certificatePEM} onValue=${set('certificatePEM')} at="/certificatePEM" problem=${problem} isCode required />
    <${TextField} label="Domains of the addresses that sign in there, one a line" rows=${3} value=${draft.domains} onValue=${set('domains')} at="/emailDomains" problem=${problem} placeholder="example.com" isCode required />
    <${CheckField} label="People may sign in there" isOn=${draft.enabled} onValue=${(enabled: boolean) => editing.set({ enabled })} />
    <p class="faint">Domains that stay keep their proof. Sessions end that began at a provider of another name, at one that is switched off, or by a domain that is left out.</p>
    <${Meanwhile} editing=${editing} labels=${labels} />
    <${Refused} problem=${problem} fields=${fields} />
    <p class="bar"><button type="submit" class="main" disabled=${doing.isBusy || editing.isLooking}>Save</button> <button type="button" onClick=${onClose}>Cancel</button> <${Copy} label="Copy as curl" text=${curlOf('PUT /organisations/:orgID/saml', params, {}, body)} /></p>
  </form>`
}
