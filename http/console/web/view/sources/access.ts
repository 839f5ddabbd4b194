/** The first step: what Tidemark may do at the account, and where its bill is. */
import { html } from '../../html.ts'
import { ChoiceField, Refused, TextField } from '../../part/form.ts'
import { change } from '../../place.ts'
import { useDoing } from '../../report.ts'
import { accessAsked, textAsked, type } from './asked.ts'

const options = [
  { value: 'read', title: 'Look only: resources, metrics and bills' },
  { value: 'write', title: 'Look, and act: also start, stop, scale, change and provision' },
  { value: 'none', title: 'Nothing: producers and uploaded bills feed the account' },
]

const hints = {
  read: 'Nothing can be changed at the cloud. You can allow more later.',
  write:
    'What it may do is one thing, what it does another: nothing is changed unless a person or a rule of yours asks for it.',
  none: 'The cloud is asked for nothing, and no role is needed.',
} as const

const at = ['billing_bucket', '/billing_bucket']

export function AccessStep() {
  const access = accessAsked()
  const bucket = textAsked('billing_bucket')
  // Asked before it is shown, so that a bucket that cannot be is said where it was typed.
  const doing = useDoing('GET /cloud-accounts/guide')
  const next = (event: Event) => {
    event.preventDefault()
    if (access === 'none') return change({ step: 'role' })
    void doing.run({ query: { billing_bucket: bucket } }, () => change({ step: 'guide' }))
  }
  const choose = (to: string) => change({ access: to === 'read' ? null : to }, { replace: true })
  return html`<form class="form after" onSubmit=${next}>
    <${ChoiceField} label="What it may do there" value=${access} options=${options} onValue=${choose} hint=${hints[access]} />
    ${access !== 'none' && html`<${TextField} label="Bucket that holds its bill, if there is one" at="billing_bucket" problem=${doing.problem} value=${bucket} onValue=${type('billing_bucket')} isCode hint="of a FOCUS export or a cost and usage report; without one Cost Explorer is asked" />`}
    <${Refused} problem=${doing.problem} fields=${at} />
    <p class="bar"><button type="submit" class="main" disabled=${doing.isBusy}>Continue</button></p>
  </form>`
}
