/** Connects an account: what each cloud wants, checked by the API before anything begins. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import { Act } from '../../part/act.ts'
import { ChoiceField, Refused, TextField } from '../../part/form.ts'
import { Panel } from '../../part/panel.ts'
import { useDoing } from '../../report.ts'
import { may } from '../../session.ts'

interface Wanted {
  name: string
  label: string
  hint?: string
  isSecret?: boolean
  rows?: number
}

interface Cloud {
  title: string
  external: string
  credentials: readonly Wanted[]
}

const clouds: Readonly<Record<string, Cloud>> = {
  aws: {
    title: 'AWS',
    external: 'Account number, twelve digits',
    credentials: [
      { name: 'roleARN', label: 'Role to assume', hint: 'arn:aws:iam::123456789012:role/tidemark' },
      { name: 'externalID', label: 'External id of its trust policy', isSecret: true },
    ],
  },
  gcp: {
    title: 'Google Cloud',
    external: 'Project id',
    credentials: [
      {
        name: 'serviceAccount',
        label: 'Key of the service account',
        hint: 'the JSON file that Google made',
        rows: 4,
        isSecret: true,
      },
    ],
  },
  azure: {
    title: 'Azure',
    external: 'Subscription id',
    credentials: [
      { name: 'tenantID', label: 'Directory (tenant) id' },
      { name: 'clientID', label: 'Application (client) id' },
      { name: 'clientSecret', label: 'Client secret', isSecret: true },
    ],
  },
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // The API says what is wrong with it.
    return text
  }
}

export function Connect() {
  const [isOpen, setOpen] = useState(false)
  if (!isOpen)
    return html`<p><${Act} needs="space.create" class="main" onClick=${() => setOpen(true)}>Connect an account<//></p>`
  return html`<${Panel} title="Connect an account"><${Form} onClose=${() => setOpen(false)} /><//>`
}

function Form({ onClose }: { onClose: () => void }) {
  const [provider, setProvider] = useState('aws')
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const doing = useDoing('POST /cloud-accounts')
  const { external, credentials } = clouds[provider]!
  const set = (name: string) => (value: string) => setTyped({ ...typed, [name]: value })
  const given = credentials.filter(({ name }) => (typed[name] ?? '') !== '')
  const submit = async (event: Event) => {
    event.preventDefault()
    const values = given.map(({ name, rows }) => [name, rows ? jsonOf(typed[name]!) : typed[name]])
    const regions = (typed['regions'] ?? '').split(/[\s,]+/).filter((region) => region !== '')
    const body = {
      name: typed['name'] ?? '',
      provider,
      externalID: typed['externalID:account'] ?? '',
      ...(values.length > 0 && { credentials: Object.fromEntries(values) as Record<string, unknown> }),
      ...(regions.length > 0 && { regions }),
      ...((typed['location'] ?? '') !== '' && {
        billingExport: { kind: typed['kind'] || 'focus', location: typed['location'] },
      }),
    }
    if (await doing.run({ body })) onClose()
  }
  const field = (name: string, label: string, at: string, more: object = {}) =>
    html`<${TextField} label=${label} at=${at} problem=${doing.problem} value=${typed[name] ?? ''} onValue=${set(name)} ...${more} />`
  return html`<form class="form" onSubmit=${submit}>
    <${ChoiceField} label="Cloud" at="/provider" problem=${doing.problem} value=${provider} onValue=${setProvider} options=${Object.entries(clouds).map(([value, { title }]) => ({ value, title }))} />
    ${field('name', 'What you call it', '/name', { required: true })}
    ${field('externalID:account', external, '/externalID', { required: true, isCode: true })}
    <p class="faint">Credentials are sealed as they arrive and never shown again. Without any, the account waits for a producer or for uploaded bills.</p>
    ${credentials.map(({ name, label, hint, isSecret, rows }) => field(name, label, `/credentials/${name}`, { hint, rows, isCode: true, type: isSecret ? 'password' : 'text' }))}
    ${field('regions', 'Regions to look through, all unless given', '/regions', { hint: 'eu-central-1 us-east-1', isCode: true })}
    ${field('location', 'Where its bills are exported to', '/billingExport/location', { hint: 'bucket or container with its prefix; left out, none are fetched', isCode: true })}
    <${Refused} problem=${doing.problem} fields=${['/provider', '/name', '/externalID', '/regions', '/billingExport/location', ...credentials.map(({ name }) => `/credentials/${name}`)]} />
    <p class="bar"><button type="submit" class="main" disabled=${doing.isBusy || !may('space.create')}>${doing.isBusy ? 'Verifying …' : 'Connect'}</button><button type="button" onClick=${onClose}>Cancel</button></p>
    <p class="faint">What happens: the credentials are checked, and a first discovery begins. Nothing is changed at the cloud.</p>
  </form>`
}
