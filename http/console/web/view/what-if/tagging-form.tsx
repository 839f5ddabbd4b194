/** A rule that derives a tag: another one, or in the place of one that there is. */
import { useState } from 'preact/hooks'
import { ChoiceField } from '../../part/form.tsx'
import { ProblemMessage, Loading } from '../../part/report-content.tsx'
import { usePolicies, type Policy } from '../allocation/policies.ts'
import { useWhatIf, type WhatIfState } from './use-what-if.ts'
import { draftOf } from './draft.ts'
import { Fields } from './fields.tsx'
import { taggingFields } from './kinds.ts'
import { Question, useFields } from './question.tsx'

export function TaggingForm() {
  const asking = useWhatIf('tagging')
  const { items, problem, again } = usePolicies('tagging')
  if (items) return <Form asking={asking} policies={items} />
  return problem ? <ProblemMessage problem={problem} again={again} /> : <Loading rows={4} />
}

function Form({ asking, policies }: { asking: WhatIfState; policies: readonly Policy[] }) {
  const { given, doing } = asking
  const [policyID, setPolicy] = useState(() => (typeof given['policyID'] === 'string' ? given['policyID'] : ''))
  const { draft, set, setDraft, read, places } = useFields(taggingFields, given)
  const choose = (id: string) => {
    setPolicy(id)
    const policy = policies.find((one) => one.id === id)
    if (policy) setDraft(draftOf(taggingFields, { spec: policy.spec }))
  }
  const options = [
    { value: '', title: 'none: add a new policy (lowest precedence)' },
    ...policies.map(({ id, name }) => ({ value: id, title: name })),
  ]
  // The API needs these three, whatever is typed.
  const body = () => {
    const { spec = {} } = read() as { spec?: { tag?: { key?: string; value?: object } } }
    const tag = {
      key: '',
      ...spec.tag,
      value: { fields: [], join: '', standardize: false, ...spec.tag?.value },
    }
    return { ...(policyID && { policyID }), spec: { ...spec, tag } }
  }
  return (
    <Question asking={asking} title="Tagging policy what-if" places={[...places, '/change/policyID']} read={body}>
      <ChoiceField
        label="Replaces"
        value={policyID}
        onValue={choose}
        options={options}
        at="/change/policyID"
        problem={doing.problem}
      />
      <Fields fields={taggingFields} draft={draft} set={set} problem={doing.problem} />
    </Question>
  )
}
