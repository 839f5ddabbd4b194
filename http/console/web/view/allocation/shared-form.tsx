/** Creates or changes a rule that distributes shared costs to teams. */
import { TextField } from '../../part/form.tsx'
import type { FormField } from '../../part/form/field.tsx'
import { accountsField, noTeams } from './allocation-form.tsx'
import { DeleteShared } from './delete.tsx'
import { sharedDraft, sharedEmpty, sharedSpecOf, type SharedDraft, type SharedMode } from './draft.ts'
import { SharedMoves } from './moves.tsx'
import { RuleForm, type RuleFormProps } from './rule-form.tsx'
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

const jsonHelp = (
  <>
    <code>selector</code> (conditions that must all hold), <code>among</code>, <code>method</code>, <code>fixed</code>{' '}
    and <code>cost</code>.
  </>
)

export const SharedForm = ({ rule, names, onDone }: RuleFormProps) => (
  <RuleForm
    domain="shared-cost"
    rule={rule}
    title="New rule for shared costs"
    operation="POST /shared-cost/policies/preview"
    begun={(of) => (of ? sharedDraft(of) : sharedEmpty)}
    specOf={sharedSpecOf}
    modeLabel="Which costs"
    modes={modes}
    fields={(draft, set) => fieldsOf(draft, set, names)}
    jsonHelp={jsonHelp}
    show={(preview) => <SharedMoves preview={preview} />}
    deletion={(onClose) => rule && <DeleteShared rule={rule} onClose={onClose} onDone={onDone} />}
    onDone={onDone}
  />
)

const valueLabels: Readonly<Record<string, string>> = {
  service: 'Service names as billed, one per line',
  category: 'Charge categories, one per line',
  tag: 'Values, one per line; leave empty to match any value',
}
const examples: Readonly<Record<string, string>> = { service: 'AWS Support', category: 'Tax' }

function fieldsOf(
  draft: SharedDraft,
  set: (changes: Partial<SharedDraft>) => void,
  names: Names,
): FormField<SharedDraft>[] {
  const { mode, method, percents } = draft
  const selection: FormField<SharedDraft>[] =
    mode === 'account'
      ? [accountsField(names)]
      : [
          mode === 'tag' && { name: 'key', label: 'Tag key', isRequired: true, at: '/spec/key' },
          {
            name: 'values',
            label: valueLabels[mode] ?? '',
            rows: 3,
            at: '/spec/selector',
            placeholder: examples[mode] ?? '',
            help: 'Not case-sensitive.',
          },
        ]
  const fixed: FormField<SharedDraft> = {
    at: '/spec/fixed',
    show: (problem) => (
      <fieldset class="checks">
        <legend>Percentages, adding up to 100, up to four decimals</legend>
        {names.teams.map(({ id, name }) => (
          <TextField
            key={id}
            label={name}
            value={percents[id] ?? ''}
            onValue={(text: string) => set({ percents: { ...percents, [id]: text } })}
            inputMode="decimal"
            at={`/spec/fixed/${id}`}
            problem={problem}
          />
        ))}
      </fieldset>
    ),
  }
  const among: FormField<SharedDraft> = {
    name: 'among',
    label: 'Teams that share the cost; leave empty for all',
    kind: 'checks',
    options: names.teams.map(({ id, name }) => ({ value: id, title: name })),
    at: '/spec/among',
    help: names.teams.length === 0 && noTeams,
  }
  return [
    ...selection,
    { name: 'method', label: 'Distribution', kind: 'choice', options: methods, at: '/spec/method' },
    method === 'fixed' ? fixed : among,
  ]
}
