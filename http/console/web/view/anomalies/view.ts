/** Why, and who? What cost more than is usual, what made it so, and what people say of it. */
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { Copies } from '../../part/copy.ts'
import { Panel } from '../../part/panel.ts'
import { CostBasis } from '../../part/period.ts'
import { ReportContent } from '../../part/report-content.ts'
import { param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { anomaliesSql } from '../../sql.ts'
import { readAnomaliesQuery as askedOf } from './query.ts'
import { Bar } from './bar.ts'
import { AnomalyDetail } from './detail.ts'
import { List } from './list.ts'
import { EmptyState } from './empty-state.ts'

type Anomalies = Reply<'GET /reports/anomalies'>

export function View() {
  const asked = askedOf()
  const report = useReport('GET /reports/anomalies', { query: asked.query, on: ['anomaly.'] })
  const id = param('anomaly')
  return html`<div class="view-head"><h1>Anomalies</h1><span class="tools"><${Copies} report=${report} sql=${asked.isFolded ? undefined : anomaliesSql(asked.query)} /></span></div>
    <${Bar} asked=${asked} />
    <div class=${id === undefined ? '' : 'beside'}>
      <${Panel} title="Detected anomalies" about=${html`<${CostBasis} meta=${report.meta} />`}>
        <${ReportContent} report=${report} rows=${8}>${(data: Anomalies) => (data.items.length === 0 ? html`<${EmptyState} asked=${asked} />` : html`<${List} data=${data} asked=${asked} cost=${report.meta?.cost} />`)}<//>
      <//>
      ${id !== undefined && html`<${AnomalyDetail} key=${id} id=${id} />`}
    </div>`
}
