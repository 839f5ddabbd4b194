/** Budgets of teams and groups per month, with their usage and forecast. */
import type { Reply } from '../../api.ts'
import { pluralize, percent, usd } from '../../figure.ts'
import { go, hrefOf, param } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { Meter } from '../../part/meter.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { BudgetForm } from './form.tsx'
import { List, type Budgets } from './list.tsx'
import { useScopes } from './scopes.ts'

type Summary = Reply<'GET /budgets/summary'>

export function View() {
  const budgets = useReport('GET /budgets', { on: ['budget.', 'costs.changed'] })
  const summary = useReport('GET /budgets/summary', { on: ['budget.', 'costs.changed'] })
  const scopes = useScopes()
  const [making, editing] = [param('new'), param('edit')]
  const edited = budgets.data?.find(({ id }) => id === editing)
  const close = () => go('budgets')
  const done = () => {
    budgets.again()
    summary.again()
    close()
  }
  const isForm = making !== undefined || edited !== undefined
  return (
    <>
      <div class="view-head">
        <h1>Budgets</h1>
        <span class="tools">
          {!isForm && (
            <Act needs="service.create" class="main" onClick={() => go('budgets', { new: 'team' })}>
              New budget
            </Act>
          )}
          <Copies report={budgets} />
        </span>
      </div>
      {isForm && scopes.isThere && (
        <BudgetForm key={edited?.id ?? 'new'} budget={edited} scopes={scopes} onClose={close} onDone={done} />
      )}
      <Total report={summary} meta={budgets.meta} />
      <Panel title="This month" about={<CostBasis meta={budgets.meta} />}>
        <ReportContent report={budgets} rows={5}>
          {(data: Budgets) =>
            data.length === 0 ? (
              <Empty title="No budgets yet.">
                <p>
                  A budget notifies owners and channels when a team or resource group approaches its monthly limit.{' '}
                  {!isForm && (
                    <Next needs="service.create" what="Creating a budget">
                      <a href={hrefOf('budgets', { new: 'team' })}>Create the first budget</a>
                    </Next>
                  )}
                </p>
              </Empty>
            ) : (
              <List budgets={data} scopes={scopes} onChanged={done} />
            )
          }
        </ReportContent>
      </Panel>
    </>
  )
}

function Total({ report, meta }: { report: Report<Summary>; meta: Report<unknown>['meta'] }) {
  return (
    <ReportContent report={report} rows={2}>
      {(data: Summary) =>
        data.budgetCount > 0 && (
          <section class="tiles" aria-label="All budgets">
            <article class="tile">
              <h2>All budgets</h2>
              <span class="big">{percent(data.percentUsed)}</span>
              <Meter
                value={data.percentUsed}
                state={data.overBudgetCount > 0 ? 'bad' : 'good'}
                label="Share of all budgets used"
              />
              <span class="small">
                {usd(data.totalSpendUSD)} of {usd(data.totalBudgetUSD)}
              </span>
              <span class="small">
                <CostBasis meta={meta} />
              </span>
            </article>
            <article class="tile">
              <h2>Over</h2>
              <span class="big">{data.overBudgetCount === 0 ? 'None' : pluralize(data.overBudgetCount, 'budget')}</span>
              <span class="small">
                of {pluralize(data.budgetCount, 'budget')}. A resource in several budgets counts in each.
              </span>
            </article>
            {data.forecast && (
              <article class="tile">
                <h2>Month-end forecast</h2>
                <span class="big">{usd(data.forecast.forecastUSD)}</span>
                <span class="small">
                  {data.expectedToExceedCount === 0
                    ? 'All within budget.'
                    : `${pluralize(data.expectedToExceedCount, 'budget')} will be exceeded.`}
                </span>
              </article>
            )}
          </section>
        )
      }
    </ReportContent>
  )
}
