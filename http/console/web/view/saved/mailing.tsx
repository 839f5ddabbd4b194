/** How a saved view or a dashboard is mailed: its schedules, what became of the last time, and a test to oneself. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { useRequest, useReport } from '../../report.ts'
import { session } from '../../session.ts'
import { Confirm } from '../../part/confirm.tsx'
import { Copies, Copy } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ProblemMessage, ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { paramsOf, requestsOf, type MailSubject } from './mail-subject.ts'
import { ScheduleForm } from './schedule-form.tsx'
import { lastText, nextText, whenText, type Schedule, type Schedules } from './schedule-text.ts'

export function Mailing({ of }: { of: MailSubject }) {
  const { isMailable, name } = of
  const report = useReport(requestsOf(of).list, { params: paramsOf(of) })
  const [edited, setEdited] = useState<Schedule | 'new' | undefined>()
  const done = () => {
    setEdited(undefined)
    report.again()
  }
  return (
    <Panel
      title="Email reports"
      about={
        <span class="clip" dir="auto" title={name}>
          {name}
        </span>
      }
      tools={<Copies report={report} />}
    >
      {isMailable ? (
        <>
          <Test of={of} />
          {edited === undefined && (
            <p class="bar">
              <button type="button" class="main" onClick={() => setEdited('new')}>
                New schedule
              </button>
            </p>
          )}
          {edited !== undefined && (
            <ScheduleForm
              key={edited === 'new' ? 'new' : edited.id}
              of={of}
              schedule={edited === 'new' ? undefined : edited}
              onClose={() => setEdited(undefined)}
              onDone={done}
            />
          )}
          <ReportContent report={report} rows={2}>
            {(data: Schedules) => <ScheduleTable of={of} schedules={data} onEdit={setEdited} onDone={done} />}
          </ReportContent>
        </>
      ) : (
        <Empty title={`This ${of.kind} cannot be emailed.`}>
          <p>
            {of.kind === 'dashboard' && 'None of its views can: '}Explorer, Overview, Teams and Anomalies can be
            emailed.
          </p>
        </Empty>
      )}
    </Panel>
  )
}

/** To the address of who presses it, and to nobody else. */
function Test({ of }: { of: MailSubject }) {
  const { test } = requestsOf(of)
  const doing = useRequest(test)
  const params = paramsOf(of)
  return (
    <>
      <p class="bar">
        <button type="button" disabled={doing.isBusy} onClick={() => void doing.run({ params })}>
          {doing.isBusy ? 'Preparing…' : 'Send me a test'}
        </button>
        <span class="faint">One email to {session.value!.user.email}, with what you can see now.</span>{' '}
        <Copy label="Copy as curl" text={curlOf(test, params)} />
      </p>
      {doing.done && (
        <p class="note" role="status">
          Sent to {doing.done.sentTo}.
        </p>
      )}
      {doing.problem && <ProblemMessage problem={doing.problem} />}
    </>
  )
}

interface ScheduleTableProps {
  of: MailSubject
  schedules: Schedules
  onEdit: (schedule: Schedule) => void
  onDone: () => void
}

function ScheduleTable({ of, schedules, onEdit, onDone }: ScheduleTableProps) {
  const [deleting, setDeleting] = useState<Schedule | undefined>()
  if (schedules.length === 0)
    return (
      <Empty title="No email schedules yet.">
        <p>
          A schedule emails the {of.kind} weekly or monthly: the total, the top groups by cost, anomalies, and a CSV.
        </p>
      </Empty>
    )
  return (
    <>
      {deleting && <Delete of={of} schedule={deleting} onClose={() => setDeleting(undefined)} onDone={onDone} />}
      <Table
        caption="Schedules"
        columns={columnsOf(onEdit, setDeleting)}
        rows={schedules}
        keyOf={({ id }: Schedule) => id}
      />
      {schedules.some(({ recipients }) => recipients.some(({ unsubscribed }) => unsubscribed)) && (
        <p class="faint">
          Unsubscribed recipients opted out by email and receive nothing more from this schedule, even if someone adds
          the address again. To send to them again at their request, create a new schedule with that address.
        </p>
      )}
    </>
  )
}

const columnsOf = (onEdit: (one: Schedule) => void, setDeleting: (one: Schedule) => void) => [
  {
    key: 'when',
    title: 'Schedule',
    show: (one: Schedule) => (
      <>
        {whenText(one)}
        <span class="faint">{nextText(one)}</span>
      </>
    ),
  },
  {
    key: 'to',
    title: 'Recipients',
    show: ({ recipients }: Schedule) => (
      <ul class="list">
        {recipients.map(({ email, isOutside, unsubscribed }) => (
          <li key={email}>
            <span class="clip" title={email}>
              {email}
            </span>
            {isOutside && (
              <>
                {' '}
                <span class="badge">not a member</span>
              </>
            )}
            {unsubscribed && (
              <>
                {' '}
                <span class="badge">unsubscribed</span>
              </>
            )}
          </li>
        ))}
      </ul>
    ),
  },
  {
    key: 'by',
    title: 'Figures',
    show: ({ isMine }: Schedule) => (isMine ? 'as you see them' : 'as its creator sees them'),
  },
  {
    key: 'last',
    title: 'Last sent',
    show: ({ last }: Schedule) => (
      <>
        {lastText(last).map((line) => (
          <span class="saved-line" key={line}>
            {line}
          </span>
        ))}
      </>
    ),
  },
  {
    key: 'do',
    title: 'Actions',
    show: (one: Schedule) => (
      <span class="nowrap">
        <button type="button" class="quiet" aria-label={`Edit: ${whenText(one)}`} onClick={() => onEdit(one)}>
          Edit
        </button>{' '}
        <button type="button" class="quiet" aria-label={`Delete: ${whenText(one)}`} onClick={() => setDeleting(one)}>
          Delete
        </button>
      </span>
    ),
  },
]

interface DeleteProps {
  of: MailSubject
  schedule: Schedule
  onClose: () => void
  onDone: () => void
}

function Delete({ of, schedule, onClose, onDone }: DeleteProps) {
  const { remove } = requestsOf(of)
  const doing = useRequest(remove)
  const params = { ...paramsOf(of), scheduleID: schedule.id }
  const run = () =>
    void doing.run({ params }, () => {
      onClose()
      onDone()
    })
  return (
    <Confirm
      title="Delete this email schedule?"
      action="Delete schedule"
      isDanger
      doing={doing}
      onConfirm={run}
      onClose={onClose}
    >
      <p>
        {whenText(schedule)}: no one will receive it any more. The {of.kind} is kept.
      </p>
      <p>
        You can create it again, but people who unsubscribed would then receive it again. To avoid that, disable the
        schedule instead.
      </p>
      <p>
        <Copy label="Copy as curl" text={curlOf(remove, params)} />
      </p>
    </Confirm>
  )
}
