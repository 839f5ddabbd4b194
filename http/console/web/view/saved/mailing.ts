/** How a saved view is mailed: its schedules, what became of the last time, and a test to oneself. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import { curlOf } from '../../address.ts'
import { useDoing, useReport } from '../../report.ts'
import { session } from '../../session.ts'
import { Confirm } from '../../part/confirm.ts'
import { Copies, Copy } from '../../part/copy.ts'
import { Panel } from '../../part/panel.ts'
import type { SavedView } from '../../part/saved.ts'
import { Empty, Failed, Shown } from '../../part/state.ts'
import { Table } from '../../part/table.ts'
import { ScheduleForm } from './schedule-form.ts'
import { lastText, nextText, whenText, type Schedule, type Schedules } from './words.ts'

export function Mailing({ saved }: { saved: SavedView }) {
  const { id: savedViewID, isMailable, name } = saved
  const report = useReport('GET /saved-views/:savedViewID/schedules', { params: { savedViewID } })
  const [edited, setEdited] = useState<Schedule | 'new' | undefined>()
  const done = () => {
    setEdited(undefined)
    report.again()
  }
  return html`<${Panel} title="Mailed" about=${html`<span class="clip" dir="auto" title=${name}>${name}</span>`} tools=${html`<${Copies} report=${report} />`}>
    ${
      isMailable
        ? html`<${Test} saved=${saved} />
          ${edited === undefined && html`<p class="bar"><button type="button" class="main" onClick=${() => setEdited('new')}>New schedule</button></p>`}
          ${edited !== undefined && html`<${ScheduleForm} key=${edited === 'new' ? 'new' : edited.id} saved=${saved} schedule=${edited === 'new' ? undefined : edited} onClose=${() => setEdited(undefined)} onDone=${done} />`}
          <${Shown} report=${report} rows=${2}>${(data: Schedules) => html`<${Listed} schedules=${data} onEdit=${setEdited} onDone=${done} />`}<//>`
        : html`<${Empty} title="This view has nothing to be mailed."><p>Costs, the overview, teams and anomalies can be mailed.</p><//>`
    }
  <//>`
}

/** To the address of who presses it, and to nobody else. */
function Test({ saved }: { saved: SavedView }) {
  const doing = useDoing('POST /saved-views/:savedViewID/test')
  const params = { savedViewID: saved.id }
  return html`<p class="bar"><button type="button" disabled=${doing.isBusy} onClick=${() => void doing.run({ params })}>${doing.isBusy ? 'Making it …' : 'Send a test to me'}</button>
      <span class="faint">One mail to ${session.value!.user.email}, with what you may see now.</span> <${Copy} label="Copy as curl" text=${curlOf('POST /saved-views/:savedViewID/test', params)} /></p>
    ${doing.done && html`<p class="note" role="status">It is on its way to ${doing.done.sentTo}.</p>`}
    ${doing.problem && html`<${Failed} problem=${doing.problem} />`}`
}

interface ListedProps {
  schedules: Schedules
  onEdit: (schedule: Schedule) => void
  onDone: () => void
}

function Listed({ schedules, onEdit, onDone }: ListedProps) {
  const [deleting, setDeleting] = useState<Schedule | undefined>()
  if (schedules.length === 0)
    return html`<${Empty} title="It is mailed to nobody yet."><p>With a schedule, people get it every week or month: the total, the dearest groups, unusual days, and a CSV.</p><//>`
  return html`${deleting && html`<${Delete} schedule=${deleting} onClose=${() => setDeleting(undefined)} onDone=${onDone} />`}
    <${Table} caption="Schedules" columns=${columnsOf(onEdit, setDeleting)} rows=${schedules} keyOf=${({ id }: Schedule) => id} />
    ${schedules.some(({ recipients }) => recipients.some(({ unsubscribed }) => unsubscribed)) && html`<p class="faint">Who is unsubscribed has said so by a mail of it, and gets no more by this schedule, whoever puts the address back. Whoever wants it again asks for another schedule: make a new one with that address in it.</p>`}`
}

const columnsOf = (onEdit: (one: Schedule) => void, setDeleting: (one: Schedule) => void) => [
  {
    key: 'when',
    title: 'When',
    show: (one: Schedule) => html`${whenText(one)}<span class="faint">${nextText(one)}</span>`,
  },
  {
    key: 'to',
    title: 'To',
    show: ({ recipients }: Schedule) =>
      html`<ul class="list">${recipients.map(({ email, isOutside, unsubscribed }) => html`<li key=${email}><span class="clip" title=${email}>${email}</span>${isOutside && html` <span class="badge">no member</span>`}${unsubscribed && html` <span class="badge">unsubscribed</span>`}</li>`)}</ul>`,
  },
  {
    key: 'by',
    title: 'Figures',
    show: ({ isMine }: Schedule) => (isMine ? 'as you see them' : 'as whoever made it sees them'),
  },
  {
    key: 'last',
    title: 'Last time',
    show: ({ last }: Schedule) => html`${lastText(last).map((line) => html`<span class="saved-line">${line}</span>`)}`,
  },
  {
    key: 'do',
    title: 'Do',
    show: (one: Schedule) =>
      html`<span class="nowrap"><button type="button" class="quiet" aria-label=${`Edit: ${whenText(one)}`} onClick=${() => onEdit(one)}>Edit</button> <button type="button" class="quiet" aria-label=${`Delete: ${whenText(one)}`} onClick=${() => setDeleting(one)}>Delete</button></span>`,
  },
]

interface DeleteProps {
  schedule: Schedule
  onClose: () => void
  onDone: () => void
}

function Delete({ schedule, onClose, onDone }: DeleteProps) {
  const doing = useDoing('DELETE /saved-views/:savedViewID/schedules/:scheduleID')
  const params = { savedViewID: schedule.viewID, scheduleID: schedule.id }
  const run = () =>
    void doing.run({ params }, () => {
      onClose()
      onDone()
    })
  return html`<${Confirm} title="Mail it no more?" action="Delete the schedule" isDanger doing=${doing} onConfirm=${run} onClose=${onClose}>
    <p>${whenText(schedule)}: nobody gets it any more. The view stays.</p>
    <p>It can be made again; who has unsubscribed would get it again then. To keep that, switch it off instead.</p>
    <p><${Copy} label="Copy as curl" text=${curlOf('DELETE /saved-views/:savedViewID/schedules/:scheduleID', params)} /></p>
  <//>`
}
