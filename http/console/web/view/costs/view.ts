/** What drove it? Costs narrowed, divided, compared and drawn over time; every figure leads to its lines, every group behind itself. */
import { html } from '../../html.ts'
import { timeText } from '../../day.ts'
import { Amount, Change } from '../../part/amount.ts'
import { FilterBar } from '../../part/filter.ts'
import { CostBasis, PeriodBar } from '../../part/period.ts'
import { ReportContent } from '../../part/report-content.ts'
import { useReport, type Report } from '../../report.ts'
import { readCostsQuery, hrefWith, receiptOf, seriesMax, type CostsQuery, type CostSeries } from './query.ts'
import { CostChart } from './cost-chart.ts'
import { Drivers } from './drivers.ts'
import { EmptyState } from './empty-state.ts'
import { GroupBar } from './group-bar.ts'
import { Groups } from './groups.ts'
import { OfResources } from './resources.ts'
import { Flows } from './flows.ts'

export function View() {
  const now = readCostsQuery()
  const { of, chips, compare, dims, granularity } = now
  const report = useReport('GET /reports/costs/series', {
    query: { ...of, compare, dims, granularity, top: seriesMax },
    on: ['costs.changed'],
  })
  return html`<div class="view-head"><h1>Explorer</h1><${Total} report=${report} now=${now} /></div>
    <${FilterBar} chips=${chips} of=${of} hrefOf=${hrefWith} />
    <${PeriodBar} takes=${['cost', 'compare', 'asOf']} />
    <${GroupBar} now=${now} />
    <${AsOf} now=${now} />
    <${ReportContent} report=${report} rows=${10}>${(data: CostSeries) => (isNothing(data) ? html`<${EmptyState} now=${now} />` : html`<${ReportPanels} data=${data} report=${report} now=${now} />`)}<//>`
}

const isNothing = ({ series, other, total }: CostSeries): boolean =>
  series.length === 0 && other === null && total.costUSD === 0

function Total({ report, now }: { report: Report<CostSeries>; now: CostsQuery }) {
  const { data, meta } = report
  if (!data) return null
  const { costUSD, deltaUSD, deltaPercent } = data.total
  return html`<span class="costs-total"><span class="big"><${Amount} usd=${costUSD} receipt=${receiptOf(now)} label="Total" /></span>
    ${now.compare !== undefined && html`<${Change} usd=${deltaUSD} percent=${deltaPercent} none="nothing to compare" />`}</span>
    <${CostBasis} meta=${meta} />`
}

/** Figures of an earlier day are never mistaken for those of now. */
function AsOf({ now: { of, chips } }: { now: CostsQuery }) {
  if (typeof of['asOf'] !== 'string') return null
  return html`<p class="note" role="status"><strong>Historical figures:</strong> this is what the reports showed on ${timeText(of['asOf'])}. Bills received since then are not included. Teams and tags are current. <a href=${hrefWith(chips, { asOf: null })}>Show current figures</a></p>`
}

function ReportPanels({ data, report, now }: { data: CostSeries; report: Report<CostSeries>; now: CostsQuery }) {
  const isPaged = now.dims.length === 1 && now.dims[0] === 'resource_uid'
  return html`${now.shape === 'flow' ? html`<${Flows} now=${now} />` : html`<${CostChart} data=${data} report=${report} now=${now} />`}
    ${isPaged ? html`<${OfResources} now=${now} total=${data.total} />` : html`<${Groups} report=${report} now=${now} />`}
    ${now.compare !== undefined && html`<${Drivers} now=${now} />`}`
}
