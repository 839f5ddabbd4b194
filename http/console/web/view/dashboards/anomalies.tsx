/** The worst anomalies of a saved view, each leading to its story. */
import type { Reply } from '../../api.ts'
import { dayShort, today } from '../../day.ts'
import { usdChange } from '../../figure.ts'
import { ReportContent } from '../../part/report-content.tsx'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { askedBy } from '../../saved-query.ts'
import type { TileContentProps } from './costs.tsx'

type Found = Reply<'GET /reports/anomalies'>

export function Anomalies({ view, query }: TileContentProps) {
  const report = useReport('GET /reports/anomalies', {
    query: askedBy(view, query, today()).anomalies ?? {},
    on: ['anomaly.', 'costs.changed'],
  })
  return (
    <ReportContent report={report} rows={6}>
      {({ items }: Found) =>
        items.length === 0 ? (
          <p class="faint">No anomalies.</p>
        ) : (
          <ul class="list">
            {items.map(({ id, label, date, excessUsd, severity }) => (
              <li key={id} class="board-anomaly">
                <a class="clip" dir="auto" title={label} href={hrefOf('anomalies', { anomaly: id })}>
                  {label}
                </a>{' '}
                <span class={`badge ${severity}`}>{dayShort(date)}</span>{' '}
                <strong class="figure">{usdChange(excessUsd)}</strong>
              </li>
            ))}
          </ul>
        )
      }
    </ReportContent>
  )
}
