/** Costs by resource: they may be a million, so that pages and their order are the API's. */
import type { Reply } from '../../api.ts'
import { Amount, Change } from '../../part/amount.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis, type Period } from '../../part/period.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { Pages, Table, type TableColumn } from '../../part/table.tsx'
import { change, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { drillHref, receiptOf, type CostsQuery, type CostSeries } from './query.ts'
import { sqlOf } from './cost-chart.tsx'
import { Export } from './export.tsx'
import { shareOf } from './groups.tsx'
import { Label } from './label.tsx'

const pageSize = 50

type Page = Reply<'GET /reports/costs/resources'>
type Row = {
  key: string
  label: string
  costUSD: number
  previousUSD?: number | null
  deltaUSD?: number | null
  deltaPercent?: number | null
}

export function OfResources({ now, total }: { now: CostsQuery; total: CostSeries['total'] }) {
  const page = Math.max(1, Math.trunc(Number(param('page'))) || 1)
  const sort = { sort_by: param('sort_by') ?? 'cost_usd', sort_order: param('sort_order') ?? 'desc' }
  const query = { ...now.of, compare: now.compare, group_by: 'resource', ...sort, page, limit: pageSize }
  const report = useReport('GET /reports/costs/resources', { query, on: ['costs.changed'] })
  const compared = report.meta?.['compared'] as Period | undefined
  const onSort = (key: string) => {
    const isAscending = key === sort.sort_by ? sort.sort_order === 'desc' : key === 'name'
    change({ sort_by: key, sort_order: isAscending ? 'asc' : 'desc', page: null })
  }
  return (
    <Panel
      title="By resource"
      about={<CostBasis meta={report.meta} />}
      tools={
        <>
          <Export now={now} />
          <Copies report={report} sql={sqlOf({ ...now, granularity: '' as never }, report)} />
        </>
      }
    >
      <ReportContent report={report} rows={10}>
        {(data: Page) => (
          <>
            <Table
              caption="Cost by resource"
              columns={columnsOf(now, total.costUSD, compared)}
              rows={data.items as readonly Row[]}
              keyOf={(row: Row) => row.key}
              sorted={{ key: sort.sort_by, isAscending: sort.sort_order === 'asc', onSort }}
              foot={
                <tr>
                  <td>Total</td>
                  <td class="figure">
                    <Amount usd={total.costUSD} receipt={receiptOf(now)} label="Total" />
                  </td>
                  <td class="figure">{shareOf(total.costUSD, total.costUSD)}</td>
                  {compared && (
                    <>
                      <td class="figure">
                        <Amount
                          usd={total.previousUSD}
                          receipt={receiptOf(now, {}, compared)}
                          label="Total, previous period"
                        />
                      </td>
                      <td class="figure">
                        <Change usd={total.deltaUSD} percent={total.deltaPercent} />
                      </td>
                    </>
                  )}
                </tr>
              }
            />
            <Pages
              page={page}
              limit={pageSize}
              total={data.total}
              onPage={(to: number) => change({ page: String(to) })}
            />
          </>
        )}
      </ReportContent>
    </Panel>
  )
}

function columnsOf(now: CostsQuery, total: number, compared: Period | undefined): TableColumn<Row>[] {
  const key = (row: Row) => ({ resource_uid: row.key })
  return [
    {
      key: 'name',
      title: 'Resource',
      show: (row) => (
        <Label dims={['resource_uid']} value={key(row)} label={row.label} href={drillHref(now.chips, key(row))} />
      ),
      by: ({ label }) => label,
    },
    {
      key: 'cost_usd',
      title: 'Cost',
      isFigure: true,
      show: (row) => <Amount usd={row.costUSD} receipt={receiptOf(now, key(row))} label={row.label} />,
      by: ({ costUSD }) => costUSD,
    },
    { key: 'share', title: 'Share', isFigure: true, show: ({ costUSD }) => shareOf(costUSD, total) },
    ...(compared
      ? [
          {
            key: 'previous',
            title: 'Previous',
            isFigure: true,
            show: (row: Row) => (
              <Amount
                usd={row.previousUSD}
                receipt={receiptOf(now, key(row), compared)}
                label={`${row.label}, previous period`}
              />
            ),
          },
          {
            key: 'delta',
            title: 'Change',
            isFigure: true,
            show: ({ deltaUSD, deltaPercent }: Row) => <Change usd={deltaUSD} percent={deltaPercent} />,
          },
        ]
      : []),
  ]
}
