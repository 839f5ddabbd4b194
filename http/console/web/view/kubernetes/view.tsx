/** Who used what clusters cost? Bills of machines, disks and load balancers, divided among who used them; what nobody did is told apart. */
import { queryOf, wordsOf } from '../../filter.ts'
import { usd } from '../../figure.ts'
import { Copies } from '../../part/copy.tsx'
import { FilterBar } from '../../part/filter.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis, PeriodBar } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages } from '../../part/table.tsx'
import { change, hrefOf, params } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { readKubernetesQuery, hrefWith, narrowedBy, pageSize, type KubernetesQuery } from './query.ts'
import { GroupBar } from './bar.tsx'
import { Export } from './export.tsx'
import { Gaps } from './gaps.tsx'
import { List } from './list.tsx'
import { EmptyState } from './empty-state.tsx'
import { Pods } from './pods.tsx'
import { Together } from './totals.tsx'
import { groupText, keyOf, isLabel, labelText, type Costs } from './labels.ts'

export function View() {
  const now = readKubernetesQuery()
  const lacksKey = isLabel(now.group) && keyOf(now.group) === ''
  const report = useReport('GET /reports/kubernetes', {
    query: {
      ...now.of,
      group_by: now.group,
      idle: now.idle,
      ...(now.isAscending && { sort_order: 'asc' }),
      page: now.page,
      limit: pageSize,
    },
    on: ['costs.changed'],
    when: !lacksKey,
  })
  return (
    <>
      <div class="view-head">
        <h1>Kubernetes</h1>
        <span class="tools">
          <OverTime now={now} />
        </span>
      </div>
      <FilterBar chips={now.chips} of={{ ...now.period, cost: now.of['cost'] }} hrefOf={hrefWith} dims={narrowedBy} />
      <PeriodBar takes={['cost']} />
      <GroupBar now={now} />
      <Others now={now} />
      <Labels labels={now.labels} />
      {lacksKey ? (
        <Empty title="Choose a label">
          <p>Enter or select a label key above.</p>
        </Empty>
      ) : (
        <ReportContent report={report} rows={8}>
          {(data: Costs) => <ReportPanels data={data} report={report} now={now} />}
        </ReportContent>
      )}
      {now.workload !== undefined && <Pods now={now} workload={now.workload} key={now.workload} />}
    </>
  )
}

/** The same costs day by day, where costs know the groups. */
const OverTime = ({ now }: { now: KubernetesQuery }) =>
  ['cluster', 'namespace'].includes(now.group) &&
  now.labels.length === 0 && (
    <a
      href={hrefOf('costs', {
        range: params('range'),
        from: params('from'),
        to: params('to'),
        cost: now.of['cost'],
        ...queryOf(now.chips),
        dims: now.group,
      })}
    >
      Over time
    </a>
  )

/** Filters that this view's report does not have. */
function Others({ now: { others, chips } }: { now: KubernetesQuery }) {
  if (others.length === 0) return null
  const named = others.map(wordsOf).map(({ title, value }) => `${title} ${value}`)
  return (
    <p class="note" role="status">
      Cluster costs cannot be filtered by {named.join(', ')}. <a href={hrefWith(chips)}>Remove</a>
    </p>
  )
}

/** The labels that workloads are narrowed by, each with the way out of it. */
function Labels({ labels }: { labels: readonly string[] }) {
  if (labels.length === 0) return null
  return (
    <ul class="chips" aria-label="Labels">
      {labels.map((label) => {
        const others = labels.filter((one) => one !== label)
        const take = () => change({ label: others.length > 0 ? others : null, page: null, workload: null })
        const text = labelText(label)
        return (
          <li class="chip" key={label}>
            <span class="clip" dir="auto" title={text}>
              {text}
            </span>{' '}
            <button type="button" aria-label={`Remove ${text}`} onClick={take}>
              ✕
            </button>
          </li>
        )
      })}
    </ul>
  )
}

/** The cluster whose costs these are, where it is one. */
function onlyOne({ items, hasMore }: Costs, { clusters, idle }: KubernetesQuery): string | undefined {
  if (clusters.length > 0) return clusters.length === 1 ? clusters[0] : undefined
  const found = new Set(items.map(({ clusterUID }) => clusterUID))
  // Where idle costs stand in the sums alone, so may those of clusters that have no rows.
  return found.size === 1 && !hasMore && idle === 'shown' ? [...found][0] : undefined
}

function ReportPanels({ data, report, now }: { data: Costs; report: Report<Costs>; now: KubernetesQuery }) {
  const { items, total, totals, gaps } = data
  if (items.length === 0 && Number(totals.costUSD) === 0)
    return (
      <>
        <Gaps gaps={gaps} />
        <Panel title="Cluster costs" tools={<Copies report={report} />}>
          <EmptyState now={now} />
        </Panel>
      </>
    )
  const by = groupText(now.group)
  return (
    <>
      <Together totals={totals} now={now} cluster={onlyOne(data, now)} />
      <Gaps gaps={gaps} />
      <Panel
        title={`By ${by}`}
        about={<CostBasis meta={report.meta} />}
        tools={
          <>
            <Export now={now} />
            <Copies report={report} />
          </>
        }
      >
        {items.length === 0 ? (
          <Nobody now={now} />
        ) : (
          <List
            rows={items}
            now={now}
            group={now.group}
            caption={`Cost by ${by}`}
            total={usd(totals.itemsUSD)}
            isSorted={true}
          />
        )}
        <Pages
          page={now.page}
          limit={pageSize}
          total={total}
          onPage={(page: number) => change({ page: page === 1 ? null : page })}
        />
        {now.idle === 'shared' && (
          <p class="faint">
            Idle cost is added to the workloads of its cluster per day, separately for CPU, memory and GPU, in
            proportion to their cost of each. The component columns and receipts show each row’s own cost only.
          </p>
        )}
      </Panel>
    </>
  )
}

const Nobody = ({ now }: { now: KubernetesQuery }) =>
  now.page > 1 ? (
    <EmptyState now={now} />
  ) : (
    <Empty title="No workload costs: the whole amount is in the totals above.">
      <p>
        <button type="button" onClick={() => change({ idle: null })}>
          Show it as rows
        </button>
      </p>
    </Empty>
  )
