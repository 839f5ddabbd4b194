/** What is there? Every resource of every account, found by its name, narrowed and sorted by the API a page at a time. */
import type { Reply } from '../../api.ts'
import { ago } from '../../day.ts'
import { count, pluralize } from '../../figure.ts'
import { Copies } from '../../part/copy.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages } from '../../part/table.tsx'
import { change, hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { readInventoryQuery as askedOf, filters, pageSize, type InventoryQuery } from './query.ts'
import { Bar } from './bar.tsx'
import { useResourceFigures } from './resource-figures.ts'
import { List } from './list.tsx'

type Resources = Reply<'GET /resources'>

export function View() {
  const asked = askedOf()
  const include = may('service.view') ? 'team' : undefined
  const report = useReport('GET /resources', { query: { ...asked.query, include }, on: ['inventory.'] })
  const beside = useResourceFigures(report.data ?? [])
  const total = report.total ?? 0
  const toPage = (page: number) => change({ page: page === 1 ? null : page })
  return (
    <>
      <div class="view-head">
        <h1>Inventory</h1>
        <span class="tools">
          <Copies report={report} />
        </span>
      </div>
      <Bar asked={asked} />
      <Panel title="Resources" about={<Summary total={report.total} />} tools={<Copies report={beside.costs} />}>
        <ReportContent report={report} rows={12}>
          {(rows: Resources) =>
            rows.length === 0 ? (
              <Nothing asked={asked} total={total} />
            ) : (
              <>
                <List rows={rows} asked={asked} beside={beside} />
                <Pages page={asked.page} limit={pageSize} total={total} onPage={toPage} />
              </>
            )
          }
        </ReportContent>
        <p class="faint">
          {may('service.view') ? (
            <>
              Cost, CPU and memory of the last 30 days: <CostBasis meta={beside.costs.meta} />. p95: 95% of samples were
              lower. A dash means not measured.
            </>
          ) : (
            <>
              Costs, metrics and teams require the permission <code>service.view</code>.
            </>
          )}
        </p>
      </Panel>
    </>
  )
}

/** How many match, and how fresh that is. */
function Summary({ total }: { total: number | undefined }) {
  const { data } = useReport('GET /resources/discovery-summary', { on: ['inventory.', 'refresh.'] })
  if (!data || total === undefined) return null
  const synced = data.providers.flatMap(({ lastSyncedAt }) => lastSyncedAt ?? []).toSorted()[0]
  const of =
    total === data.totalResources
      ? pluralize(total, 'resource')
      : `${count(total)} of ${pluralize(data.totalResources, 'resource')}`
  return (
    <>
      <span role="status">{of}</span>
      {synced && ` · last full discovery ${ago(synced)} or later`}
    </>
  )
}

function Nothing({ asked, total }: { asked: InventoryQuery; total: number }) {
  if (total > 0)
    return (
      <Empty title="This page does not exist.">
        <p>
          <button type="button" onClick={() => change({ page: null })}>
            Go to first page
          </button>
        </p>
      </Empty>
    )
  const isNarrowed = asked.search !== '' || asked.chosen.length > 0
  const clear = () =>
    change({ search: null, page: null, ...Object.fromEntries(filters.map(({ name }) => [name, null])) })
  if (isNarrowed)
    return (
      <Empty title="No resources match these filters.">
        <p>
          <button type="button" onClick={clear}>
            Show all resources
          </button>
        </p>
      </Empty>
    )
  return (
    <Empty title="No resources discovered yet.">
      <p>
        <Next needs={['space.create', 'space.update']} what="Connecting an account or starting a discovery">
          <a href={hrefOf('sources')}>Connect a cloud account</a>, or start a discovery there.
        </Next>
      </p>
    </Empty>
  )
}
