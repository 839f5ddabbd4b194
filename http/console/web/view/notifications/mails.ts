/** Which built-in mails you get: yours alone, in this organization. */
import { html } from '../../html.ts'
import { timeText } from '../../day.ts'
import { useRequest, useReport } from '../../report.ts'
import { Copies } from '../../part/copy.ts'
import { useChosen } from '../../part/use-chosen.ts'
import { CheckField } from '../../part/form.ts'
import { Panel } from '../../part/panel.ts'
import { useSeen } from '../../part/use-seen.ts'
import { ProblemMessage, ReportContent } from '../../part/report-content.ts'
import { eventName, type EventType, type EventTypes } from './channels-and-events.ts'

export function Mails() {
  const types = useReport('GET /notifications/event-types')
  return html`<${Panel} title="Your emails" tools=${html`<${Copies} report=${types} />`}>
    <p class="faint">By default, owners and admins are notified about budgets and anomalies; others about actions they requested themselves: starts, stops and overrides. Changes apply only to you, take effect immediately, and can be reverted. Channels are configured separately.</p>
    <${ReportContent} report=${types} rows=${8}>${(data: EventTypes) => html`<ul class="list">${data.map((type) => html`<li key=${type.key}><${EmailPreference} type=${type} /></li>`)}</ul>`}<//>
  <//>`
}

function EmailPreference({ type }: { type: EventType }) {
  const { place, isSeen } = useSeen<HTMLSpanElement>()
  const params = { eventKey: type.key }
  const report = useReport('GET /notifications/email-preferences/:eventKey', { params, when: isSeen })
  const doing = useRequest('PUT /notifications/email-preferences/:eventKey')
  const { shown, choose } = useChosen(report.data?.enabled ?? true)
  const put = (enabled: boolean) => choose(enabled, doing.run({ params, body: { enabled } }, report.again))
  const label = html`${eventName(type)} <code class="faint">${type.key}</code>`
  return html`<span class="grow" ref=${place}>${
    report.data || report.problem
      ? html`<${ReportContent} report=${report} rows=${1}>${() => html`<${CheckField} label=${label} isOn=${shown} onValue=${put} />`}<//>`
      : html`<span class="check"><span class="faint">…</span> <span>${label}</span></span>`
  }</span>
    ${report.data?.updatedAt && html`<span class="faint">set ${timeText(report.data.updatedAt)}</span>`}
    ${doing.problem && html`<${ProblemMessage} problem=${doing.problem} />`}`
}
