/** One recommendation: why, what it would save, what to do, what became of it. */
import { useEffect } from 'preact/hooks'
import { html } from '../../html.ts'
import { ask } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { Copies } from '../../part/copy.ts'
import { Panel } from '../../part/panel.ts'
import { useNameOf } from '../../part/person.ts'
import { ReportContent } from '../../part/report-content.ts'
import { change } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import type { Reply } from '../../api.ts'
import { useFocusOnOpen } from '../anomalies/focus-on-open.ts'
import { StartWorkflow } from './start-workflow.ts'
import { Decide } from './decide.ts'
import { SavingsEstimate } from './savings.ts'
import { ResourceOverview, Why } from './why.ts'
import { eventName, type Detail } from './labels.ts'

const close = () => change({ rec: null })

export function RecommendationDetail({ id }: { id: string }) {
  const params = { recID: id }
  const report = useReport('GET /recommendations/:recID/detail', { params, on: ['recommendation.', 'workflow.'] })
  const place = useFocusOnOpen<HTMLDivElement>(id)
  const isThere = report.data !== undefined
  useEffect(() => {
    // That it was looked at is no more than a note: that it cannot be made is nobody's matter.
    if (isThere) ask('POST /recommendations/:recID/viewed', { params }).catch(() => undefined)
  }, [id, isThere])
  const tools = html`<${Copies} report=${report} /><button type="button" class="quiet" onClick=${close}>Close ✕</button>`
  return html`<div class="opened" tabindex="-1" ref=${place} role="group" aria-label=${report.data?.title ?? 'Recommendation'}>
    ${report.data === undefined ? html`<${Panel} title="Recommendation" tools=${tools}><${ReportContent} report=${report} rows=${8}>${() => null}<//><//>` : html`<${DetailBody} data=${report.data} report=${report} tools=${tools} />`}
  </div>`
}

interface DetailBodyProps {
  data: Detail
  report: Report<Detail>
  tools: unknown
}

function DetailBody({ data, report, tools }: DetailBodyProps) {
  return html`<${Panel} title=${data.title} tools=${tools}>
      <${ReportContent} report=${report}>${() => html`<${SavingsEstimate} data=${data} />`}<//>
    <//>
    <${Why} data=${data} />
    <${StartWorkflow} data=${data} />
    <${Decide} data=${data} onDecided=${report.again} />
    <${Panel} title="Resource"><${ResourceOverview} data=${data} /><//>
    <${History} id=${data.id} />`
}

type Events = Reply<'GET /recommendations/:recID/history'>

function History({ id }: { id: string }) {
  const nameOf = useNameOf()
  const report = useReport('GET /recommendations/:recID/history', {
    params: { recID: id },
    on: ['recommendation.', 'workflow.'],
  })
  return html`<${Panel} title="History" tools=${html`<${Copies} report=${report} />`}>
    <${ReportContent} report=${report} rows=${2}>${(events: Events) => html`<ol class="list">${events.toReversed().map((one) => html`<li key=${one.id}><span>${eventName(one.event)}${one.actorType === 'user' && html`${' '}<span dir="auto">${nameOf(one.actor)}</span>`}</span><time class="end faint" datetime=${one.createdAt} title=${timeText(one.createdAt)}>${ago(one.createdAt)}</time>${one.note && html`<blockquote class="said line" dir="auto">${one.note}</blockquote>`}</li>`)}</ol>`}<//>
  <//>`
}
