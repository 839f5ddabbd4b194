/** What drove it? Costs narrowed, divided, compared and drawn over time; every figure leads to its lines, every group behind itself. */
import { useRef } from 'preact/hooks'
import { timeText } from '../../day.ts'
import { Amount, Change } from '../../part/amount.tsx'
import { FilterBar } from '../../part/filter.tsx'
import { CostBasis, PeriodBar } from '../../part/period.tsx'
import { Copy } from '../../part/copy.tsx'
import { ProblemMessage, ReportContent } from '../../part/report-content.tsx'
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
  const asked = readCostsQuery()
  const { of, chips, compare, dims, granularity } = asked
  const report = useReport('GET /reports/costs/series', {
    query: { ...of, compare, group_by: dims, granularity, top: seriesMax },
    on: ['costs.changed'],
  })
  // What was shown before stays, with what it was asked with, until the new figures are there.
  const shown = useLast(report.data && { data: report.data, report, now: asked }, report.problem !== undefined)
  const isWaiting = shown !== undefined && report.data === undefined
  return (
    <>
      <div class="view-head">
        <h1>Explorer</h1>
        {shown && <Total {...shown} />}
        <span class="tools">
          <Copy label="Copy link" text={location.href} />
        </span>
      </div>
      <FilterBar chips={chips} of={of} hrefOf={hrefWith} hasConditions />
      <PeriodBar takes={['cost', 'compare', 'asOf']} />
      <GroupBar now={asked} />
      <AsOf now={asked} />
      {shown ? (
        <div class={isWaiting ? 'former' : ''} aria-busy={isWaiting}>
          {report.problem && <ProblemMessage problem={report.problem} again={report.again} />}
          {isNothing(shown.data) ? <EmptyState now={shown.now} /> : <ReportPanels {...shown} />}
        </div>
      ) : (
        <ReportContent report={report} rows={10}>
          {() => null}
        </ReportContent>
      )}
    </>
  )
}

interface Shown {
  data: CostSeries
  report: Report<CostSeries>
  now: CostsQuery
}

/** The last value that there was. */
function useLast<T>(value: T | undefined, isOver: boolean): T | undefined {
  const last = useRef<T | undefined>(undefined)
  if (value !== undefined || isOver) last.current = value
  return last.current
}

const isNothing = ({ series, other, total }: CostSeries): boolean =>
  series.length === 0 && other === null && total.costUSD === 0

function Total({ data, report: { meta }, now }: Shown) {
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

function ReportPanels({ data, report, now }: Shown) {
  const isPaged = now.dims.length === 1 && now.dims[0] === 'resource_uid'
  return (
    <>
      {now.shape === 'flow' ? <Flows now={now} /> : <CostChart data={data} report={report} now={now} />}
      {isPaged ? <OfResources now={now} total={data.total} /> : <Groups report={report} now={now} />}
      {now.compare !== undefined && <Drivers now={now} />}
    </>
  )
}
