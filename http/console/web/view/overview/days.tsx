/** The days of five weeks by provider: what is estimated is hatched, anomalies are marked. */
import { completenessOf, type Completeness } from '../../completeness.ts'
import type { Reply } from '../../api.ts'
import { dayShort, dayText } from '../../day.ts'
import { usd } from '../../figure.ts'
import { Chart } from '../../part/chart.tsx'
import { Copies } from '../../part/copy.tsx'
import { deploymentMarks, Deployments, useDeployments, type DeployedRevisions } from '../../part/deployments.tsx'
import { noteMarks, Notes, useNotes } from '../../part/notes.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis, type Period } from '../../part/period.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { go } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { providerDaysSql } from '../../sql.ts'
import { MarkedDays, toMarkedDays, type MarkedDay } from './marked-days.tsx'

type Series = Reply<'GET /reports/costs/series'>
type Trends = Reply<'GET /reports/trends'>

export function Days({ period, series }: { period: Period; series: Report<Series> }) {
  const trends = useReport('GET /reports/trends', { query: { ...period }, on: ['anomaly.'] })
  const notes = useNotes(period)
  const deployed = useDeployments(period)
  const tools = <Copies report={series} sql={providerDaysSql(period)} />
  return (
    <Panel title="By day and provider" about={<CostBasis meta={series.meta} />} tools={tools}>
      <ReportContent report={series} rows={6}>
        {(data: Series) => (
          <DailyCostChart
            data={data}
            trends={trends.data}
            notes={notes}
            deployed={deployed}
            period={period}
            completeness={completenessOf(data.periods, period, series.meta)}
          />
        )}
      </ReportContent>
    </Panel>
  )
}

const marksOf = (days: readonly MarkedDay[]) =>
  days.map(({ date, severity, excessUsd }) => ({ period: date, severity, text: `${usd(excessUsd)} above expected` }))

function DailyCostChart({
  data,
  trends,
  notes,
  deployed,
  period,
  completeness,
}: {
  data: Series
  trends: Trends | undefined
  notes: ReturnType<typeof useNotes>
  deployed: DeployedRevisions
  period: Period
  completeness: Completeness[]
}) {
  const { periods, series, other, total } = data
  const all = [
    ...series.map(({ label, values }) => ({ label, values })),
    ...(other ? [{ label: 'other', values: other.values, isOther: true }] : []),
  ]
  const marked = toMarkedDays(trends)
  const show = (day: string) => go('costs', { from: day, to: day })
  return (
    <>
      <Chart
        title="Daily cost by provider"
        kind="bars"
        periods={periods}
        name={(day: string) => dayShort(day)}
        series={all}
        estimated={total.estimatedUSD}
        completeness={completeness}
        marks={[...marksOf(marked), ...noteMarks(periods, notes.data), ...deploymentMarks(periods, deployed)]}
        onPick={show}
      />
      <MarkedDays days={marked} />
      <p class="faint">
        {dayText(periods[0]!)} to {dayText(periods.at(-1)!)}. Click a bar to see its day.
      </p>
      <Deployments deployed={deployed} />
      <Notes report={notes} period={period} />
    </>
  )
}
