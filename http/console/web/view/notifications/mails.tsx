/** Which built-in mails you get: yours alone, in this organization. */
import { timeText } from '../../day.ts'
import { useRequest, useReport } from '../../report.ts'
import { Copies } from '../../part/copy.tsx'
import { useChosen } from '../../part/use-chosen.ts'
import { CheckField } from '../../part/form.tsx'
import { Panel } from '../../part/panel.tsx'
import { useSeen } from '../../part/use-seen.ts'
import { ProblemMessage, ReportContent } from '../../part/report-content.tsx'
import { eventName, type EventType, type EventTypes } from './channels-and-events.ts'

export function Mails() {
  const types = useReport('GET /notifications/event-types')
  return (
    <Panel title="Your emails" tools={<Copies report={types} />}>
      <p class="faint">
        By default, owners and admins are notified about budgets and anomalies; others about actions they requested
        themselves: starts, stops and overrides. Changes apply only to you, take effect immediately, and can be
        reverted. Channels are configured separately.
      </p>
      <ReportContent report={types} rows={8}>
        {(data: EventTypes) => (
          <ul class="list">
            {data.map((type) => (
              <li key={type.key}>
                <EmailPreference type={type} />
              </li>
            ))}
          </ul>
        )}
      </ReportContent>
    </Panel>
  )
}

function EmailPreference({ type }: { type: EventType }) {
  const { place, isSeen } = useSeen<HTMLSpanElement>()
  const params = { eventKey: type.key }
  const report = useReport('GET /notifications/email-preferences/:eventKey', { params, when: isSeen })
  const doing = useRequest('PUT /notifications/email-preferences/:eventKey')
  const { shown, choose } = useChosen(report.data?.enabled ?? true)
  const put = (enabled: boolean) => choose(enabled, doing.run({ params, body: { enabled } }, report.again))
  const label = (
    <>
      {eventName(type)} <code class="faint">{type.key}</code>
    </>
  )
  return (
    <>
      <span class="grow" ref={place}>
        {report.data || report.problem ? (
          <ReportContent report={report} rows={1}>
            {() => <CheckField label={label} isOn={shown} onValue={put} />}
          </ReportContent>
        ) : (
          <span class="check">
            <span class="faint">…</span> <span>{label}</span>
          </span>
        )}
      </span>
      {report.data?.updatedAt && <span class="faint">set {timeText(report.data.updatedAt)}</span>}
      {doing.problem && <ProblemMessage problem={doing.problem} />}
    </>
  )
}
