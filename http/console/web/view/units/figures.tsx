/** Cost, units and cost per unit of a metric over a period, in total and by day, week or month. */
import type { Reply } from '../../api.ts'
import { dayShort } from '../../day.ts'
import { count, usd } from '../../figure.ts'
import { Chart } from '../../part/chart.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { Choice, CostBasis, PeriodBar, periodAsked } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { unitPrice } from './unit-price.ts'
import type { MetricRow } from './metric-row.ts'

type Economics = Reply<'GET /reports/unit-economics'>

const granularities = [
  ['weekly', 'week'],
  ['monthly', 'month'],
]

export function Figures({ metric }: { metric: MetricRow }) {
  const query = { metric: metric.id, ...periodAsked(), granularity: param('granularity'), cost: param('cost') }
  const report = useReport('GET /reports/unit-economics', { query, on: ['costs.changed'] })
  return (
    <>
      <PeriodBar takes={['cost']} />
      <ReportContent report={report} rows={2}>
        {(data: Economics) => <Totals data={data} />}
      </ReportContent>
      <Panel
        title={`Cost per ${metric.unit}`}
        about={<CostBasis meta={report.meta} />}
        tools={
          <>
            <Choice title="By" name="granularity" none="day" choices={granularities} />
            <Copies report={report} />
          </>
        }
      >
        <ReportContent report={report} rows={6}>
          {(data: Economics) => <Course data={data} />}
        </ReportContent>
      </Panel>
    </>
  )
}

const Totals = ({ data: { unit, totalCostUSD, totalUnits, costPerUnitUSD } }: { data: Economics }) => (
  <section class="tiles" aria-label="Unit economics">
    <article class="tile">
      <h2>Cost per {unit}</h2>
      <span class="big">{unitPrice(costPerUnitUSD)}</span>
      {costPerUnitUSD === null && <span class="small">No values in this period.</span>}
    </article>
    <article class="tile">
      <h2>Cost</h2>
      <span class="big">{usd(totalCostUSD)}</span>
    </article>
    <article class="tile">
      <h2>Units</h2>
      <span class="big">{count(totalUnits)}</span>
      <span class="small">{unit}</span>
    </article>
  </section>
)

function Course({ data: { unit, items } }: { data: Economics }) {
  if (items.every(({ costPerUnitUSD }) => costPerUnitUSD === null))
    return <Empty title="No values in this period. Add some below, or choose another period." />
  return (
    <Chart
      title={`Cost per ${unit}`}
      kind="lines"
      periods={items.map(({ date }) => date)}
      name={dayShort}
      series={[{ label: `Cost per ${unit}`, values: items.map(({ costPerUnitUSD }) => costPerUnitUSD) }]}
      show={unitPrice}
      showShort={unitPrice}
    />
  )
}
