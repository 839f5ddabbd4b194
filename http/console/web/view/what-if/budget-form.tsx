/** A budget that is otherwise, or a new one. */
import { useState } from 'preact/hooks'
import { usd } from '../../figure.ts'
import { ChoiceField } from '../../part/form.tsx'
import { param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { useOffered } from '../budgets/scopes.ts'
import { useWhatIf } from './use-what-if.ts'
import { budgetFields } from './kinds.ts'
import { Fields } from './fields.tsx'
import { Question, useFields } from './question.tsx'

const members = ['budgetID', 'scope', 'teamID', 'resourceGroupID'] as const

/** What a budget is chosen by, as text: the member of the request that names it. */
const choiceOf = (name: (typeof members)[number], value: unknown): string => JSON.stringify({ [name]: value })

function readInitialChoice(given: Readonly<Record<string, unknown>>): string {
  const name = members.find((one) => given[one] !== undefined)
  const budget = param('budget')
  return name ? choiceOf(name, given[name]) : budget ? choiceOf('budgetID', budget) : ''
}

export function BudgetForm() {
  const asking = useWhatIf('budget')
  const budgets = useReport('GET /budgets')
  const [accounts, teams, groups] = [useOffered('cloud_account'), useOffered('team'), useOffered('resource_group')]
  const [chosen, setChosen] = useState(() => readInitialChoice(asking.given))
  const { draft, set, read, places } = useFields(budgetFields, asking.given)
  const options = [
    { value: '', title: 'Choose one' },
    ...(budgets.data ?? []).map(({ id, scope, monthlyBudgetUSD }) => ({
      value: choiceOf('budgetID', id),
      title: `Budget for ${scope.name}, currently ${usd(monthlyBudgetUSD)}`,
    })),
    { value: choiceOf('scope', { kind: 'org' }), title: 'New budget for the organization' },
    ...(accounts ?? []).map(({ value: id, title }) => ({
      value: choiceOf('scope', { kind: 'cloud_account', id }),
      title: `New budget for account ${title}`,
    })),
    ...(teams ?? []).map(({ value, title }) => ({
      value: choiceOf('teamID', value),
      title: `New budget for team ${title}`,
    })),
    ...(groups ?? []).map(({ value, title }) => ({
      value: choiceOf('resourceGroupID', value),
      title: `New budget for group ${title}`,
    })),
  ]
  const isListed = options.some(({ value }) => value === chosen)
  const all = isListed ? options : [...options, { value: chosen, title: chosen }]
  const of = chosen === '' ? {} : (JSON.parse(chosen) as object)
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
              Choose a budget, or what a new one is for.
            </span>
          )
        }
      />
      <Fields fields={budgetFields} draft={draft} set={set} problem={problem} />
    </Question>
  )
}
