/** The receipt of a figure: the lines of bills that sum to it, to the last digit. Opened by its parameters in the address. */
import { useState } from 'preact/hooks'
import { downloadFile, type Reply } from '../api.ts'
import { clusterNarrows } from '../cluster-query.ts'
import { dayText, timeText } from '../day.ts'
import { count, pluralize, exact, sumOf, usd } from '../figure.ts'
import { change, param } from '../router.ts'
import { problemOf, type Problem } from '../problem.ts'
import { useReport, type Report } from '../report.ts'
import { may } from '../session.ts'
import { ClusterReceipt } from './cluster-receipt.tsx'
import { Copies } from './copy.tsx'
import { Drawer } from './drawer.tsx'
import { Pairs } from './pairs.tsx'
import { CostBasis } from './period.tsx'
import { Empty, ProblemMessage, ReportContent } from './report-content.tsx'
import { Pages, Table } from './table.tsx'

type Receipt = Reply<'GET /reports/receipt'>
type Line = Receipt['items'][number]

/** Parameters of reports that are none of a receipt's, because they change no line. */
const notOfLines = [
  'compare',
  'savings',
  'sort_by',
  'sort_order',
  'group_by',
  'granularity',
  'dims',
  'top',
  'page',
  'limit',
]

/** A repeated parameter is a list. */
export function queryOf(search: URLSearchParams): Record<string, string[]> {
  const query: Record<string, string[]> = {}
  for (const [name, value] of search) if (!notOfLines.includes(name) && name !== 'all') (query[name] ??= []).push(value)
  return query
}

const pageSize = 100

const columnsWith = (names: ReadonlyMap<string, string>) => [
  { key: 'date', title: 'Day', show: ({ date }: Line) => <span class="nowrap">{dayText(date)}</span> },
  {
    key: 'cost',
    title: 'Cost, USD',
    isFigure: true,
    show: ({ costUSD, share, lineCostUSD }: Line) => (
      <>
        <span class="exact">{exact(costUSD)}</span>
        {share && (
          <span class="faint">
            {exact(share)} of {exact(lineCostUSD ?? '')}
          </span>
        )}
      </>
    ),
  },
  {
    key: 'service',
    title: 'Service',
    show: ({ serviceName, description }: Line) => (
      <>
        <span class="what">{serviceName || '(none)'}</span>
        <span class="faint clip" title={description}>
          {description}
        </span>
      </>
    ),
  },
  {
    key: 'resource',
    title: 'Resource',
    show: ({ resourceUid, region }: Line) => (
      <>
        <span class="clip" title={resourceUid}>
          {resourceUid || <span class="faint">none</span>}
        </span>
        <span class="faint">{region}</span>
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
  {
    key: 'charge',
    title: 'Charge',
    show: ({ chargeCategory, purchaseType, source }: Line) => (
      <>
        {chargeCategory}
        <span class="faint nowrap">
          {purchaseType}
          {source === 'estimate' ? ' · estimate' : ''}
        </span>
      </>
    ),
  },
  {
    key: 'quantity',
    title: 'Quantity',
    isFigure: true,
    show: ({ quantity, unit }: Line) =>
      quantity === null ? (
        '–'
      ) : (
        <>
          <span class="nowrap">{exact(quantity)}</span>
          <span class="faint">{unit}</span>
        </>
      ),
  },
  {
    key: 'bill',
    title: 'Bill',
    show: ({ invoiceId, exportedAt, lineId, otherColumns = {} }: Line) => (
      <>
        <span class="clip" title={lineId}>
          {invoiceId || 'not invoiced'}
        </span>
        <span class="faint nowrap" title={timeText(exportedAt)}>
          exported {dayText(exportedAt)}
        </span>
        {others(otherColumns)}
      </>
    ),
  },
]

function others(columns: Readonly<Record<string, string>>) {
  const pairs = Object.entries(columns)
  return (
    pairs.length > 0 && (
      <details>
        <summary>{pluralize(pairs.length, 'other column')}</summary>
        <Pairs pairs={pairs} label="Other columns" />
      </details>
    )
  )
}

export function ReceiptDrawer() {
  const text = param('receipt')
  if (text === undefined) return null
  return <Receipts key={text} text={text} shown={param('figure')} />
}

/** What a receipt may be narrowed by; anything else names no figure. */
const narrows =
  /^(all|from|to|period|provider|cloud_account_id|region|resource_type|team_id|cost|tag|asOf|untagged|resource_group_id|unit|filter\[.+\])$/

/** Whether the figure is of who used clusters, which no line of a bill says. */
const isOfClusters = (search: URLSearchParams): boolean =>
  search.has('filter[cluster]') || search.has('filter[namespace]')

/** Whether the address names a figure: what it does not know must not answer with the whole. */
function isFigure(search: URLSearchParams): boolean {
  const names = [...search.keys()].filter((name) => !notOfLines.includes(name))
  const isKnown = (name: string) => narrows.test(name) || (isOfClusters(search) && clusterNarrows.includes(name))
  return names.every(isKnown) && [...search].every(([name, value]) => name === 'all' || value !== '')
}

function Receipts({ text, shown }: { text: string; shown: string | undefined }) {
  const search = new URLSearchParams(text)
  const query = queryOf(search)
  const close = () => change({ receipt: null, figure: null })
  if (!isFigure(search))
    return (
      <Drawer title="Receipt" onClose={close}>
        <Empty title="This address does not name a figure.">
          <p>Click an amount to open its receipt.</p>
        </Empty>
      </Drawer>
    )
  return (
    <Drawer title="Receipt" onClose={close}>
      {isOfClusters(search) ? <ClusterReceipt query={query} shown={shown} /> : <Lines query={query} shown={shown} />}
    </Drawer>
  )
}

function Lines({ query, shown }: { query: Readonly<Record<string, string[]>>; shown: string | undefined }) {
  const [page, setPage] = useState(1)
  const report = useReport('GET /reports/receipt', {
    query: { ...query, page, limit: pageSize },
    on: ['costs.changed'],
  })
  return (
    <>
      <p class="faint">
        {filterText(query)} <CostBasis meta={report.meta} />
      </p>
      <ReportContent report={report} rows={8}>
        {(data: Receipt) => (
          <Sheet data={data} shown={shown} page={page} setPage={setPage} query={query} report={report} />
        )}
      </ReportContent>
    </>
  )
}

/** What the lines have in common. */
const filterText = (query: Readonly<Record<string, string[]>>): string =>
  Object.entries(query)
    .filter(([name]) => !['from', 'to', 'period', 'cost', 'asOf'].includes(name))
    .map(([name, values]) => `${name.replace(/^filter\[(.*)\]$/, '$1').replaceAll('_', ' ')}: ${values.join(', ')}`)
    .join(' · ')

interface SheetProps {
  data: Receipt
  shown: string | undefined
  page: number
  setPage: (page: number) => void
  query: Readonly<Record<string, string[]>>
  report: Report<Receipt>
}

function Sheet({ data, shown, page, setPage, query, report }: SheetProps) {
  const accounts = useReport('GET /cloud-accounts', { query: { limit: 100 }, when: may('space.view') })
  const names = new Map((accounts.data?.items ?? []).map(({ id, name }) => [id, name]))
  const [problem, setProblem] = useState<Problem | undefined>()
  const { items, total, totalUSD } = data
  const download = () => {
    setProblem(undefined)
    downloadFile('GET /reports/receipt', { query: { ...query, format: 'csv' } }, 'receipt.csv').catch(
      (error: unknown) => setProblem(problemOf(error)),
    )
  }
  return (
    <div class="receipt">
      <p class="receipt-total">
        <span class="faint">Sum of {pluralize(total, 'line')}</span>
        <output class="exact big">
          {exact(totalUSD)} <span class="faint">USD</span>
        </output>
      </p>
      {shown !== undefined && usd(shown) === usd(totalUSD) && shown !== totalUSD && (
        <p class="faint">The figure on screen, {usd(shown)}, is this total rounded to the cent.</p>
      )}
      {shown !== undefined && usd(shown) !== usd(totalUSD) && (
        <p class="note" role="status">
          The figure on screen was {usd(shown)}. The lines have changed since, or the figure used a different cost type.
          This is the current total.
        </p>
      )}
      {data.linesDropped && (
        <p class="note" role="status">
          Some lines behind this figure are no longer retained
          {data.linesKeptFrom !== undefined && `: lines are kept from ${data.linesKeptFrom} on`}. The remaining lines
          are shown.
        </p>
      )}
      <p class="bar">
        <button type="button" onClick={download}>
          All lines as CSV
        </button>{' '}
        <Copies report={report} />
      </p>
      {problem && <ProblemMessage problem={problem} />}
      {items.length === 0 ? (
        <Empty title="No billing lines contribute to this figure." />
      ) : (
        <Table
          caption="Billing lines"
          columns={columnsWith(names)}
          rows={items}
          keyOf={(line: Line) => `${line.lineId} ${line.date} ${line.exportId}`}
        />
      )}
      <Pages page={page} limit={pageSize} total={total} onPage={setPage} />
      <p class="faint">
        {count(items.length)} of {pluralize(total, 'line')} on this page, totaling{' '}
        <span class="exact">{exact(sumOf(items.map(({ costUSD }) => costUSD)))}</span> USD. Amounts are exactly as
        billed.
      </p>
    </div>
  )
}
