/** The days that cost most above what is usual, and nobody has said anything of: each leads to why. */
import type { Reply } from '../../api.ts'
import { addDays, dayText, today } from '../../day.ts'
import { pluralize, percentChange, usdChange } from '../../figure.ts'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { severityName } from '../anomalies/labels.ts'

type Anomalies = Reply<'GET /reports/anomalies'>

/** The days in which open anomalies are counted. */
export const lastDays = () => ({ from: addDays(today(), -29), to: today() })
/** One a cause, a new account too; without what comes every week or month. */
export const open = { review: 'none', include_recurring: false, fold: 'story' }

const shownMax = 5

export function OpenAnomalies() {
  const query = { ...lastDays(), ...open, sort_by: 'excess', limit: shownMax }
  const report = useReport('GET /reports/anomalies', { query, on: ['anomaly.'] })
  return (
    <Panel title="Anomalies" about={<CostBasis meta={report.meta} />} tools={<Copies report={report} />}>
      <ReportContent report={report} rows={4}>
        {(data: Anomalies) => <Largest {...data} />}
      </ReportContent>
    </Panel>
  )
}

function Largest({ items, total }: Anomalies) {
  const all = { review: 'none', include_suppressed: true }
  if (items.length === 0)
    return (
      <Empty title="No open anomalies.">
        <p>
          <a href={hrefOf('anomalies')}>Past anomalies and evaluated days</a>
        </p>
      </Empty>
    )
  return (
    <>
      <ul class="list stories">
        {items.map((one) => (
          <li key={one.id}>
            <a class="what clip" dir="auto" title={one.label} href={hrefOf('anomalies', { ...all, anomaly: one.id })}>
              {one.label}
            </a>
            <span class="end">
              <strong class="figure">{usdChange(one.excessUsd)}</strong>{' '}
              <span class="faint figure">{percentChange(one.deviationPercent)}</span>
            </span>
            <span class="line">
              <span class={`badge ${one.severity}`}>{severityName(one.severity)}</span>{' '}
              <span class="faint">{dayText(one.date)}</span>
            </span>
            <span class="cause" title={one.rootCause} dir="auto">
              {one.rootCause}
            </span>
          </li>
        ))}
      </ul>
      {total > items.length && (
        <p>
          <a href={hrefOf('anomalies', all)}>All {pluralize(total, 'open cause')}</a>
        </p>
      )}
    </>
  )
}
