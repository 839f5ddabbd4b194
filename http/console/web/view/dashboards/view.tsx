/** Dashboards: saved views on one page, each drawn as a tile. */
import { go, hrefOf, param } from '../../router.ts'
import { Head } from '../../part/head.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { useSaved } from '../../part/saved-views.tsx'
import { useReport } from '../../report.ts'
import { Board } from './board.tsx'
import { DashboardForm } from './form.tsx'
import { List, type Dashboard, type Dashboards } from './list.tsx'

export function View() {
  const report = useReport('GET /dashboards')
  const saved = useSaved()
  const id = param('dashboard')
  if (id !== undefined)
    return (
      <ReportContent report={report} rows={10}>
        {(data: Dashboards) => {
          const opened = data.find((one) => one.id === id)
          return opened ? (
            <Board key={id} dashboard={opened} saved={saved.data ?? []} onChanged={report.again} />
          ) : (
            <Missing />
          )
        }}
      </ReportContent>
    )
  const isNew = param('new') !== undefined
  const open = (made: Dashboard) => {
    report.again()
    go('dashboards', { dashboard: made.id })
  }
  return (
    <>
      <Head title="Dashboards">
        {!isNew && (
          <button type="button" class="main" onClick={() => go('dashboards', { new: 'dashboard' })}>
            New dashboard
          </button>
        )}
      </Head>
      {isNew && saved.data && <DashboardForm saved={saved.data} onClose={() => go('dashboards')} onDone={open} />}
      <List report={report} onChanged={report.again} />
    </>
  )
}

const Missing = () => (
  <>
    <Head title="Dashboards" />
    <Empty title="This dashboard does not exist.">
      <p>
        It may have been deleted, or belong to someone else or to another organization.{' '}
        <a href={hrefOf('dashboards')}>All dashboards</a>
      </p>
    </Empty>
  </>
)
