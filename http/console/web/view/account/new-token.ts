/** Makes a personal access token. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import { curlOf } from '../../address.ts'
import { param } from '../../place.ts'
import { useDoing } from '../../report.ts'
import { Copy } from '../../part/copy.ts'
import { ChoiceField, Refused, TextField } from '../../part/form.ts'
import { Once } from '../../part/once.ts'
import { Panel } from '../../part/panel.ts'

const scopes = [
  { value: 'api', title: 'the API' },
  { value: 'analyst', title: 'SQL of analysts: reads the views that your permissions open' },
]

const mays = [
  { value: '', title: 'all that you may' },
  { value: 'viewer', title: 'look: no more than a viewer may' },
]

const dayMs = 86_400_000
/** Days, as the service has them where nothing is said; empty: until it is revoked. */
const lasting = [
  { value: '7', title: 'a week' },
  { value: '30', title: '30 days' },
  { value: '90', title: '90 days' },
  { value: '365', title: 'a year' },
  { value: '', title: 'until it is revoked' },
]

export function NewToken({ onDone }: { onDone: () => void }) {
  const isForAgent = param('for') === 'agent'
  const [name, setName] = useState(isForAgent ? 'agent' : '')
  const [role, setRole] = useState(isForAgent ? 'viewer' : '')
  const [scope, setScope] = useState('api')
  const [days, setDays] = useState('90')
  const doing = useDoing('POST /settings/personal-access-tokens')
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
  return html`<${Panel} title="Make a token">
    ${
      doing.done &&
      html`<${Once} key=${doing.done.id} label=${`The token ${doing.done.name}`} text=${doing.done.token} onClose=${doing.clear}>
        <p class="faint">Send it as <code>Authorization: Bearer</code>; of analysts it is the password. ${doing.done.role === 'viewer' ? 'Who has it may look as a viewer does.' : 'Who has it may do what you may.'}</p>
      <//>`
    }
    <form class="form" onSubmit=${submit} noValidate>
      <${TextField} label="What it is for" value=${name} onValue=${setName} at="/name" problem=${doing.problem} required />
      <${ChoiceField} label="Good for" value=${scope} onValue=${setScope} options=${scopes} at="/scope" problem=${doing.problem} />
      ${
        scope === 'analyst' &&
        html`<p class="faint">
          Costs, recommendations and most other views need <code>service.view</code>; <code>resources</code> needs <code>space.view</code>; <code>resource_slice</code>, <code>present_resources</code> and <code>fact_sheets</code> need both; <code>security_events</code> is for owners and admins.
        </p>`
      }
      <${ChoiceField} label="May" value=${role} onValue=${setRole} options=${mays} at="/role" problem=${doing.problem} />
      <${ChoiceField} label="Lasts" value=${days} onValue=${setDays} options=${lasting} at="/expiresAt" problem=${doing.problem} />
      <p class="faint">It can do no more than you may at any time, and ends when you leave the organization. A week before it ends you get a mail. It can be revoked.</p>
      <${Refused} problem=${doing.problem} fields=${['/name', '/scope', '/role', '/expiresAt']} />
      <p class="bar"><button type="submit" class="main" disabled=${doing.isBusy}>Make the token</button> <${Copy} label="Copy as curl" text=${curlOf('POST /settings/personal-access-tokens', {}, {}, bodyNow())} /></p>
    </form>
  <//>`
}
