/** A budget that is otherwise, or a new one. */
import { useState } from 'preact/hooks'
import { usd } from '../../figure.ts'
import { ChoiceField } from '../../part/form.tsx'
import { param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { useScopes } from '../budgets/scopes.ts'
import { scopeOf } from '../budgets/list.tsx'
import { useWhatIf } from './use-what-if.ts'
import { budgetFields } from './kinds.ts'
import { Fields } from './fields.tsx'
import { Question, useFields } from './question.tsx'

const members = ['budgetID', 'teamID', 'resourceGroupID'] as const

/** `budgetID/b-1`, `teamID/t-1`. */
function readInitialChoice(given: Readonly<Record<string, unknown>>): string {
  const name = members.find((one) => typeof given[one] === 'string')
  const budget = param('budget')
  return name ? `${name}/${String(given[name])}` : budget ? `budgetID/${budget}` : ''
}

export function BudgetForm() {
  const asking = useWhatIf('budget')
  const budgets = useReport('GET /budgets')
  const scopes = useScopes()
  const [chosen, setChosen] = useState(() => readInitialChoice(asking.given))
  const { draft, set, read, places } = useFields(budgetFields, asking.given)
  const options = [
    { value: '', title: 'Choose one' },
    ...(budgets.data ?? []).map((one) => ({
      value: `budgetID/${one.id}`,
      title: `Budget for ${scopeOf(one, scopes).name}, currently ${usd(one.monthlyBudgetUSD)}`,
    })),
    ...scopes.teams.map(({ id, name }) => ({ value: `teamID/${id}`, title: `New budget for team ${name}` })),
    ...scopes.groups.map(({ id, name }) => ({
      value: `resourceGroupID/${id}`,
      title: `New budget for group ${name}`,
    })),
  ]
  const isListed = options.some(({ value }) => value === chosen)
  const all = isListed ? options : [...options, { value: chosen, title: chosen }]
  const at = chosen.indexOf('/')
  const of = at < 0 ? {} : { [chosen.slice(0, at)]: chosen.slice(at + 1) }
  const { problem } = asking.doing
  const isOpen = chosen === '' && problem?.errors.some(({ name }) => name === '/change')
  return (
    <Question
      asking={asking}
      title="Budget what-if"
      places={[...places, '/change']}
      read={() => ({ ...of, ...read() })}
    >
      <ChoiceField
        label="Budget"
        value={chosen}
        onValue={setChosen}
        options={all}
        at="/change"
        problem={isOpen ? undefined : problem}
        hint={
          isOpen && (
            <span class="wrong" role="alert">
              Choose a budget, a team or a group first.
            </span>
          )
        }
      />
      <Fields fields={budgetFields} draft={draft} set={set} problem={problem} />
    </Question>
  )
}
