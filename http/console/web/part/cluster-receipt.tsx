/** The receipt of what somebody used of clusters: the rows of bills, day by day, with the share of each that the figure has. */
import { useState } from 'preact/hooks'
import type { Query } from '../address.ts'
import type { Reply } from '../api.ts'
import { clusterQuery, none, type ParamValues } from '../cluster-query.ts'
import { dayText } from '../day.ts'
import { count, pluralize, exact, share, sumOf, usd } from '../figure.ts'
import { hrefOf } from '../router.ts'
import { useReport, type Report } from '../report.ts'
import { may } from '../session.ts'
import { receiptHref } from './amount.tsx'
import { Copies } from './copy.tsx'
import { CostBasis } from './period.tsx'
import { Empty, ReportContent } from './report-content.tsx'
import { Pages, Table } from './table.tsx'

type Receipt = Reply<'GET /reports/kubernetes/receipt'>
type Line = Receipt['items'][number]

const components: Readonly<Record<string, string>> = {
  cpu: 'CPU',
  gpu: 'GPU',
  storage: 'storage',
  load_balancer: 'load balancers',
  network: 'network',
}

/** The row of the bill that a part is of, as the receipt of bills is narrowed to it. */
const lineQuery = (line: Line, cost: Query[string]): Query => ({
  from: line.date,
  to: line.date,
  cost,
  'filter[cloud_account_id]': line.cloudAccountId,
  'filter[resource_uid]': line.resourceUid || none,
  'filter[service_name]': line.serviceName || none,
  'filter[region]': line.region || none,
  'filter[purchase_type]': line.purchaseType || none,
  'filter[charge_category]': line.chargeCategory || none,
})

const columnsWith = (names: ReadonlyMap<string, string>, cost: Query[string]) => [
  { key: 'date', title: 'Day', show: ({ date }: Line) => <span class="nowrap">{dayText(date)}</span> },
  {
    key: 'cost',
    title: 'Cost, USD',
    isFigure: true,
    show: (line: Line) => (
      <>
        <span class="exact">{exact(line.costUSD)}</span>
        <span class="faint">
          {share(line.share)} of{' '}
          {line.isEstimated ? (
            <span class="exact">{exact(line.lineCostUSD)}</span>
          ) : (
            <a class="exact" href={receiptHref(lineQuery(line, cost), line.lineCostUSD)} title="Show the billing lines">
              {exact(line.lineCostUSD)}
            </a>
          )}
        </span>
      </>
    ),
  },
  {
    key: 'what',
    title: 'Component',
    show: ({ kind, component }: Line) => (
      <>
        <span class="what">{components[component] ?? component.replaceAll('_', ' ')}</span>
        {kind !== 'workload' && <span class="faint">{kind}</span>}
      </>
    ),
  },
  {
    key: 'who',
    title: 'Workload',
    show: ({ namespace, controllerKind, controllerName, pod }: Line) => (
      <>
        <span class="clip" dir="auto" title={pod}>
          {pod || (controllerName ? `${controllerKind}/${controllerName}` : <span class="faint">unallocated</span>)}
        </span>
        <span class="faint clip" title={namespace}>
          {namespace}
        </span>
      </>
    ),
  },
  {
    key: 'resource',
    title: 'Resource',
    show: ({ resourceUid, region, node }: Line) => (
      <>
        <span class="clip" title={resourceUid}>
          {resourceUid}
        </span>
        <span class="faint">{[node, region].filter((text) => text !== '').join(' · ')}</span>
      </>
    ),
  },
  {
    key: 'bill',
    title: 'Bill',
    show: ({ isEstimated, serviceName, chargeCategory, purchaseType }: Line) =>
      isEstimated ? (
        <>
          not billed yet<span class="faint">estimated from price tables</span>
        </>
      ) : (
        <>
          <span class="what">{serviceName || none}</span>
          <span class="faint">
            {chargeCategory} · {purchaseType}
          </span>
        </>
      ),
  },
  {
    key: 'account',
    title: 'Account',
    show: ({ cloudAccountId, provider }: Line) => (
      <>
        <span class="clip tight" dir="auto" title={cloudAccountId}>
          {names.get(cloudAccountId) ?? cloudAccountId}
        </span>
        <span class="faint">{provider}</span>
      </>
    ),
  },
]

const pageSize = 100

export function ClusterReceipt({ query: narrowed, shown }: { query: ParamValues; shown: string | undefined }) {
  const [page, setPage] = useState(1)
  const query = clusterQuery(narrowed)
  const report = useReport('GET /reports/kubernetes/receipt', {
    query: { ...query, page, limit: pageSize },
    on: ['costs.changed'],
    when: query !== undefined,
  })
  if (query === undefined) return <Unknown narrowed={narrowed} />
  return (
    <>
      <p class="faint">
        {filterText(query)} <CostBasis meta={report.meta} />
      </p>
      <ReportContent report={report} rows={8}>
        {(data: Receipt) => (
          <Sheet data={data} shown={shown} page={page} setPage={setPage} cost={query['cost']} report={report} />
        )}
      </ReportContent>
    </>
  )
}

const filterText = (query: Query): string =>
  ['cluster', 'namespace', 'controller', 'pod', 'kind', 'cloud_account_id']
    .map((name) => [name.replaceAll('_', ' '), [query[name] ?? []].flat().join(', ')] as const)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `${name}: ${text}`)
    .join(' · ')

/** Lines of bills do not say who used a cluster, so that not every figure divided so has its rows. */
const Unknown = ({
  narrowed: { from, to, cost, 'filter[cluster]': clusters = [], 'filter[namespace]': namespaces = [] },
}: {
  narrowed: ParamValues
}) => (
  <Empty title="Bills do not show who used a cluster.">
    <p>
      Billing rows are available for one cluster, or for one of its namespaces, without other filters:{' '}
      <a
        href={hrefOf('kubernetes', {
          from: from?.[0],
          to: to?.[0],
          cost: cost?.[0],
          'filter[cluster]': clusters.filter((one) => one !== none),
          'filter[namespace]': namespaces.filter((one) => one !== none),
        })}
      >
        open it in Kubernetes
      </a>
      , where every amount has a receipt.
    </p>
  </Empty>
)

interface SheetProps {
  data: Receipt
  shown: string | undefined
  page: number
  setPage: (page: number) => void
  cost: Query[string]
  report: Report<Receipt>
}

function Sheet({ data, shown, page, setPage, cost, report }: SheetProps) {
  const known = useReport('GET /cloud-accounts', { query: { limit: 100 }, when: may('space.view') })
  const names = new Map((known.data?.items ?? []).map(({ id, name }) => [id, name]))
  const { items, total, totalUSD } = data
  const isOther = shown !== undefined && usd(shown) !== usd(totalUSD)
  return (
    <div class="receipt">
      <p class="receipt-total">
        <span class="faint">Sum of {pluralize(total, 'share')}</span>
        <output class="exact big">
          {exact(totalUSD)} <span class="faint">USD</span>
        </output>
      </p>
      {shown !== undefined && !isOther && shown !== totalUSD && (
        <p class="faint">The figure on screen, {usd(shown)}, is this total rounded to the cent.</p>
      )}
      {isOther && (
        <p class="note" role="status">
          The figure on screen was {usd(shown)}. The rows have changed since, or the figure excludes estimates. This is
          the current total.
        </p>
      )}
      <p class="bar">
        <Copies report={report} />
      </p>
      {items.length === 0 ? (
        <Empty title="No billing rows contribute to this figure." />
      ) : (
        <Table
          caption="Shares of billing rows"
          columns={columnsWith(names, cost)}
          rows={items}
          keyOf={(_line: Line, at: number) => String(at)}
        />
      )}
      <Pages page={page} limit={pageSize} total={total} onPage={setPage} />
      <p class="faint">
        {count(items.length)} of {pluralize(total, 'share')} on this page, totaling{' '}
        <span class="exact">{exact(sumOf(items.map(({ costUSD }) => costUSD)))}</span> USD.
      </p>
    </div>
  )
}
