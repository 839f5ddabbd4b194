/** Budgets per month, with their usage and forecast. */
import type { Reply } from '../../api.ts'
import { pluralize, percent, usd } from '../../figure.ts'
import { go, hrefOf, param } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { Tile } from '../../part/tile.tsx'
import { Act } from '../../part/act.tsx'
import { Head } from '../../part/head.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Meter } from '../../part/meter.tsx'
import { Next } from '../../part/next-step.tsx'
import { CostBasis } from '../../part/period.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { BudgetForm } from './form.tsx'
import { columnsOf } from './list.tsx'

type Summary = Reply<'GET /budgets/summary'>

export function View() {
  const budgets = useReport('GET /budgets', { on: ['budget.', 'costs.changed'] })
  const summary = useReport('GET /budgets/summary', { on: ['budget.', 'costs.changed'] })
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
      <Head title="Budgets">
        {!isForm && (
          <Act needs="service.create" class="main" onClick={() => go('budgets', { new: 'team' })}>
            New budget
          </Act>
        )}
      </Head>
      {isForm && <BudgetForm key={edited?.id ?? 'new'} budget={edited} onClose={close} onDone={done} />}
      <Total report={summary} meta={budgets.meta} />
      <ListView
        title="This month"
        noun="budgets"
        caption="Budgets"
        about={<CostBasis meta={budgets.meta} />}
        report={budgets}
        columns={columnsOf(done)}
        empty={{
          title: 'No budgets yet.',
          children: (
            <p>
              A budget notifies owners and channels when the organization, an account, a service, a tag, a team or a
              resource group approaches its monthly limit.{' '}
              {!isForm && (
                <Next needs="service.create" what="Creating a budget">
                  <a href={hrefOf('budgets', { new: 'team' })}>Create the first budget</a>
                </Next>
              )}
            </p>
          ),
        }}
      />
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
            <Tile
              title="Over"
              value={data.overBudgetCount === 0 ? 'None' : pluralize(data.overBudgetCount, 'budget')}
              note={<>of {pluralize(data.budgetCount, 'budget')}. A cost in several budgets counts in each.</>}
            />
            {data.forecast && (
              <Tile
                title="Month-end forecast"
                value={usd(data.forecast.forecastUSD)}
                note={
                  <>
                    {data.expectedToExceedCount === 0
                      ? 'All within budget.'
                      : `${pluralize(data.expectedToExceedCount, 'budget')} will be exceeded.`}
                  </>
                }
              />
            )}
          </section>
        )
      }
    </ReportContent>
  )
}
