/** Why, and who? What cost more than is usual, what made it so, and what people say of it. */
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { Copies } from '../../part/copy.ts'
import { Panel } from '../../part/panel.ts'
import { About } from '../../part/period.ts'
import { Shown } from '../../part/state.ts'
import { param } from '../../place.ts'
import { useReport } from '../../report.ts'
import { anomaliesSql } from '../../sql.ts'
import { asked as askedOf } from './asked.ts'
import { Bar } from './bar.ts'
import { Detail } from './detail.ts'
import { List } from './list.ts'
import { Nothing } from './nothing.ts'

type Found = Reply<'GET /reports/anomalies'>

export function View() {
  const asked = askedOf()
  const report = useReport('GET /reports/anomalies', { query: asked.query, on: ['anomaly.'] })
  const id = param('anomaly')
  return html`<div class="view-head"><h1>Anomalies</h1><span class="tools"><${Copies} report=${report} sql=${asked.isFolded ? undefined : anomaliesSql(asked.query)} /></span></div>
    <${Bar} asked=${asked} />
    <div class=${id === undefined ? '' : 'beside'}>
      <${Panel} title="Detected anomalies" about=${html`<${About} meta=${report.meta} />`}>
        <${Shown} report=${report} rows=${8}>${(data: Found) => (data.items.length === 0 ? html`<${Nothing} asked=${asked} />` : html`<${List} data=${data} asked=${asked} cost=${report.meta?.cost} />`)}<//>
      <//>
      ${id !== undefined && html`<${Detail} key=${id} id=${id} />`}
    </div>`
}
