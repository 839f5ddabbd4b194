/** Makes or changes a budget; what the API does not take is said at its field, and what was typed stays. */
import { ask } from '../../api.ts'
import { diffFields, useEditing } from '../../editing.ts'
import { param } from '../../router.ts'
import { useRequest } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { ConcurrentEdits, Same } from '../../part/concurrent-edits.tsx'
import { Panel } from '../../part/panel.tsx'
import { numberOf } from '../allocation/draft.ts'
import type { Budgets } from './list.tsx'
import type { Scopes } from './scopes.ts'

export interface BudgetFormProps {
  /** Undefined: one is made. */
  budget: Budgets[number] | undefined
  scopes: Scopes
  onClose: () => void
  onDone: () => void
}

const fields = ['/teamName', '/resourceGroupID', '/monthlyBudgetUSD', '/alertThresholdPercent']

const startDraft = (budget: Budgets[number] | undefined) => ({
  isOfGroup: budget ? budget.resourceGroupID !== '' : param('new') === 'group',
  teamName: budget?.teamName ?? param('team') ?? '',
  resourceGroupID: budget?.resourceGroupID ?? '',
  amount: budget ? String(budget.monthlyBudgetUSD) : '',
  alert: String(budget?.alertThresholdPercent ?? 80),
})

const bodyOf = ({ isOfGroup, teamName, resourceGroupID, amount, alert }: ReturnType<typeof startDraft>) => ({
  teamName: isOfGroup ? '' : teamName.trim(),
  resourceGroupID: isOfGroup ? resourceGroupID : '',
  monthlyBudgetUSD: numberOf(amount),
  alertThresholdPercent: numberOf(alert),
})

const labels = {
  isOfGroup: 'For a resource group',
  teamName: 'Team name',
  resourceGroupID: 'Resource group',
  amount: 'Monthly budget (USD)',
  alert: 'Alert at (% of budget)',
}

export function BudgetForm({ budget, scopes, onClose, onDone }: BudgetFormProps) {
  const look = async () => (await ask('GET /budgets')).data.find(({ id }) => id === budget!.id)
  const editing = useEditing({ thing: budget, begun: startDraft, look })
  const { draft, set, base, settle } = editing
  const making = useRequest('POST /budgets')
  const changing = useRequest('PUT /budgets/:budgetID')
  const doing = budget ? changing : making
  const { problem } = doing
  const body = diffFields(bodyOf(base), bodyOf(draft))
  const isSame = budget !== undefined && Object.keys(body).length === 0
  const submit = (event: Event) => {
    event.preventDefault()
    if (!budget) return void making.run({ body: bodyOf(draft) }, onDone)
    void settle(() => void changing.run({ params: { budgetID: budget.id }, body }, onDone))
  }
  return (
    <Panel title={budget ? 'Edit budget' : 'New budget'}>
      <form class="form" onSubmit={submit} noValidate>
        <ChoiceField
          label="Scope"
          value={draft.isOfGroup ? 'group' : 'team'}
          onValue={(kind: string) => set({ isOfGroup: kind === 'group' })}
          options={kinds}
        />
        <ScopeField draft={draft} set={set} scopes={scopes} problem={problem} />
        <TextField
          label="Monthly budget (USD)"
          hint="Calendar month in UTC."
          value={draft.amount}
          onValue={(amount: string) => set({ amount })}
          inputMode="decimal"
          at="/monthlyBudgetUSD"
          problem={problem}
          required
        />
        <TextField
          label="Alert at (% of budget)"
          value={draft.alert}
          onValue={(alert: string) => set({ alert })}
          inputMode="decimal"
          at="/alertThresholdPercent"
          problem={problem}
        />
        {budget && <p class="faint">After a change, this month’s alerts may be sent again.</p>}
        <ConcurrentEdits editing={editing} labels={labels} />
        <FormProblem problem={problem} fields={fields} />
        <p class="bar">
          <Act
            type="submit"
            needs={budget ? 'service.update' : 'service.create'}
            class="main"
            disabled={doing.isBusy || editing.isLooking || isSame}
          >
            {budget ? 'Save' : 'Create budget'}
          </Act>{' '}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <Same isSame={isSame} />
        </p>
      </form>
    </Panel>
  )
}

const kinds = [
  { value: 'team', title: 'Team' },
  { value: 'group', title: 'Resource group' },
]

function ScopeField({
  draft,
  set,
  scopes,
  problem,
}: {
  draft: ReturnType<typeof startDraft>
  set: (changes: Partial<ReturnType<typeof startDraft>>) => void
  scopes: Scopes
  problem: Parameters<typeof FormProblem>[0]['problem']
}) {
  if (!draft.isOfGroup)
    return (
      <TextField
        label="Team name"
        value={draft.teamName}
        onValue={(teamName: string) => set({ teamName })}
        offered={scopes.teams.map(({ name }) => name)}
        at="/teamName"
        problem={problem}
        required
        hint="Not case-sensitive. The team need not exist yet; until it does, its spend is zero."
      />
    )
  const listed = scopes.groups.map(({ id, name }) => ({ value: id, title: name }))
  const isListed = listed.some(({ value }) => value === draft.resourceGroupID)
  const options = isListed
    ? listed
    : [
        {
          value: draft.resourceGroupID,
          title: draft.resourceGroupID === '' ? 'Choose one' : `Group ${draft.resourceGroupID}`,
        },
        ...listed,
      ]
  return (
    <ChoiceField
      label="Resource group"
      value={draft.resourceGroupID}
      onValue={(resourceGroupID: string) => set({ resourceGroupID })}
      options={options}
      at="/resourceGroupID"
      problem={problem}
      hint={
        listed.length === 0 && (
          <>
            No resource groups yet: create one with <code>POST /resource-groups</code>.
          </>
        )
      }
    />
  )
}
