/** The budgets, those that are used up most first. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { dayText, firstOf, today } from '../../day.ts'
import { percent, usd } from '../../figure.ts'
import { go, hrefOf, param } from '../../router.ts'
import { useRequest } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Amount } from '../../part/amount.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { Meter } from '../../part/meter.tsx'
import { Table } from '../../part/table.tsx'
import { toBudgetStatus, stateOf, statusText } from '../teams/cells.tsx'
import type { Scopes } from './scopes.ts'

export type Budgets = Reply<'GET /budgets'>
type Budget = Budgets[number]
type Forecast = Budget['forecast']

interface Scope {
  kind: 'team' | 'group'
  name: string
  /** Undefined while it is not there: it spends nothing until then. */
  id: string | undefined
}

export function scopeOf({ teamName, resourceGroupID }: Budget, { teams, groups }: Scopes): Scope {
  if (resourceGroupID !== '') {
    const group = groups.find(({ id }) => id === resourceGroupID)
    return { kind: 'group', name: group?.name ?? resourceGroupID, id: resourceGroupID }
  }
  return {
    kind: 'team',
    name: teamName,
    id: teams.find(({ name }) => name.toLowerCase() === teamName.toLowerCase())?.id,
  }
}

const receiptOf = ({ kind, id }: Scope) =>
  id
    ? { from: firstOf(today()), to: today(), ...(kind === 'team' ? { team_id: id } : { resource_group_id: id }) }
    : undefined

const badges = { green: 'good', yellow: 'warning', red: 'critical' } as const

export function List({ budgets, scopes, onChanged }: { budgets: Budgets; scopes: Scopes; onChanged: () => void }) {
  const [deleting, setDeleting] = useState<Budget | undefined>()
  const columns = columnsOf(scopes, setDeleting)
  return (
    <>
      {deleting && (
        <DeleteBudget
          budget={deleting}
          name={scopeOf(deleting, scopes).name}
          onClose={() => setDeleting(undefined)}
          onDone={onChanged}
        />
      )}
      <Table caption="Budgets" columns={columns} rows={budgets} keyOf={({ id }: Budget) => id} />
    </>
  )
}

const columnsOf = (scopes: Scopes, setDeleting: (budget: Budget) => void) => [
  {
    key: 'for',
    title: 'Scope',
    show: (one: Budget) => {
      const { kind, name, id } = scopeOf(one, scopes)
      return (
        <>
          {kind === 'team' && id ? (
            <a class="clip" dir="auto" title={name} href={hrefOf('teams', { team: id })}>
              {name}
            </a>
          ) : (
            <span class="clip" dir="auto" title={name}>
              {name}
            </span>
          )}
          {one.id === param('budget') && (
            <>
              {' '}
              <span class="badge">selected</span>
            </>
          )}
          <span class="faint">{kind === 'team' ? (id ? 'team' : 'team does not exist yet') : 'resource group'}</span>
        </>
      )
    },
  },
  {
    key: 'status',
    title: 'Status',
    show: ({ status }: Budget) => (
      <span class={`badge ${badges[toBudgetStatus(status)]}`}>{statusText[toBudgetStatus(status)]}</span>
    ),
  },
  {
    key: 'used',
    title: 'Used',
    show: ({ percentUsed, status, alertThresholdPercent }: Budget) => (
      <Meter value={percentUsed} state={stateOf[toBudgetStatus(status)]} label="Used of the budget">
        {percent(percentUsed)} <span class="faint">alert at {percent(alertThresholdPercent)}</span>
      </Meter>
    ),
  },
  {
    key: 'spend',
    title: 'Spend',
    isFigure: true,
    by: ({ currentSpendUSD }: Budget) => currentSpendUSD,
    show: (one: Budget) => <Amount usd={one.currentSpendUSD} receipt={receiptOf(scopeOf(one, scopes))} label="Spend" />,
  },
  {
    key: 'budget',
    title: 'Budget',
    isFigure: true,
    by: ({ monthlyBudgetUSD }: Budget) => monthlyBudgetUSD,
    show: ({ monthlyBudgetUSD }: Budget) => usd(monthlyBudgetUSD),
  },
  {
    key: 'left',
    title: 'Remaining',
    isFigure: true,
    by: ({ remainingUSD }: Budget) => remainingUSD,
    show: ({ remainingUSD }: Budget) => (
      <>
        {usd(remainingUSD)}
        {remainingUSD < 0 && <span class="faint">over</span>}
      </>
    ),
  },
  {
    key: 'forecast',
    title: 'Month-end forecast',
    isFigure: true,
    by: ({ forecast }: Budget) => forecast?.forecastUSD ?? 0,
    show: ({ forecast }: Budget) => <MonthEnd forecast={forecast} />,
  },
  {
    key: 'change',
    title: 'Actions',
    show: (one: Budget) => (
      <span class="nowrap">
        <Act
          needs="service.update"
          isSmall
          class="quiet"
          label={`Edit budget for ${scopeOf(one, scopes).name}`}
          onClick={() => go('budgets', { edit: one.id })}
        >
          Edit
        </Act>{' '}
        <Act
          needs="service.delete"
          isSmall
          class="quiet"
          label={`Delete budget for ${scopeOf(one, scopes).name}`}
          onClick={() => setDeleting(one)}
        >
          Delete
        </Act>
      </span>
    ),
  },
]

function MonthEnd({ forecast }: { forecast: Forecast }) {
  if (!forecast)
    return (
      <span class="faint" title="The bills are too old, or the forecast would have to read too many days.">
        unknown
      </span>
    )
  const { forecastUSD, lowUSD, highUSD, heldPercent } = forecast
  const band =
    lowUSD === null || highUSD === null
      ? 'Too few days with bills to estimate a range.'
      : `${usd(lowUSD)} – ${usd(highUSD)}${heldPercent === null ? '' : `; ${percent(heldPercent)} of these ranges were correct so far`}`
  return (
    <>
      <span title={band}>{usd(forecastUSD)}</span>
      <span class="faint">{forecastText(forecast)}</span>
    </>
  )
}

const forecastText = ({ expectedToExceedOn }: NonNullable<Forecast>): string =>
  expectedToExceedOn === null ? 'within budget' : `exceeded on ${dayText(expectedToExceedOn)}`

interface DeleteProps {
  budget: Budget
  name: string
  onClose: () => void
  onDone: () => void
}

function DeleteBudget({ budget, name, onClose, onDone }: DeleteProps) {
  const doing = useRequest('DELETE /budgets/:budgetID')
  const run = () =>
    void doing.run({ params: { budgetID: budget.id } }, () => {
      onClose()
      onDone()
    })
  return (
    <Confirm
      title={`Delete budget for ${name}?`}
      action="Delete budget"
      isDanger
      doing={doing}
      request={{ operation: 'DELETE /budgets/:budgetID', params: { budgetID: budget.id } }}
      onConfirm={run}
      onClose={onClose}
    >
      <p>
        No one will be notified when {name} approaches {usd(budget.monthlyBudgetUSD)} a month. Costs are not affected.
      </p>
      <p>If you create it again, this month’s alerts may be sent again.</p>
    </Confirm>
  )
}
