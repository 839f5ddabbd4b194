/** The costs of a saved view over time, with their total and how it changed. */
import type { Reply } from '../../api.ts'
import { completenessOf } from '../../completeness.ts'
import { periodShort, rangeText, today } from '../../day.ts'
import { usd } from '../../figure.ts'
import { Change } from '../../part/amount.tsx'
import { Chart } from '../../part/chart.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { granularityOf } from '../../range.ts'
import { useReport } from '../../report.ts'
import { askedBy, type Mailable } from '../../saved-query.ts'
import { lastSettledDay } from '../../settled-day.ts'

type Series = Reply<'GET /reports/costs/series'>

/** Series drawn apart; the others are one. */
const seriesMax = 6

export interface TileContentProps {
  view: Mailable
  query: string
}

export function Costs({ title, view, query }: TileContentProps & { title: string }) {
  const { costs } = askedBy(view, query, today(), lastSettledDay())
  const search = new URLSearchParams(query)
  const period = { from: String(costs['from']), to: String(costs['to']) }
  const report = useReport('GET /reports/costs/series', {
    query: { ...costs, granularity: granularityOf(search, period), top: seriesMax },
    on: ['costs.changed'],
  })
  return (
    <ReportContent report={report} rows={6}>
      {({ periods, series, other, total }: Series) => (
        <>
          <p class="board-total">
            <span class="big">{usd(total.costUSD)}</span>
            <Change usd={total.deltaUSD} percent={total.deltaPercent} none="nothing to compare" />
            <span class="faint">{rangeText(period.from, period.to)}</span>
          </p>
          <Chart
            title={title}
            kind={search.get('show') === 'lines' ? 'lines' : 'bars'}
            periods={periods}
            name={periodShort}
            series={[
              ...series.map(({ label, values }) => ({ label, values })),
              ...(other ? [{ label: `other (${other.count})`, values: other.values, isOther: true }] : []),
            ]}
            estimated={total.estimatedUSD}
            completeness={completenessOf(periods, period, report.meta)}
            height={200}
          />
        </>
      )}
    </ReportContent>
  )
}
