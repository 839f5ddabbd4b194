/** Costs over time: the dearest groups, and all others as one; what is estimated is hatched, anomalies are marked. */
import { completenessOf } from '../../completeness.ts'
import type { Reply } from '../../api.ts'
import { daysOfPeriod, periodShort } from '../../day.ts'
import { usd } from '../../figure.ts'
import { anomalyQuery, titleOf } from '../../filter.ts'
import { Chart } from '../../part/chart.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { change } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { costsSql } from '../../sql.ts'
import { drillHref, type CostsQuery, type CostSeries } from './query.ts'

type Trends = Reply<'GET /reports/trends'>

export const groupedBy = ({ dims }: Pick<CostsQuery, 'dims'>): string =>
  dims.map((dim) => titleOf(dim).toLocaleLowerCase()).join(', ')

/** The same for analysts, where their views have it; the cost is named, for it may not be the usual one. */
export const sqlOf = (
  { of, dims, granularity }: CostsQuery,
  report: Pick<Report<unknown>, 'meta'>,
): string | undefined => costsSql({ ...of, cost: report.meta?.cost }, dims, granularity)

export function CostChart({ data, report, now }: { data: CostSeries; report: Report<CostSeries>; now: CostsQuery }) {
  const { granularity, shape, chips, period, of } = now
  const anomalies = anomalyQuery(chips)
  const { cost, asOf } = of
  const trends = useReport('GET /reports/trends', {
    query: { ...period, cost, asOf, ...anomalies },
    on: ['anomaly.', 'costs.changed'],
    when: anomalies !== undefined && granularity === 'daily',
  })
  const { periods, series, other, total } = data
  const all = [
    ...series.map(({ key, label, values }) => ({ label, values, href: drillHref(chips, key) })),
    ...(other ? [{ label: `other (${other.count})`, values: other.values, isOther: true }] : []),
  ]
  const title = `Cost by ${groupedBy(now)}, per ${{ daily: 'day', weekly: 'week', monthly: 'month' }[granularity]}`
  return (
    <Panel title={title} tools={<Copies report={report} sql={sqlOf(now, report)} />}>
      <Chart
        title={title}
        kind={shape === 'lines' ? 'lines' : 'bars'}
        periods={periods}
        name={periodShort}
        series={all}
        estimated={total.estimatedUSD}
        completeness={completenessOf(periods, period, report.meta)}
        marks={marksOf(trends.data, granularity)}
        onPick={(one: string) => narrow(one, now)}
      />
      <p class="faint">
        Click {granularity === 'daily' ? 'a day' : 'a period'} to zoom in, or a legend entry to drill into the group.
      </p>
    </Panel>
  )
}

const marksOf = (trends: Trends | undefined, granularity: string) =>
  granularity === 'daily'
    ? (trends?.items ?? []).flatMap(({ date, anomaly }) =>
        anomaly
          ? [
              {
                period: date,
                severity: anomaly.severity,
                text: `anomaly: ${usd(anomaly.actualCostUsd)}, ${usd(anomaly.expectedCostUsd)} expected`,
              },
            ]
          : [],
      )
    : []

/** The days of a period, as far as they were shown. */
function narrow(one: string, { period }: CostsQuery): void {
  const { from, to } = daysOfPeriod(one)
  change({
    range: null,
    from: from < period.from ? period.from : from,
    to: to > period.to ? period.to : to,
    granularity: null,
    page: null,
  })
}
