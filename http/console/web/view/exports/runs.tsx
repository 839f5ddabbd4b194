/** The runs of one scheduled export, newest first. */
import { useEffect } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { monthText } from '../../day.ts'
import { count as countText, usd } from '../../figure.ts'
import { useReport } from '../../report.ts'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { useEvery } from '../../part/polling.ts'
import { runBadges, runStatusText, type ExportSchedule } from './labels.ts'

type Run = Reply<'GET /export-schedules/:exportScheduleID/runs'>['items'][number]

const monthsText = ({ months }: Run): string =>
  months
    .map(({ month, outcome, rows, billedCostUSD }) =>
      outcome === 'unchanged'
        ? `${monthText(`${month}-01`)}: unchanged`
        : `${monthText(`${month}-01`)}: ${countText(rows)} rows, ${usd(Number(billedCostUSD))}`,
    )
    .join('; ')

const columns: Column<Run>[] = [
  { title: 'Started', ago: ({ startedAt }) => startedAt, sub: ({ isRequested }) => isRequested && 'requested' },
  { title: 'Status', text: ({ status }) => runStatusText[status], badge: ({ status }) => runBadges[status] },
  { title: 'Months', text: monthsText, isLong: true },
  { title: 'Reason', text: ({ reason, fixHint }) => [reason, fixHint].filter(Boolean).join(' '), isLong: true },
]

export function Runs({ schedule: { id, name, lastRun } }: { schedule: ExportSchedule }) {
  const report = useReport('GET /export-schedules/:exportScheduleID/runs', {
    params: { exportScheduleID: id },
    query: { limit: 100 },
  })
  const latest = lastRun?.runID
  useEffect(() => report.again(), [latest])
  useEvery(3, report.data?.items[0]?.status === 'running', report.again)
  return (
    <ListView
      title={`Runs of ${name}`}
      noun="export-runs"
      keyOf={({ runID }: Run) => runID}
      report={report}
      columns={columns}
      empty={{ title: 'No runs yet.' }}
    />
  )
}
