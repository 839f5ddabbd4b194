/** Why, and who? What cost more than is usual, what made it so, and what people say of it. */
import type { Reply } from '../../api.ts'
import { Copies } from '../../part/copy.tsx'
import { Head } from '../../part/head.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis } from '../../part/period.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { anomaliesSql } from '../../sql.ts'
import { readAnomaliesQuery as askedOf } from './query.ts'
import { Bar } from './bar.tsx'
import { AnomalyDetail } from './detail.tsx'
import { List } from './list.tsx'
import { EmptyState } from './empty-state.tsx'

type Anomalies = Reply<'GET /reports/anomalies'>

export function View() {
  const asked = askedOf()
  const report = useReport('GET /reports/anomalies', { query: asked.query, on: ['anomaly.'] })
  const id = param('anomaly')
  return (
    <>
      <Head title="Anomalies">
        <Copies report={report} sql={asked.isFolded ? undefined : anomaliesSql(asked.query)} />
      </Head>
      <Bar asked={asked} />
      <div class={id === undefined ? '' : 'beside'}>
        <Panel title="Detected anomalies" about={<CostBasis meta={report.meta} />}>
          <ReportContent report={report} rows={8}>
            {(data: Anomalies) =>
              data.items.length === 0 ? (
                <EmptyState asked={asked} />
              ) : (
                <List data={data} asked={asked} cost={report.meta?.cost} />
              )
            }
          </ReportContent>
        </Panel>
        {id !== undefined && <AnomalyDetail key={id} id={id} />}
      </div>
    </>
  )
}
