/** Of a budget: its status of each day. */
import type { Query } from '../../address.ts'
import { dayShort, dayText, firstOf } from '../../day.ts'
import { count, percent, usd } from '../../figure.ts'
import { Amount } from '../../part/amount.tsx'
import { Chart } from '../../part/chart.tsx'
import { Table } from '../../part/table.tsx'
import { useReport } from '../../report.ts'
import { filterOf, type Scope } from '../budgets/scopes.ts'
import type { WhatIfOf } from './reply.ts'
import type { WhatIfState } from './use-what-if.ts'
import { Sides } from './before-after.tsx'

type BudgetIf = WhatIfOf<'budget'>
type BudgetAlert = BudgetIf['after']['alerts'][number]

const names: Readonly<Record<string, string>> = { green: 'within budget', yellow: 'near limit', red: 'over budget' }
const badges: Readonly<Record<string, string>> = { green: 'good', yellow: 'warning', red: 'critical' }

export function BudgetAnswer({ answer, body }: { answer: BudgetIf; body: WhatIfState['body'] }) {
  const { before, after, byDay } = answer
  const scope = useScope(body)
  const of = (value: string | number | undefined) => value ?? 'none'
  const rows = [
    {
      title: 'Monthly budget (USD)',
      before: of(before?.monthlyBudgetUSD && usd(before.monthlyBudgetUSD)),
      after: usd(after.monthlyBudgetUSD),
    },
    {
      title: 'Alert at',
      before: of(before ? percent(before.alertThresholdPercent) : undefined),
      after: percent(after.alertThresholdPercent),
    },
    {
      title: 'Days near limit',
      before: of(before ? count(before.daysYellow) : undefined),
      after: count(after.daysYellow),
    },
    { title: 'Days over budget', before: of(before ? count(before.daysRed) : undefined), after: count(after.daysRed) },
    {
      title: 'Alerts',
      before: of(before ? count(before.alerts.length) : undefined),
      after: count(after.alerts.length),
    },
  ]
  const marks = after.alerts.map(({ date, status }) => ({
    period: date,
    text: `alert: ${names[status]}`,
    severity: status === 'red' ? 'critical' : 'warning',
  }))
  return (
    <>
      <Sides caption="Before and after" rows={rows} />
      <Chart
        title="Month-to-date spend"
        kind="lines"
        height={190}
        periods={byDay.map(({ date }) => date)}
        name={dayShort}
        marks={marks}
        series={[
          { label: 'spend', values: byDay.map(({ spendUSD }) => spendUSD) },
          { label: 'budget after', values: byDay.map(() => after.monthlyBudgetUSD), isOther: true },
        ]}
      />
      <div class="halves">
        <div>
          <h3>Alerts before</h3>
          <Alerts
            alerts={before?.alerts ?? []}
            scope={scope}
            none={before ? 'None.' : 'This budget does not exist yet.'}
          />
        </div>
        <div>
          <h3>Alerts after</h3>
          <Alerts alerts={after.alerts} scope={scope} none="None." />
        </div>
      </div>
      <p class="faint">Full days only: the hourly check may also alert on a day that became cheaper later.</p>
    </>
  )
}

/** What the lines of the budget are narrowed by, once that is known. */
function useScope({ change }: WhatIfState['body']): Query | undefined {
  const { budgetID, scope, teamID, resourceGroupID: groupID } = change as Partial<Record<string, unknown>>
  const isThere = typeof budgetID === 'string'
  const budget = useReport('GET /budgets', { when: isThere }).data?.find(({ id }) => id === budgetID)
  if (isThere) return budget && filterOf(budget.scope)
  if (typeof teamID === 'string') return { team_id: teamID }
  if (typeof groupID === 'string') return { resource_group_id: groupID }
  return filterOf({ id: '', ...(scope as Pick<Scope, 'kind'>) })
}

interface AlertsProps {
  alerts: readonly BudgetAlert[]
  scope: Query | undefined
  none: string
}

function Alerts({ alerts, scope, none }: AlertsProps) {
  if (alerts.length === 0) return <p class="faint">{none}</p>
  const columns = [
    { key: 'day', title: 'Day', show: ({ date }: BudgetAlert) => <span class="nowrap">{dayText(date)}</span> },
    {
      key: 'status',
      title: 'Status',
      show: ({ status }: BudgetAlert) => <span class={`badge ${badges[status]}`}>{names[status]}</span>,
    },
    {
      key: 'spend',
      title: 'Month-to-date spend',
      isFigure: true,
      show: ({ spendUSD, percentUsed, date }: BudgetAlert) => (
        <>
          <Amount
            usd={spendUSD}
            receipt={scope && { from: firstOf(date), to: date, ...scope }}
            label={`Spend through ${dayText(date)}`}
          />
          <span class="faint">{percent(percentUsed)}</span>
        </>
      ),
    },
  ]
  return (
    <Table
      caption="Alerts"
      columns={columns}
      rows={alerts}
      keyOf={({ date, status }: BudgetAlert) => `${date} ${status}`}
    />
  )
}
