/** What forms of both kinds of rules have in common: what moves is shown before anything is saved. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { useEditing } from '../../editing.ts'
import { hrefOf } from '../../router.ts'
import { useRequest } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { ConcurrentEdits } from '../../part/concurrent-edits.tsx'
import { FormProblem } from '../../part/form.tsx'
import { Fields, placesOf, type FormField, type Option } from '../../part/form/field.tsx'
import { Panel } from '../../part/panel.tsx'
import { policyNow, type Domain, type Policy } from './policies.ts'
import { Preview, useSaving } from './save-rule.tsx'
import type { Names } from './names.ts'

export interface RuleFormProps {
  rule: Policy | undefined
  names: Names
  onDone: () => void
}

interface RuleDraft {
  mode: string
  name: string
  enabled: boolean
  text: string
}

type PreviewOperation = 'POST /allocation/policies/preview' | 'POST /shared-cost/policies/preview'

interface Props<D, O extends PreviewOperation> {
  domain: Domain
  rule: Policy | undefined
  /** The heading of a new one. */
  title: string
  operation: O
  begun: (rule: Policy | undefined) => D
  /** @throws SyntaxError for text that is no JSON */
  specOf: (draft: D) => unknown
  /** What it selects by: the label of the choice and its values, `spec` for JSON. */
  modeLabel: string
  modes: readonly Option[]
  /** All but the name, the mode and whether it is enabled. */
  fields: (draft: D, set: (changes: Partial<D>) => void) => readonly FormField<D>[]
  jsonHelp: ComponentChildren
  /** What the preview says. */
  show: (preview: Reply<O>, previewed: { key: string; spec: unknown }) => ComponentChildren
  deletion: (onClose: () => void) => ComponentChildren
  onDone: () => void
}

export function RuleForm<D extends RuleDraft, O extends PreviewOperation>(props: Props<D, O>) {
  const { domain, rule, specOf, onDone } = props
  const editing = useEditing({ thing: rule, begun: props.begun, look: () => policyNow(rule!) })
  const { draft, set, settle } = editing
  const [isDeleting, setDeleting] = useState(false)
  const saving = useSaving(domain, { rule, draft, settle, specOf: () => specOf(draft) })
  const preview = useRequest(props.operation)
  const problem = saving.problem ?? preview.problem
  const toMode = (mode: string): Partial<RuleDraft> =>
    mode === 'spec' && draft.mode !== 'spec' ? { text: JSON.stringify(specOf(draft), undefined, 2) } : {}
  const fields: FormField<RuleDraft>[] = [
    { name: 'name', label: 'Rule name', isRequired: true },
    { name: 'mode', label: props.modeLabel, kind: 'choice', options: props.modes, also: toMode },
    draft.mode === 'spec' && {
      name: 'text',
      label: 'Rule as JSON',
      kind: 'code',
      rows: 14,
      at: '/spec',
      help: props.jsonHelp,
    },
  ]
  const own = draft.mode === 'spec' ? [] : props.fields(draft, set)
  const common = { draft, problem, set: set as (changes: Partial<RuleDraft>) => void }
  const ask = (event: Event) => {
    event.preventDefault()
    saving.preview((spec) => preview.run({ body: { spec, ...(rule && { policyID: rule.id }) } }))
  }
  return (
    <Panel
      title={rule ? 'Edit rule' : props.title}
      tools={
        rule && (
          <Act needs="service.delete" class="danger" onClick={() => setDeleting(true)}>
            Delete…
          </Act>
        )
      }
    >
      {isDeleting && props.deletion(() => setDeleting(false))}
      <form class="form" onSubmit={ask} noValidate>
        <Fields {...common} fields={fields} />
        <Fields fields={own} draft={draft} set={set} problem={problem} />
        <Fields {...common} fields={[{ name: 'enabled', label: 'Enabled', kind: 'check' }]} />
        {saving.textProblem && (
          <p class="note bad" role="alert">
            {saving.textProblem}
          </p>
        )}
        <ConcurrentEdits editing={editing} />
        <FormProblem problem={problem} fields={[...placesOf(fields), ...placesOf(own)]} />
        <Preview saving={saving} isBusy={preview.isBusy} onDone={onDone} cancel={hrefOf('allocation')}>
          {preview.done && props.show(preview.done, { key: saving.previewed, spec: saving.spec })}
        </Preview>
      </form>
    </Panel>
  )
}
