/** A row a group: what it costs, its share, what it was, and the shape of it over time. The rows and the last one add up to the total. */
import { daysOfPeriod } from '../../day.ts'
import { count, share } from '../../figure.ts'
import { Amount, Change } from '../../part/amount.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis, type Period } from '../../part/period.tsx'
import { Spark } from '../../part/spark.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { Table, type TableColumn } from '../../part/table.tsx'
import { change, param } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { drillHref, receiptOf, rowsMax, seriesMax, type CostsQuery, type CostSeries } from './query.ts'
import { groupedBy, sqlOf } from './cost-chart.tsx'
import { Export } from './export.tsx'
import { Label } from './label.tsx'
import { tableRows } from './table-csv.ts'

type Row = CostSeries['series'][number] & {
  place: number
  /** Values of the periods whose costs are complete. */
  settled: number[]
}

/** How many periods are complete: a line that falls because bills are still to come would mislead. */
function settledPeriods(periods: readonly string[], through: string | null | undefined): number {
  if (!through) return periods.length
  return periods.filter((period) => daysOfPeriod(period).to <= through).length
}

/** Of one figure in another; both are the API's. */
export const shareOf = (part: number, whole: number): string => (whole > 0 ? share(part / whole) : '–')

export function Groups({ report, now }: { report: Report<CostSeries>; now: CostsQuery }) {
  const isMore = Number(param('top')) > seriesMax
  const { of, compare, dims, granularity } = now
  const more = useReport('GET /reports/costs/series', {
    query: { ...of, compare, group_by: dims, granularity, top: rowsMax },
    on: ['costs.changed'],
    when: isMore,
  })
  const shown = isMore ? more : report
  return (
    <Panel
      title={`By ${groupedBy(now)}`}
      about={<CostBasis meta={shown.meta} />}
      tools={
        <>
          <Export now={now} table={shown.data && (() => tableRows(shown.data!, now))} />
          <Copies report={shown} sql={sqlOf(now, shown)} />
        </>
      }
    >
      <ReportContent report={shown} rows={8}>
        {(data: CostSeries) => <Rows data={data} now={now} report={shown} />}
      </ReportContent>
    </Panel>
  )
}

function Rows({ data, now, report }: { data: CostSeries; now: CostsQuery; report: Report<CostSeries> }) {
  const { series, other, total } = data
  const compared = report.meta?.['compared'] as Period | undefined
  const settled = settledPeriods(data.periods, report.meta?.settledThrough)
  const rows = series.map((one, place) => ({ ...one, place, settled: one.values.slice(0, settled) }))
  const columns = columnsOf(now, total.costUSD, compared)
  const foot = (
    <>
      {other && (
        <tr>
          <td>{count(other.count)} others</td>
          <Figures of={other} now={now} total={total.costUSD} settled={settled} />
        </tr>
      )}
      <tr>
        <td>Total</td>
        <Figures
          of={total}
          now={now}
          total={total.costUSD}
          settled={settled}
          receipt={receiptOf(now)}
          before={compared && receiptOf(now, {}, compared)}
        />
      </tr>
    </>
  )
  return (
    <>
      <Table
        caption={`Cost by ${groupedBy(now)}`}
        columns={columns}
        rows={rows}
        keyOf={(row: Row) => JSON.stringify(row.key)}
        foot={foot}
      />
      {other && series.length < rowsMax && (
        <p class="bar">
          <button type="button" onClick={() => change({ top: String(rowsMax) })}>
            Show top {rowsMax} by cost
          </button>
        </p>
      )}
      {other && series.length >= rowsMax && (
        <p class="faint">Showing the top {rowsMax} by cost. Filter to see the others, or export all of them as CSV.</p>
      )}
    </>
  )
}

function columnsOf(now: CostsQuery, total: number, compared: Period | undefined): TableColumn<Row>[] {
  const { chips, dims } = now
  return [
    {
      key: 'label',
      title: 'Group',
      show: ({ key, label, place }) => (
        <Label
          dims={dims}
          value={key}
          label={label}
          href={drillHref(chips, key)}
          place={now.shape !== 'flow' && place < seriesMax ? place : undefined}
        />
      ),
      by: ({ label }) => label,
    },
    {
      key: 'cost',
      title: 'Cost',
      isFigure: true,
      show: ({ key, label, costUSD }) => <Amount usd={costUSD} receipt={receiptOf(now, key)} label={label} />,
      by: ({ costUSD }) => costUSD,
    },
    {
      key: 'share',
      title: 'Share',
      isFigure: true,
      show: ({ costUSD }) => shareOf(costUSD, total),
      by: ({ costUSD }) => costUSD,
    },
    ...(compared
      ? [
          {
            key: 'previous',
            title: 'Previous',
            isFigure: true,
            show: ({ key, label, previousUSD }: Row) => (
              <Amount usd={previousUSD} receipt={receiptOf(now, key, compared)} label={`${label}, previous period`} />
            ),
            by: ({ previousUSD }: Row) => previousUSD ?? 0,
          },
          {
            key: 'delta',
            title: 'Change',
            isFigure: true,
            show: ({ deltaUSD, deltaPercent }: Row) => <Change usd={deltaUSD} percent={deltaPercent} />,
            by: ({ deltaUSD }: Row) => deltaUSD ?? 0,
          },
        ]
      : []),
    {
      key: 'spark',
      title: 'Over time',
      show: ({ label, settled }) => <Spark values={settled} label={label} />,
    },
  ]
}

interface FiguresProps {
  of: CostSeries['total'] | NonNullable<CostSeries['other']>
  now: CostsQuery
  total: number
  settled: number
  receipt?: ReturnType<typeof receiptOf>
  before?: ReturnType<typeof receiptOf> | undefined
}

/** Of a row at the foot. What stands for all others has no receipt of its own: its lines are those of no one filter. */
function Figures({ of, now, total, settled, receipt, before }: FiguresProps) {
  const { costUSD, previousUSD, deltaUSD, deltaPercent, values } = of
  return (
    <>
      <td class="figure">
        <Amount usd={costUSD} {...(receipt && { receipt })} label="Total" />
      </td>
      <td class="figure">{shareOf(costUSD, total)}</td>
      {now.compare !== undefined && (
        <>
          <td class="figure">
            <Amount usd={previousUSD} {...(before && { receipt: before })} label="Total, previous period" />
          </td>
          <td class="figure">
            <Change usd={deltaUSD} percent={deltaPercent} />
          </td>
        </>
      )}
      <td>
        <Spark values={values.slice(0, settled)} label={receipt ? 'Total' : 'Others'} />
      </td>
    </>
  )
}
