/** Makes or changes a rule that hands shared costs out to teams: what moves is shown before anything is saved. */
import { useState } from 'preact/hooks'
import { useEditing } from '../../editing.ts'
import { hrefOf } from '../../router.ts'
import { useRequest } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { CheckField, ChecksField, ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { ConcurrentEdits } from '../../part/concurrent-edits.tsx'
import { Panel } from '../../part/panel.tsx'
import { DeleteShared } from './delete.tsx'
import type { RuleFormProps } from './allocation-form.tsx'
import { sharedDraft, sharedEmpty, sharedSpecOf, type SharedDraft, type SharedMode } from './draft.ts'
import { SharedMoves } from './moves.tsx'
import { policyNow, type Policy } from './policies.ts'
import { Preview, useSaving } from './save-rule.tsx'
import type { Names } from './names.ts'

const modes: readonly { value: SharedMode; title: string }[] = [
  { value: 'service', title: 'Services' },
  { value: 'category', title: 'Charge categories: Tax, Credit…' },
  { value: 'account', title: 'Accounts' },
  { value: 'tag', title: 'Resources with a tag' },
  { value: 'spec', title: 'Conditions as JSON' },
]
const methods = [
  { value: 'proportional', title: 'In proportion to each team’s own cost of the month' },
  { value: 'even', title: 'Evenly' },
  { value: 'fixed', title: 'Fixed percentages' },
]

export function SharedForm({ rule, names, onDone }: RuleFormProps) {
  const editing = useEditing({
    thing: rule,
    begun: (of: Policy | undefined) => (of ? sharedDraft(of) : sharedEmpty),
    look: () => policyNow(rule!),
  })
  const { draft, set, settle } = editing
  const [isDeleting, setDeleting] = useState(false)
  const saving = useSaving('shared-cost', { rule, draft, settle, specOf: () => sharedSpecOf(draft) })
  const preview = useRequest('POST /shared-cost/policies/preview')
  const problem = saving.problem ?? preview.problem
  const toMode = (mode: string) =>
    set({
      mode: mode as SharedMode,
      ...(mode === 'spec' && draft.mode !== 'spec' && { text: JSON.stringify(sharedSpecOf(draft), undefined, 2) }),
    })
  const ask = (event: Event) => {
    event.preventDefault()
    saving.preview((spec) => preview.run({ body: { spec, ...(rule && { policyID: rule.id }) } }))
  }
  const fields = draft.mode === 'spec' ? ['/name', '/spec'] : ['/name', '/spec/selector', '/spec/among', '/spec/fixed']
  return (
    <Panel
      title={rule ? 'Edit rule' : 'New rule for shared costs'}
      tools={
        rule && (
          <Act needs="service.delete" class="danger" onClick={() => setDeleting(true)}>
            Delete…
          </Act>
        )
      }
    >
      {isDeleting && rule && <DeleteShared rule={rule} onClose={() => setDeleting(false)} onDone={onDone} />}
      <form class="form" onSubmit={ask} noValidate>
        <TextField
          label="Rule name"
          value={draft.name}
          onValue={(name: string) => set({ name })}
          at="/name"
          problem={problem}
          required
        />
        <ChoiceField label="Which costs" value={draft.mode} onValue={toMode} options={modes} />
        {draft.mode === 'spec' ? (
          <TextField
            label="Rule as JSON"
            rows={14}
            value={draft.text}
            onValue={(text: string) => set({ text })}
            at="/spec"
            problem={problem}
            isCode
            hint={
              <>
                <code>selector</code> (conditions that must all hold), <code>among</code>, <code>method</code>,{' '}
                <code>fixed</code> and <code>cost</code>.
              </>
            }
          />
        ) : (
          <>
            <SelectionFields draft={draft} set={set} problem={problem} names={names} />
            <DistributionFields draft={draft} set={set} problem={problem} names={names} />
          </>
        )}
        <CheckField label="Enabled" isOn={draft.enabled} onValue={(enabled: boolean) => set({ enabled })} />
        {saving.textProblem && (
          <p class="note bad" role="alert">
            {saving.textProblem}
          </p>
        )}
        <ConcurrentEdits editing={editing} />
        <FormProblem problem={problem} fields={fields} />
        <Preview saving={saving} isBusy={preview.isBusy} onDone={onDone} cancel={hrefOf('allocation')}>
          {preview.done && <SharedMoves preview={preview.done} />}
        </Preview>
      </form>
    </Panel>
  )
}

interface FieldsProps {
  draft: SharedDraft
  set: (changes: Partial<SharedDraft>) => void
  problem: ReturnType<typeof useSaving>['problem']
  names: Names
}

function SelectionFields({ draft, set, problem, names }: FieldsProps) {
  if (draft.mode === 'account')
    return (
      <ChecksField
        label="Accounts"
        options={names.accounts.map(({ id, name, provider }) => ({ value: id, title: `${name} (${provider})` }))}
        chosen={draft.accounts}
        onValue={(accounts: string[]) => set({ accounts })}
        at="/spec/selector"
        problem={problem}
      />
    )
  const label = {
    service: 'Service names as billed, one per line',
    category: 'Charge categories, one per line',
    tag: 'Values, one per line; leave empty to match any value',
    spec: '',
  }[draft.mode]
  const placeholder = { service: 'AWS Support', category: 'Tax', tag: '', spec: '' }[draft.mode]
  return (
    <>
      {draft.mode === 'tag' && (
        <TextField label="Tag key" value={draft.key} onValue={(key: string) => set({ key })} required />
      )}
      <TextField
        label={label}
        rows={3}
        value={draft.values}
        onValue={(values: string) => set({ values })}
        at="/spec/selector"
        problem={problem}
        placeholder={placeholder}
        hint="Not case-sensitive."
      />
    </>
  )
}

function DistributionFields({ draft, set, problem, names }: FieldsProps) {
  const setPercent = (id: string) => (text: string) => set({ percents: { ...draft.percents, [id]: text } })
  return (
    <>
      <ChoiceField
        label="Distribution"
        value={draft.method}
        onValue={(method: string) => set({ method: method as SharedDraft['method'] })}
        options={methods}
      />
      {draft.method === 'fixed' ? (
        <fieldset class="checks">
          <legend>Percentages, adding up to 100, up to four decimals</legend>
          {names.teams.map(({ id, name }) => (
            <TextField
              key={id}
              label={name}
              value={draft.percents[id] ?? ''}
              onValue={setPercent(id)}
              inputMode="decimal"
              at={`/spec/fixed/${id}`}
              problem={problem}
            />
          ))}
        </fieldset>
      ) : (
        <ChecksField
          label="Teams that share the cost; leave empty for all"
          options={names.teams.map(({ id, name }) => ({ value: id, title: name }))}
          chosen={draft.among}
          onValue={(among: string[]) => set({ among })}
          at="/spec/among"
          problem={problem}
          hint={
            names.teams.length === 0 && (
              <>
                No teams yet: <a href={hrefOf('teams')}>create one</a>.
              </>
            )
          }
        />
      )}
    </>
  )
}
