/** The first step: what Tidemark may do at the account, and where its bill is. */
import { ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { change } from '../../router.ts'
import { useRequest } from '../../report.ts'
import { accessAsked, textAsked, type } from './connect-query.ts'

const options = [
  { value: 'read', title: 'Read-only: resources, metrics and bills' },
  { value: 'write', title: 'Read and write: also start, stop, scale, change and provision' },
  { value: 'none', title: 'None: data comes from producers and uploaded bills' },
]

const hints = {
  read: 'Nothing can be changed in the cloud. You can allow more later.',
  write: 'Permission alone changes nothing: changes are made only when a person or one of your rules requests them.',
  none: 'No cloud API is called, and no role is needed.',
} as const

const at = ['billing_bucket', '/billing_bucket']

export function AccessStep() {
  const access = accessAsked()
  const bucket = textAsked('billing_bucket')
  // Asked before it is shown, so that a bucket that cannot be is said where it was typed.
  const doing = useRequest('GET /cloud-accounts/guide')
  const next = (event: Event) => {
    event.preventDefault()
    if (access === 'none') return change({ step: 'role' })
    void doing.run({ query: { billing_bucket: bucket } }, () => change({ step: 'guide' }))
  }
  const choose = (to: string) => change({ access: to === 'read' ? null : to }, { replace: true })
  return (
    <form class="form after" onSubmit={next}>
      <ChoiceField label="Access level" value={access} options={options} onValue={choose} hint={hints[access]} />
      {access !== 'none' && (
        <TextField
          label="Billing export bucket (optional)"
          at="billing_bucket"
          problem={doing.problem}
          value={bucket}
          onValue={type('billing_bucket')}
          isCode
          hint="with a FOCUS export or a Cost and Usage Report; without one, Cost Explorer is used"
        />
      )}
      <FormProblem problem={doing.problem} fields={at} />
      <p class="bar">
        <button type="submit" class="main" disabled={doing.isBusy}>
          Continue
        </button>
      </p>
    </form>
  )
}
