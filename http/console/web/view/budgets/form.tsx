/** Creates or changes a budget. */
import { ask } from '../../api.ts'
import { numberOf } from '../../figure.ts'
import { param } from '../../router.ts'
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'
import { LastMonth } from './last-month.tsx'
import { Recipients } from './recipients.tsx'
import type { Budgets } from './list.tsx'
import type { Scopes } from './scopes.ts'

export interface BudgetFormProps {
  /** Undefined: one is created. */
  budget: Budgets[number] | undefined
  scopes: Scopes
  onClose: () => void
  onDone: () => void
}

type Kind = Budgets[number]['thresholds'][number]['of']

const percentsOf = (budget: Budgets[number] | undefined, kind: Kind): string =>
  (budget?.thresholds ?? [])
    .filter(({ of }) => of === kind)
    .map(({ percent }) => percent)
    .join(', ')

/** "50, 90": what is no number stays text, and the API says what is wrong with it. */
const thresholdsOf = (text: string, of: Kind) =>
  text
    .split(/[\s,;%]+/)
    .filter((part) => part !== '')
    .map((part) => ({ percent: numberOf(part), of }))

const startDraft = (budget: Budgets[number] | undefined) => ({
  kind: (budget ? budget.resourceGroupID !== '' : param('new') === 'group') ? 'group' : 'team',
  teamName: budget?.teamName ?? param('team') ?? '',
  resourceGroupID: budget?.resourceGroupID ?? '',
  amount: budget ? String(budget.monthlyBudgetUSD) : '',
  alert: String(budget?.alertThresholdPercent ?? 80),
  onSpend: percentsOf(budget, 'spend'),
  onForecast: percentsOf(budget, 'forecast'),
})
type Draft = ReturnType<typeof startDraft>

const bodyOf = ({ kind, teamName, resourceGroupID, amount, alert, onSpend, onForecast }: Draft) => ({
  teamName: kind === 'group' ? '' : teamName.trim(),
  resourceGroupID: kind === 'group' ? resourceGroupID : '',
  monthlyBudgetUSD: numberOf(amount),
  alertThresholdPercent: numberOf(alert),
  thresholds: [...thresholdsOf(onSpend, 'spend'), ...thresholdsOf(onForecast, 'forecast')],
})

const kinds = [
  { value: 'team', title: 'Team' },
  { value: 'group', title: 'Resource group' },
]

export function BudgetForm({ budget, scopes, onClose, onDone }: BudgetFormProps) {
  const fields = (draft: Draft): FormField<Draft>[] => [
    { name: 'kind', label: 'Scope', kind: 'choice', options: kinds, at: '/kind' },
    draft.kind === 'team'
      ? {
          name: 'teamName',
          label: 'Team name',
          offered: scopes.teams.map(({ name }) => name),
          isRequired: true,
          help: 'Not case-sensitive. The team need not exist yet; until it does, its spend is zero.',
        }
      : groupField(draft.resourceGroupID, scopes),
    {
      name: 'amount',
      label: 'Monthly budget (USD)',
      at: '/monthlyBudgetUSD',
      kind: 'number',
      isRequired: true,
      placeholder: '7,500',
      help: (
        <>
          Calendar month in UTC. <LastMonth draft={draft} scopes={scopes} />
        </>
      ),
    },
    { name: 'alert', label: 'Alert at (% of budget)', at: '/alertThresholdPercent', kind: 'number', unit: '%' },
    {
      name: 'onSpend',
      label: 'Also alert when spend reaches (%)',
      at: '/thresholds',
      placeholder: '50, 90, 120',
      help: 'Optional; several are separated by commas.',
    },
    {
      name: 'onForecast',
      label: 'Also alert when the month is expected to reach (%)',
      at: '/thresholds',
      placeholder: '100',
      help: 'By the forecast for the end of the month.',
    },
    { show: () => <Recipients draft={draft} scopes={scopes} /> },
  ]
  return (
    <Form
      noun="budget"
      thing={budget}
      begun={startDraft}
      look={async () => (await ask('GET /budgets')).data.find(({ id }) => id === budget!.id)}
      fields={fields}
      body={bodyOf}
      create="POST /budgets"
      update="PUT /budgets/:budgetID"
      params={budget && { budgetID: budget.id }}
      note={budget && 'After a change, this month’s alerts may be sent again.'}
      onClose={onClose}
      onDone={onDone}
    />
  )
}

function groupField(chosen: string, { groups }: Scopes): FormField<Draft> {
  const listed = groups.map(({ id, name }) => ({ value: id, title: name }))
  const isListed = listed.some(({ value }) => value === chosen)
  const first = { value: chosen, title: chosen === '' ? 'Choose one' : `Group ${chosen}` }
  return {
    name: 'resourceGroupID',
    label: 'Resource group',
    kind: 'choice',
    options: isListed ? listed : [first, ...listed],
    help: listed.length === 0 && (
      <>
        No resource groups yet: create one with <code>POST /resource-groups</code>.
      </>
    ),
  }
}
