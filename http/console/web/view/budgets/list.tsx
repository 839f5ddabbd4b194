/** The budgets, those that are used up most first. */
import type { Reply } from '../../api.ts'
import { dayText, firstOf, today } from '../../day.ts'
import { percent, usd } from '../../figure.ts'
import { go, hrefOf, param } from '../../router.ts'
import { Act } from '../../part/act.tsx'
import { Amount } from '../../part/amount.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Meter } from '../../part/meter.tsx'
import type { Column } from '../../part/list/column.tsx'
import { toBudgetStatus, stateOf, statusText } from '../teams/cells.tsx'
import { filterOf, kindTitle, type Scope } from './scopes.ts'

export type Budgets = Reply<'GET /budgets'>
type Budget = Budgets[number]
type Forecast = NonNullable<Budget['forecast']>

const receiptOf = ({ scope }: Budget) => {
  const filter = filterOf(scope)
  return filter && { from: firstOf(today()), to: today(), ...filter }
}

/** The view that explains the costs of a scope. */
function hrefOfScope({ kind, id }: Scope): string | undefined {
  const filter = filterOf({ kind, id })
  if (kind === 'team') return id === '' ? undefined : hrefOf('teams', { team: id })
  return kind === 'resource_group'
    ? hrefOf('groups', { group: id })
    : filter && hrefOf('costs', { range: 'month', ...filter })
}

const badges = { green: 'good', yellow: 'warning', red: 'critical' } as const

export const columnsOf = (onChanged: () => void): Column<Budget>[] => [
  {
    title: 'Scope',
    text: ({ scope }) => scope.name,
    href: ({ scope }) => hrefOfScope(scope),
    sub: ({ id, scope }) => (
      <>
        {scope.kind === 'team' && scope.id === ''
          ? 'Team does not exist yet'
          : scope.kind !== 'org' && kindTitle(scope.kind)}{' '}
        {id === param('budget') && <span class="badge">selected</span>}
      </>
    ),
  },
  {
    title: 'Status',
    text: ({ status }) => statusText[toBudgetStatus(status)],
    badge: ({ status }) => badges[toBudgetStatus(status)],
  },
  {
    title: 'Used',
    percent: ({ percentUsed }) => percentUsed,
    isFigure: false,
    show: ({ percentUsed, status, alertThresholdPercent, thresholds }) => (
      <Meter value={percentUsed} state={stateOf[toBudgetStatus(status)]} label="Used of the budget">
        {percent(percentUsed)}{' '}
        <span class="faint" title={alertsText(thresholds)}>
          alert at {percent(alertThresholdPercent)}
          {thresholds.length > 0 && ` and ${thresholds.length} more`}
        </span>
      </Meter>
    ),
  },
  {
    title: 'Spend',
    usd: ({ currentSpendUSD }) => currentSpendUSD,
    show: (one) => <Amount usd={one.currentSpendUSD} receipt={receiptOf(one)} label="Spend" />,
  },
  { title: 'Budget', usd: ({ monthlyBudgetUSD }) => monthlyBudgetUSD },
  {
    title: 'Remaining',
    usd: ({ remainingUSD }) => remainingUSD,
    sub: ({ remainingUSD }) => remainingUSD < 0 && 'over',
  },
  {
    title: 'Month-end forecast',
    usd: ({ forecast }) => forecast?.forecastUSD,
    show: ({ forecast }) =>
      forecast ? (
        <span title={rangeText(forecast)}>{usd(forecast.forecastUSD)}</span>
      ) : (
        <span class="faint" title="The bills are too old, or the forecast would have to read too many days.">
          unknown
        </span>
      ),
    sub: ({ forecast }) =>
      forecast &&
      (forecast.expectedToExceedOn === null ? 'within budget' : `exceeded on ${dayText(forecast.expectedToExceedOn)}`),
  },
  {
    title: 'Actions',
    isAction: true,
    show: (one) => <BudgetActions budget={one} name={one.scope.name} onChanged={onChanged} />,
  },
]

const alertsText = (thresholds: Budget['thresholds']): string =>
  thresholds.map((one) => `${percent(one.percent)} of ${one.of === 'spend' ? 'spend' : 'the forecast'}`).join(', ')

function rangeText({ lowUSD, highUSD, heldPercent }: Forecast): string {
  if (lowUSD === null || highUSD === null) return 'Too few days with bills to estimate a range.'
  const held = heldPercent === null ? '' : `; ${percent(heldPercent)} of these ranges were correct so far`
  return `${usd(lowUSD)} – ${usd(highUSD)}${held}`
}

const BudgetActions = ({ budget, name, onChanged }: { budget: Budget; name: string; onChanged: () => void }) => (
  <span class="nowrap">
    <Act
      needs="service.update"
      isSmall
      class="quiet"
      label={`Edit budget for ${name}`}
      onClick={() => go('budgets', { edit: budget.id })}
    >
      Edit
    </Act>{' '}
    <ConfirmButton
      operation="DELETE /budgets/:budgetID"
      params={{ budgetID: budget.id }}
      needs="service.delete"
      isDanger
      class="quiet"
      label="Delete"
      of={`budget for ${name}`}
      title={`Delete budget for ${name}?`}
      action="Delete budget"
      onDone={onChanged}
    >
      <p>
        No one will be notified when {name} approaches {usd(budget.monthlyBudgetUSD)} a month. Costs are not affected.
      </p>
      <p>If you create it again, this month’s alerts may be sent again.</p>
    </ConfirmButton>
  </span>
)
