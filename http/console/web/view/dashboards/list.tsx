/** The dashboards, each leading to its tiles. */
import type { Reply } from '../../api.ts'
import { pluralize } from '../../figure.ts'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { go, hrefOf } from '../../router.ts'
import type { Report } from '../../report.ts'

export type Dashboards = Reply<'GET /dashboards'>
export type Dashboard = Dashboards[number]

const columnsOf = (onChanged: () => void): Column<Dashboard>[] => [
  { title: 'Name', text: ({ name }) => name, href: ({ id }) => hrefOf('dashboards', { dashboard: id }) },
  {
    title: 'Views',
    count: ({ views }) => views.length,
    show: ({ views, hiddenCount }) => (
      <>
        {views.length}
        {hiddenCount > 0 && <span class="faint"> and {hiddenCount} hidden</span>}
      </>
    ),
  },
  {
    title: 'Visible to',
    text: ({ shared }) => (shared === 'me' ? 'only me' : 'everyone'),
    sub: ({ isMine }) => !isMine && 'by someone else',
  },
  { title: 'Changed', ago: ({ updatedAt }) => updatedAt },
  {
    title: 'Actions',
    isAction: true,
    show: (one) =>
      one.mayChange ? <Delete dashboard={one} onDone={onChanged} /> : <span class="faint">not yours</span>,
  },
]

export const Delete = ({ dashboard, onDone }: { dashboard: Dashboard; onDone: () => void }) => (
  <ConfirmButton
    operation="DELETE /dashboards/:dashboardID"
    params={{ dashboardID: dashboard.id }}
    needs="service.view"
    isDanger
    class="quiet"
    label="Delete"
    of={dashboard.name}
    title={`Delete ${dashboard.name}?`}
    action="Delete dashboard"
    onDone={onDone}
  >
    <p>
      {dashboard.shared === 'me' ? 'It' : 'It disappears for everyone in the organization, and'} is no longer emailed.{' '}
      {pluralize(dashboard.views.length, 'saved view')} stay as they are.
    </p>
    <p>This cannot be undone.</p>
  </ConfirmButton>
)

export const List = ({ report, onChanged }: { report: Report<Dashboards>; onChanged: () => void }) => (
  <ListView
    title="All dashboards"
    noun="dashboards"
    report={report}
    columns={columnsOf(onChanged)}
    empty={{
      title: 'No dashboards yet.',
      children: (
        <p>
          A dashboard shows several saved views on one page, for you or for everyone, and can be emailed.{' '}
          <button type="button" class="quiet" onClick={() => go('dashboards', { new: 'dashboard' })}>
            Create the first one
          </button>
        </p>
      ),
    }}
  />
)
