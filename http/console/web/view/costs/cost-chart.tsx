/** Costs over time: the top groups, and all others as one; estimates are hatched, anomalies are marked. */
import { completenessOf } from '../../completeness.ts'
import type { Reply } from '../../api.ts'
import { periodShort } from '../../day.ts'
import { usd } from '../../figure.ts'
import { titleOf } from '../../filter-dimension.ts'
import { anomalyQuery } from '../../filter.ts'
import { Chart } from '../../part/chart.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { cumulate } from '../../part/series.ts'
import { go } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { costsSql } from '../../sql.ts'
import { drillParams, periodParams, queryWith, type CostsQuery, type CostSeries } from './query.ts'

type Trends = Reply<'GET /reports/trends'>

export const groupedBy = ({ dims }: Pick<CostsQuery, 'dims'>): string =>
  dims.map((dim) => titleOf(dim).toLocaleLowerCase()).join(', ')

/** The same for analysts, where their views have it; the cost is named, for it may not be the usual one. */
export const sqlOf = (
  { of, dims, granularity }: CostsQuery,
  report: Pick<Report<unknown>, 'meta'>,
): string | undefined => costsSql({ ...of, cost: report.meta?.cost }, dims, granularity)

const stepTitles = { daily: 'day', weekly: 'week', monthly: 'month' }

export function CostChart({ data, report, now }: { data: CostSeries; report: Report<CostSeries>; now: CostsQuery }) {
  const { granularity, shape, chips, period, of, isCumulative } = now
  const anomalies = anomalyQuery(chips)
  const { cost, asOf } = of
  const trends = useReport('GET /reports/trends', {
    query: { ...period, cost, asOf, ...anomalies },
    on: ['anomaly.', 'costs.changed'],
    when: anomalies !== undefined && granularity === 'daily' && !isCumulative,
  })
  const { periods, total } = data
  const series = seriesOf(data)
  const pick = (one: string, label?: string) => {
    const key = series.find((group) => group.label === label)?.key
    const days = periodParams(one, period)
    if (!key) return go('costs', queryWith(chips, days))
    const { chips: narrowed, dims } = drillParams(chips, key)
    go('costs', queryWith(narrowed, { ...days, dims }))
  }
  const zoom = (first: string, last: string) => {
    const [{ from }, { to }] = [periodParams(first, period), periodParams(last, period)]
    go('costs', queryWith(chips, { range: null, granularity: null, from, to }))
  }
  const step = stepTitles[granularity]
  const title = `Cost by ${groupedBy(now)}, ${isCumulative ? 'cumulative' : 'per'} ${isCumulative ? `by ${step}` : step}`
  const drawn = isCumulative ? series.map((one) => ({ ...one, values: cumulate(one.values) })) : series
  const previous = total.previousValues
  return (
    <Panel title={title} tools={<Copies report={report} sql={sqlOf(now, report)} />}>
      <Chart
        title={title}
        kind={shape === 'lines' ? 'lines' : 'bars'}
        periods={periods}
        name={periodShort}
        series={drawn}
        {...(previous && {
          overlays: [{ label: 'Previous period, total', values: isCumulative ? cumulate(previous) : previous }],
        })}
        estimated={isCumulative ? undefined : total.estimatedUSD}
        completeness={completenessOf(periods, period, report.meta)}
        marks={marksOf(trends.data, now)}
        onPick={(one, group) => pick(one, group?.label)}
        onRange={zoom}
      />
      <p class="faint">Click a bar to open its {step} and group, or drag over several to zoom in.</p>
    </Panel>
  )
}

/** Labels are unique: two accounts may have the same name. */
function seriesOf({ series, other }: CostSeries) {
  const isRepeated = (label: string) => series.filter((one) => one.label === label).length > 1
  return [
    ...series.map(({ key, label, values }) => ({
      label: isRepeated(label) ? `${label} (${Object.values(key).join(' / ')})` : label,
      values,
      key,
    })),
    ...(other ? [{ label: `other (${other.count})`, values: other.values, isOther: true, key: undefined }] : []),
  ]
}

const marksOf = (trends: Trends | undefined, { granularity, isCumulative }: CostsQuery) =>
  granularity === 'daily' && !isCumulative
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
