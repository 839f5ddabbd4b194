/** Costs over time: the top groups, and all others as one; estimates are hatched, anomalies are marked. */
import { completenessOf } from '../../completeness.ts'
import { periodShort } from '../../day.ts'
import { usd } from '../../figure.ts'
import { titleOf } from '../../filter-dimension.ts'
import { anomalyQuery, queryOf } from '../../filter.ts'
import { Chart } from '../../part/chart.tsx'
import { Copies } from '../../part/copy.tsx'
import { deploymentMarks, Deployments, useDeployments } from '../../part/deployments.tsx'
import { noteMarks, Notes, useNotes } from '../../part/notes.tsx'
import { Panel } from '../../part/panel.tsx'
import { cumulate, type Mark, type Overlay } from '../../part/series.ts'
import { go } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { costsSql } from '../../sql.ts'
import { useBudget } from './budget.ts'
import { canForecast, forecastDays, type ForecastDays } from './forecast.ts'
import { drillParams, periodParams, queryWith, type CostsQuery, type CostSeries } from './query.ts'

export const groupedBy = ({ dims }: Pick<CostsQuery, 'dims'>): string =>
  dims.map((dim) => titleOf(dim).toLocaleLowerCase()).join(', ')

/** The same for analysts, where their views have it; the cost is named, for it may not be the usual one. */
export const sqlOf = (
  { of, dims, granularity }: CostsQuery,
  report: Pick<Report<unknown>, 'meta'>,
): string | undefined => costsSql({ ...of, cost: report.meta?.cost }, dims, granularity)

const stepTitles = { daily: 'day', weekly: 'week', monthly: 'month' }

export function CostChart({ data, report, now }: { data: CostSeries; report: Report<CostSeries>; now: CostsQuery }) {
  const { granularity, shape, chips, period, isCumulative } = now
  const notes = useNotes(period)
  const deployed = useDeployments(period)
  const marks = [
    ...useAnomalies(now),
    ...noteMarks(data.periods, notes.data),
    ...deploymentMarks(data.periods, deployed),
  ]
  const forecast = useForecast(data.periods, now)
  const series = seriesOf(data)
  const pick = (one: string, label?: string) => {
    // Of days to come there is nothing to open.
    if (!data.periods.includes(one)) return
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
  const title = `Cost by ${groupedBy(now)}, ${isCumulative ? `cumulative by ${step}` : `per ${step}`}`
  const valuesOf = (values: readonly (number | null)[]) => (isCumulative ? cumulate(values) : values)
  const overlays = useOverlays(data, now, forecast.days)
  return (
    <Panel title={title} tools={<Copies report={report} sql={sqlOf(now, report)} />}>
      <Chart
        title={title}
        kind={shape === 'lines' ? 'lines' : 'bars'}
        periods={forecast.days?.periods ?? data.periods}
        name={periodShort}
        series={series.map((one) => ({ ...one, values: valuesOf(one.values) }))}
        overlays={overlays}
        {...(forecast.days && { band: forecast.days.band })}
        estimated={isCumulative ? undefined : data.total.estimatedUSD}
        completeness={completenessOf(data.periods, period, report.meta)}
        marks={marks}
        onPick={(one, group) => pick(one, group?.label)}
        onRange={zoom}
      />
      {forecast.note && <p class="note">{forecast.note}</p>}
      <p class="faint">Click a bar to open its {step} and group, or drag over several to zoom in.</p>
      <Deployments deployed={deployed} />
      <Notes report={notes} period={period} />
    </Panel>
  )
}

/** The lines over the costs: the previous period, the forecast and the budget. */
function useOverlays(
  { periods, total: { previousValues } }: CostSeries,
  now: CostsQuery,
  forecast: ForecastDays | undefined,
): Overlay[] {
  const budget = useBudget(forecast?.periods ?? periods, forecast?.periods.at(-1), now)
  const values = previousValues && (now.isCumulative ? cumulate(previousValues) : previousValues)
  return [
    ...(values ? [{ label: 'Previous period, total', values }] : []),
    ...(forecast ? [forecast.overlay] : []),
    ...(budget ? [budget] : []),
  ]
}

function useForecast(periods: readonly string[], now: CostsQuery): { days?: ForecastDays | undefined; note?: string } {
  const { cost } = now.of
  const when = now.hasForecast && canForecast(now)
  const { data, problem } = useReport('GET /reports/forecast', { query: { cost, ...queryOf(now.chips) }, when })
  if (!when) return {}
  if (problem) return { note: `No forecast: ${problem.message}` }
  const days = data && forecastDays(periods, data)
  return data && !days ? { note: 'No forecast: the days shown end before it begins.' } : { days }
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

function useAnomalies({ chips, period, of, granularity, isCumulative }: CostsQuery): Mark[] {
  const anomalies = anomalyQuery(chips)
  const { cost, asOf } = of
  const when = anomalies !== undefined && granularity === 'daily' && !isCumulative
  const { data } = useReport('GET /reports/trends', {
    query: { ...period, cost, asOf, ...anomalies },
    on: ['anomaly.', 'costs.changed'],
    when,
  })
  return (when ? (data?.items ?? []) : []).flatMap(({ date, anomaly }) =>
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
}
