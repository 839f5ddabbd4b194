/** What drove it? Costs narrowed, divided, compared and drawn over time; every figure leads to its lines, every group behind itself. */
import { timeText } from '../../day.ts'
import { Amount, Change } from '../../part/amount.tsx'
import { FilterBar } from '../../part/filter.tsx'
import { CostBasis, PeriodBar } from '../../part/period.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { useReport, type Report } from '../../report.ts'
import { readCostsQuery, hrefWith, receiptOf, seriesMax, type CostsQuery, type CostSeries } from './query.ts'
import { CostChart } from './cost-chart.tsx'
import { Drivers } from './drivers.tsx'
import { EmptyState } from './empty-state.tsx'
import { GroupBar } from './group-bar.tsx'
import { Groups } from './groups.tsx'
import { OfResources } from './resources.tsx'
import { Flows } from './flows.tsx'

export function View() {
  const now = readCostsQuery()
  const { of, chips, compare, dims, granularity } = now
  const report = useReport('GET /reports/costs/series', {
    query: { ...of, compare, dims, granularity, top: seriesMax },
    on: ['costs.changed'],
  })
  return (
    <>
      <div class="view-head">
        <h1>Explorer</h1>
        <Total report={report} now={now} />
      </div>
      <FilterBar chips={chips} of={of} hrefOf={hrefWith} />
      <PeriodBar takes={['cost', 'compare', 'asOf']} />
      <GroupBar now={now} />
      <AsOf now={now} />
      <ReportContent report={report} rows={10}>
        {(data: CostSeries) =>
          isNothing(data) ? <EmptyState now={now} /> : <ReportPanels data={data} report={report} now={now} />
        }
      </ReportContent>
    </>
  )
}

const isNothing = ({ series, other, total }: CostSeries): boolean =>
  series.length === 0 && other === null && total.costUSD === 0

function Total({ report, now }: { report: Report<CostSeries>; now: CostsQuery }) {
  const { data, meta } = report
  if (!data) return null
  const { costUSD, deltaUSD, deltaPercent } = data.total
  return (
    <>
      <span class="costs-total">
        <span class="big">
          <Amount usd={costUSD} receipt={receiptOf(now)} label="Total" />
        </span>
        {now.compare !== undefined && <Change usd={deltaUSD} percent={deltaPercent} none="nothing to compare" />}
      </span>
      <CostBasis meta={meta} />
    </>
  )
}

/** Figures of an earlier day are never mistaken for those of now. */
function AsOf({ now: { of, chips } }: { now: CostsQuery }) {
  if (typeof of['asOf'] !== 'string') return null
  return (
    <p class="note" role="status">
      <strong>Historical figures:</strong> this is what the reports showed on {timeText(of['asOf'])}. Bills received
      since then are not included. Teams and tags are current.{' '}
      <a href={hrefWith(chips, { asOf: null })}>Show current figures</a>
    </p>
  )
}

function ReportPanels({ data, report, now }: { data: CostSeries; report: Report<CostSeries>; now: CostsQuery }) {
  const isPaged = now.dims.length === 1 && now.dims[0] === 'resource_uid'
  return (
    <>
      {now.shape === 'flow' ? <Flows now={now} /> : <CostChart data={data} report={report} now={now} />}
      {isPaged ? <OfResources now={now} total={data.total} /> : <Groups report={report} now={now} />}
      {now.compare !== undefined && <Drivers now={now} />}
    </>
  )
}
