/** A rule of the catalogue with other figures, off or on; or one that is tried. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { ChoiceField, TextField } from '../../part/form.tsx'
import { wordsOf } from '../../part/value-text.ts'
import { param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { useWhatIf } from './use-what-if.ts'
import { draftOf, objectOf, type ChangeDraft, type Field } from './draft.ts'
import { Fields, placeOf } from './fields.tsx'
import { selectorField } from './kinds.ts'
import { Question } from './question.tsx'

type Rule = Reply<'GET /recommendations/rule-catalog'>['items'][number]

/** Rules that are offered while one is typed. */
const rulesMax = 30

const figuresOf = (rule: Rule | undefined): Field[] =>
  Object.entries(rule?.params ?? {}).map(([name, value]) => ({
    path: `params/${name}`,
    title: wordsOf(name),
    as: typeof value === 'number' ? 'number' : 'text',
    hint: `${String(value)} by default; leave empty to keep the current value.`,
  }))

const switches = [
  { value: '', title: 'unchanged' },
  { value: 'false', title: 'disabled' },
  { value: 'true', title: 'enabled, even where a policy disables it' },
]

const stateOf = (given: Readonly<Record<string, unknown>>) => ({
  mode: given['rule'] === undefined ? 'catalogue' : 'tried',
  id: typeof given['ruleId'] === 'string' ? given['ruleId'] : (param('rule') ?? ''),
  enabled: typeof given['enabled'] === 'boolean' ? String(given['enabled']) : '',
  text: given['rule'] === undefined ? '' : JSON.stringify(given['rule'], undefined, 2),
})

export function RuleForm() {
  const asking = useWhatIf('rule')
  const [state, setState] = useState(() => stateOf(asking.given))
  const set = (changes: Partial<typeof state>) => setState({ ...state, ...changes })
  const catalogue = useReport('GET /recommendations/rule-catalog', { query: { search: state.id, size: rulesMax } })
  const rule = catalogue.data?.items.find(({ ruleId }) => ruleId === state.id)
  const fields = [...figuresOf(rule), selectorField]
  // What was typed for another rule stays, and is not sent.
  const [draft, setDraft] = useState<ChangeDraft>(() => startDraft(asking.given))
  const read = () =>
    state.mode === 'tried'
      ? { rule: JSON.parse(state.text) as unknown }
      : {
          ruleId: state.id,
          ...objectOf(fields, draft),
          ...(state.enabled !== '' && { enabled: state.enabled === 'true' }),
        }
  const { problem } = asking.doing
  const places = [...fields.map(placeOf), '/change/ruleId', '/change/rule', '/change/enabled']
  return (
    <Question asking={asking} title="Rule what-if" places={places} read={read}>
      <ChoiceField
        label="Rule source"
        value={state.mode}
        onValue={(mode: string) => set({ mode })}
        options={[
          { value: 'catalogue', title: 'from the catalog' },
          { value: 'tried', title: 'custom rule, as JSON' },
        ]}
      />
      {state.mode === 'tried' ? (
        <TextField
          label="Rule as JSON"
          rows={14}
          isCode
          value={state.text}
          onValue={(text: string) => set({ text })}
          at="/change/rule"
          problem={problem}
          hint="In catalog format, with its own ID: RC-9 and three digits."
        />
      ) : (
        <>
          <TextField
            label="Rule"
            value={state.id}
            onValue={(id: string) => set({ id })}
            offered={(catalogue.data?.items ?? []).map(({ ruleId }) => ruleId)}
            at="/change/ruleId"
            problem={problem}
            hint={
              rule
                ? `${rule.title}${reachText(rule)}`
                : state.id === ''
                  ? 'Rule ID, such as RC-1001, or part of its name.'
                  : matchText(catalogue.data)
            }
          />
          <ChoiceField
            label="Enabled"
            value={state.enabled}
            onValue={(enabled: string) => set({ enabled })}
            options={switches}
            at="/change/enabled"
            problem={problem}
          />
          <Fields
            fields={fields}
            draft={draft}
            set={(path: string, text: string) => setDraft({ ...draft, [path]: text })}
            problem={problem}
          />
        </>
      )}
    </Question>
  )
}

function startDraft(given: Readonly<Record<string, unknown>>): ChangeDraft {
  const names = Object.keys((given['params'] as object | undefined) ?? {})
  const fields = names.map((name): Field => ({ path: `params/${name}`, title: '', as: 'text' }))
  return draftOf([...fields, selectorField], given)
}

/** Why it finds nothing in connected accounts, if that is so. */
const reachText = ({ reach, reachMissing }: Rule): string =>
  reach === 'real'
    ? ''
    : `. It cannot fire on connected accounts yet: the connector does not read ${reachMissing.join(', ')}.`

/** What the text that is no id may be meant to be. */
function matchText(data: Reply<'GET /recommendations/rule-catalog'> | undefined): string {
  if (!data) return 'Searching…'
  if (data.total === 0) return 'No matching rule.'
  const named = data.items.slice(0, 5).map(({ ruleId, title }) => `${ruleId} ${title}`)
  return `${data.total === 1 ? 'One match:' : `${data.total} matches:`} ${named.join('; ')}`
}
