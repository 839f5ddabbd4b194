/** Creates or changes a budget. */
import { useEffect, useState } from 'preact/hooks'
import { ask } from '../../api.ts'
import { numberOf } from '../../figure.ts'
import { param } from '../../router.ts'
import { Form } from '../../part/form/form.tsx'
import type { FormField, Option } from '../../part/form/field.tsx'
import { LastMonth } from './last-month.tsx'
import { Recipients } from './recipients.tsx'
import type { Budgets } from './list.tsx'
import { kindOptions, kindTitle, toKind, useOffered, type ScopeKind } from './scopes.ts'

export interface BudgetFormProps {
  /** Undefined: one is created. */
  budget: Budgets[number] | undefined
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

const startDraft = (budget: Budgets[number] | undefined) => {
  const { kind, id, name } = budget?.scope ?? { kind: toKind(param('new')), id: '', name: param('team') ?? '' }
  const values = { org: '', cloud_account: '', service: '', tag: '', team: '', resource_group: '' }
  return {
    kind: kind as string,
    // Each kind keeps what was typed for it.
    ...values,
    [kind]: kind === 'team' ? name : id,
    amount: budget ? String(budget.monthlyBudgetUSD) : '',
    alert: String(budget?.alertThresholdPercent ?? 80),
    onSpend: percentsOf(budget, 'spend'),
    onForecast: percentsOf(budget, 'forecast'),
  }
}
type Draft = ReturnType<typeof startDraft>

const bodyOf = (draft: Draft) => {
  const kind = toKind(draft.kind)
  return {
    scope: { kind, [kind === 'team' ? 'name' : 'id']: draft[kind].trim() },
    monthlyBudgetUSD: numberOf(draft.amount),
    alertThresholdPercent: numberOf(draft.alert),
    thresholds: [...thresholdsOf(draft.onSpend, 'spend'), ...thresholdsOf(draft.onForecast, 'forecast')],
  }
}

/** Things with a name of their own are chosen; others are typed, with what is known offered. */
const helps: Partial<Record<ScopeKind, string>> = {
  service: 'As reports name it. It need not have costs yet.',
  tag: 'KEY:VALUE, such as env:prod. It need not have costs yet.',
  team: 'Not case-sensitive. The team need not exist yet; until it does, its spend is zero.',
}

function valueField(kind: ScopeKind, chosen: string, offered: readonly Option[]): FormField<Draft> | false {
  const field = { name: kind, label: kind === 'team' ? 'Team name' : kindTitle(kind) }
  if (kind === 'org') return false
  if (kind in helps)
    return {
      ...field,
      at: kind === 'team' ? '/scope/name' : '/scope/id',
      offered: offered.map(({ title }) => title),
      isRequired: true,
      help: helps[kind],
    }
  const isListed = offered.some(({ value }) => value === chosen)
  const first = { value: chosen, title: chosen === '' ? 'Choose one' : chosen }
  return {
    ...field,
    at: '/scope/id',
    kind: 'choice',
    options: isListed ? offered : [first, ...offered],
    help: offered.length === 0 && `No ${kindTitle(kind).toLowerCase()}s yet.`,
  }
}

const idOf = (kind: ScopeKind, value: string, offered: readonly Option[]): string =>
  kind === 'team'
    ? (offered.find(({ title }) => title.toLowerCase() === value.trim().toLowerCase())?.value ?? '')
    : value.trim()

export function BudgetForm({ budget, onClose, onDone }: BudgetFormProps) {
  const [shownKind, setShownKind] = useState<ScopeKind>(() => toKind(startDraft(budget).kind))
  const offered = useOffered(shownKind) ?? []
  const scopeOf = (draft: Draft) => ({ kind: shownKind, id: idOf(shownKind, draft[shownKind], offered) })
  const fields = (draft: Draft, set: (changes: Partial<Draft>) => void): FormField<Draft>[] => [
    {
      name: 'kind',
      label: 'Scope',
      kind: 'choice',
      options: kindOptions,
      at: '/scope/kind',
    },
    { show: () => <KindWatch kind={toKind(draft.kind)} onKind={setShownKind} /> },
    valueField(toKind(draft.kind), draft[toKind(draft.kind)], offered),
    {
      name: 'amount',
      label: 'Monthly budget (USD)',
      at: '/monthlyBudgetUSD',
      kind: 'number',
      isRequired: true,
      placeholder: '7,500',
      help: (
        <>
          Calendar month in UTC.{' '}
          <LastMonth
            scope={scopeOf(draft)}
            amount={draft.amount}
            onOffer={budget ? undefined : (amount) => set({ amount })}
          />
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
    { show: () => <Recipients scope={scopeOf(draft)} /> },
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

/** Tells the form which kind its draft has, which may be one that was kept. */
function KindWatch({ kind, onKind }: { kind: ScopeKind; onKind: (kind: ScopeKind) => void }) {
  useEffect(() => onKind(kind), [kind])
  return null
}
