/** Budgets per month, with their usage and forecast. */
import { go, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Head } from '../../part/head.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Next } from '../../part/next-step.tsx'
import { CostBasis } from '../../part/period.tsx'
import { BudgetForm } from './form.tsx'
import { columnsOf } from './list.tsx'
import { BudgetTotals } from './total.tsx'

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
      <BudgetTotals report={summary} meta={budgets.meta} />
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
