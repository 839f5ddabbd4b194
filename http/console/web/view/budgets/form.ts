/** Makes or changes a budget; what the API does not take is said at its field, and what was typed stays. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import { param } from '../../place.ts'
import { useDoing } from '../../report.ts'
import { Act } from '../../part/act.ts'
import { ChoiceField, Refused, TextField } from '../../part/form.ts'
import { Panel } from '../../part/panel.ts'
import { numberOf } from '../allocation/draft.ts'
import type { Budgets } from './list.ts'
import type { Scopes } from './scopes.ts'

export interface BudgetFormProps {
  /** Undefined: one is made. */
  budget: Budgets[number] | undefined
  scopes: Scopes
  onClose: () => void
  onDone: () => void
}

const fields = ['/teamName', '/resourceGroupID', '/monthlyBudgetUSD', '/alertThresholdPercent']

const begun = (budget: Budgets[number] | undefined) => ({
  isOfGroup: budget ? budget.resourceGroupID !== '' : param('new') === 'group',
  teamName: budget?.teamName ?? param('team') ?? '',
  resourceGroupID: budget?.resourceGroupID ?? '',
  amount: budget ? String(budget.monthlyBudgetUSD) : '',
  alert: String(budget?.alertThresholdPercent ?? 80),
})

export function BudgetForm({ budget, scopes, onClose, onDone }: BudgetFormProps) {
  const [draft, setDraft] = useState(() => begun(budget))
  const set = (changes: Partial<typeof draft>) => setDraft({ ...draft, ...changes })
  const making = useDoing('POST /budgets')
  const changing = useDoing('PUT /budgets/:budgetID')
  const doing = budget ? changing : making
  const { problem } = doing
  const submit = (event: Event) => {
    event.preventDefault()
    const { isOfGroup, teamName, resourceGroupID, amount, alert } = draft
    const body = {
      teamName: isOfGroup ? '' : teamName.trim(),
      resourceGroupID: isOfGroup ? resourceGroupID : '',
      monthlyBudgetUSD: numberOf(amount),
      alertThresholdPercent: numberOf(alert),
    }
    void (budget ? changing.run({ params: { budgetID: budget.id }, body }, onDone) : making.run({ body }, onDone))
  }
  return html`<${Panel} title=${budget ? 'Change the budget' : 'New budget'}>
    <form class="form" onSubmit=${submit} noValidate>
      <${ChoiceField} label="For a" value=${draft.isOfGroup ? 'group' : 'team'} onValue=${(kind: string) => set({ isOfGroup: kind === 'group' })} options=${kinds} />
      <${Scoped} draft=${draft} set=${set} scopes=${scopes} problem=${problem} />
      <${TextField} label="US dollars a calendar month (UTC)" value=${draft.amount} onValue=${(amount: string) => set({ amount })} inputMode="decimal" at="/monthlyBudgetUSD" problem=${problem} required />
      <${TextField} label="Alert at, per cent of it" value=${draft.alert} onValue=${(alert: string) => set({ alert })} inputMode="decimal" at="/alertThresholdPercent" problem=${problem} />
      ${budget && html`<p class="faint">Its alerts of this month can be told again once it is changed.</p>`}
      <${Refused} problem=${problem} fields=${fields} />
      <p class="bar"><${Act} type="submit" needs=${budget ? 'service.update' : 'service.create'} class="main" disabled=${doing.isBusy}>${budget ? 'Save' : 'Make the budget'}<//> <button type="button" onClick=${onClose}>Cancel</button></p>
    </form>
  <//>`
}

const kinds = [
  { value: 'team', title: 'team' },
  { value: 'group', title: 'resource group' },
]

function Scoped({
  draft,
  set,
  scopes,
  problem,
}: {
  draft: ReturnType<typeof begun>
  set: (changes: Partial<ReturnType<typeof begun>>) => void
  scopes: Scopes
  problem: Parameters<typeof Refused>[0]['problem']
}) {
  if (!draft.isOfGroup)
    return html`<${TextField} label="Name of the team" value=${draft.teamName} onValue=${(teamName: string) => set({ teamName })} offered=${scopes.teams.map(({ name }) => name)} at="/teamName" problem=${problem} required hint="In any case. It need not be there yet, and spends nothing until then." />`
  const listed = scopes.groups.map(({ id, name }) => ({ value: id, title: name }))
  const isListed = listed.some(({ value }) => value === draft.resourceGroupID)
  const options = isListed
    ? listed
    : [
        {
          value: draft.resourceGroupID,
          title: draft.resourceGroupID === '' ? 'Choose one' : `The group ${draft.resourceGroupID}`,
        },
        ...listed,
      ]
  return html`<${ChoiceField} label="Resource group" value=${draft.resourceGroupID} onValue=${(resourceGroupID: string) => set({ resourceGroupID })} options=${options} at="/resourceGroupID" problem=${problem} hint=${listed.length === 0 && html`There is no resource group yet: <code>POST /resource-groups</code> makes one.`} />`
}
