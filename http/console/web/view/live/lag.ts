/** How far the lanes are behind with what was sent for the organization. */
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { Copies } from '../../part/copy.ts'
import { useEvery } from '../../part/polling.ts'
import { Panel } from '../../part/panel.ts'
import { ReportContent } from '../../part/report-content.ts'
import { Table } from '../../part/table.ts'
import { useReport } from '../../report.ts'
import { secondsText } from './event-text.ts'

type LagReport = Reply<'GET /events/lag'>
type Lane = LagReport['lanes'][number]

/** Nothing is told of it. */
const everySeconds = 5

export function Lag() {
  const report = useReport('GET /events/lag')
  useEvery(everySeconds, true, report.again)
  return html`<${Panel} title="Lag" about="by lane; each lane processes messages in order" tools=${html`<${Copies} report=${report} />`}>
    <${ReportContent} report=${report} rows=${3}>${({ lanes, oldestSeconds }: LagReport) => html`
      <p role="status">${oldestSeconds === null ? html`<span class="badge good">up to date</span> All messages have taken effect.` : html`<span class="badge">delayed</span> The oldest message that has not taken effect has been waiting for <strong>${secondsText(oldestSeconds)}</strong>.`}</p>
      <${Table} caption="Lag by lane" columns=${columns} rows=${lanes} keyOf=${({ lane }: Lane) => String(lane)} />`}<//>
  <//>`
}

const columns = [
  { key: 'lane', title: 'Lane', isFigure: true, by: ({ lane }: Lane) => lane, show: ({ lane }: Lane) => lane },
  {
    key: 'accounts',
    title: 'Accounts',
    show: ({ cloudAccountIDs }: Lane) =>
      cloudAccountIDs.length === 0
        ? html`<span class="faint">organization-wide messages</span>`
        : cloudAccountIDs.map((id) => html`<span class="tag clip" key=${id} dir="auto" title=${id}>${id}</span> `),
  },
  {
    key: 'waits',
    title: 'Oldest message',
    isFigure: true,
    by: ({ oldestSeconds }: Lane) => oldestSeconds ?? -1,
    show: ({ oldestSeconds }: Lane) =>
      oldestSeconds === null ? html`<span class="faint">up to date</span>` : secondsText(oldestSeconds),
  },
]
