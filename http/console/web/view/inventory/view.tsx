/** What is there? Every resource of every account, found by its name, narrowed and sorted by the API a page at a time. */
import { ago } from '../../day.ts'
import { count, pluralize } from '../../figure.ts'
import { Copies } from '../../part/copy.tsx'
import { Head } from '../../part/head.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Next } from '../../part/next-step.tsx'
import { CostBasis } from '../../part/period.tsx'
import { change, hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { readInventoryQuery as askedOf, filters, isDescendingFirst, pageSize } from './query.ts'
import { Bar } from './bar.tsx'
import { useResourceFigures } from './resource-figures.ts'
import { columnsOf } from './list.tsx'

export function View() {
  const asked = askedOf()
  const include = may('service.view') ? 'team' : undefined
  const report = useReport('GET /resources', { query: { ...asked.query, include }, on: ['inventory.'] })
  const figures = useResourceFigures(report.data ?? [])
  const onSort = (key: string) => {
    const isAscending = key === asked.sort.key ? !asked.sort.isAscending : !isDescendingFirst(key)
    change({ sort_by: key, sort_order: isAscending ? 'asc' : 'desc', page: null })
  }
  return (
    <>
      <Head title="Inventory">
        <Copies report={figures.costs} of="costs" />
      </Head>
      <Bar asked={asked} />
      <div aria-busy={figures.isAsking}>
        <ListView
          title="Resources"
          noun="resources"
          about={<Summary total={report.total} />}
          report={report}
          columns={columnsOf(figures)}
          sorted={{ ...asked.sort, onSort }}
          pageSize={pageSize}
          bones={12}
          narrowedBy={['search', ...filters.map(({ name }) => name)]}
          empty={nothingYet}
        >
          <p class="faint">
            {may('service.view') ? (
              <>
                Cost, CPU and memory of the last 30 days: <CostBasis meta={figures.costs.meta} />. p95: 95% of samples
                were lower. A dash means not measured.
              </>
            ) : (
              <>
                Costs, metrics and teams require the permission <code>service.view</code>.
              </>
            )}
          </p>
        </ListView>
      </div>
    </>
  )
}

const nothingYet = {
  title: 'No resources discovered yet.',
  children: (
    <p>
      <Next needs={['space.create', 'space.update']} what="Connecting an account or starting a discovery">
        <a href={hrefOf('sources')}>Connect a cloud account</a>, or start a discovery there.
      </Next>
    </p>
  ),
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
