/** Teams over time: the dearest by themselves, and what has no team in grey. */
import type { Reply } from '../../api.ts'
import { dayShort, daysBetween, monthText } from '../../day.ts'
import { useReport } from '../../report.ts'
import { Chart } from '../../part/chart.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { costsAsked } from './query.ts'
import { unassignedID } from './rows.ts'

type Trends = Reply<'GET /reports/teams/trends'>

/** Teams drawn together. */
const drawnMax = 12
/** More days are drawn by the month. */
const daysMax = 100

export function Trend({ dearest = [] }: { dearest: readonly string[] | undefined }) {
  const asked = costsAsked()
  const isMonthly = daysBetween(asked.from, asked.to) > daysMax
  const isCut = dearest.length > drawnMax
  const shown = [...dearest.filter((id) => id !== unassignedID).slice(0, drawnMax - 1), unassignedID]
  const query = { ...asked, ...(isMonthly && { granularity: 'monthly' }), ...(isCut && { team_id: shown }) }
  const trends = useReport('GET /reports/teams/trends', { query, when: dearest.length > 0, on: ['costs.changed'] })
  if (dearest.length === 0) return null
  const name = isMonthly ? monthText : dayShort
  return (
    <Panel title="Over time" about={<CostBasis meta={trends.meta} />} tools={<Copies report={trends} />}>
      <ReportContent report={trends} rows={6}>
        {(data: Trends) => <TeamChart data={data} order={shown} name={name} />}
      </ReportContent>
      {isCut && <p class="faint">Top {drawnMax - 1} teams by cost, plus unassigned. The table above lists all.</p>}
    </Panel>
  )
}

function TeamChart({
  data,
  order,
  name,
}: {
  data: Trends
  order: readonly string[]
  name: (period: string) => string
}) {
  const periods = [...new Set(data.items.flatMap(({ points }) => points.map(({ date }) => date)))].toSorted()
  if (periods.length === 0)
    return (
      <Empty title="No costs in this period.">
        <p>Choose another period.</p>
      </Empty>
    )
  const placeOf = (id: string | null) => order.indexOf(id ?? unassignedID)
  const series = data.items
    .toSorted((a, b) => placeOf(a.teamID) - placeOf(b.teamID))
    .map(({ teamID, teamName, points }) => {
      const values = new Map(points.map(({ date, costUSD }) => [date, costUSD]))
      return { label: teamName, values: periods.map((period) => values.get(period) ?? null), isOther: teamID === null }
    })
  return <Chart title="Cost by team" kind="bars" periods={periods} name={name} series={series} />
}
