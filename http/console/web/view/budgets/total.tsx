import type { Reply } from '../../api.ts'
import { percent, pluralize, usd } from '../../figure.ts'
import { shareLabel, totalOf } from '../../part/budget-total.ts'
import { Meter } from '../../part/meter.tsx'
import { CostBasis } from '../../part/period.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { Tile } from '../../part/tile.tsx'
import type { Report } from '../../report.ts'

type Summary = Reply<'GET /budgets/summary'>

interface BudgetTotalsProps {
  report: Report<Summary>
  meta: Report<unknown>['meta']
}

export const BudgetTotals = ({ report, meta }: BudgetTotalsProps) => (
  <ReportContent report={report} rows={2}>
    {(data: Summary) => data.budgetCount > 0 && <Totals data={data} meta={meta} />}
  </ReportContent>
)

function Totals({ data, meta }: { data: Summary; meta: BudgetTotalsProps['meta'] }) {
  const { overBudgetCount, expectedToExceedCount, budgetCount } = data
  const total = totalOf(data)
  const expected =
    expectedToExceedCount === 0
      ? 'All within budget at month end.'
      : `${pluralize(expectedToExceedCount, 'budget')} exceeded by month end.`
  return (
    <section class="tiles" aria-label="All budgets">
      {total && (
        <article class="tile">
          <h2>{total.isOrganization ? 'Organization' : 'All budgets'}</h2>
          <span class="big">{percent(total.percentUsed)}</span>
          <Meter
            value={total.percentUsed}
            state={overBudgetCount > 0 ? 'bad' : 'good'}
            label={shareLabel(total.isOrganization)}
          />
          <span class="small">
            {usd(total.spendUSD)} of {usd(total.budgetUSD)}
          </span>
          <span class="small">
            <CostBasis meta={meta} />
          </span>
        </article>
      )}
      <Tile
        title="Over"
        value={overBudgetCount === 0 ? 'None' : pluralize(overBudgetCount, 'budget')}
        note={
          <>
            of {pluralize(budgetCount, 'budget')}. {expected}
          </>
        }
      />
      {total?.forecast && (
        <Tile
          title="Month-end forecast"
          value={usd(total.forecast.forecastUSD)}
          note={<>{total.isOrganization ? 'of the organization' : 'of all budgets'}</>}
        />
      )}
    </section>
  )
}
