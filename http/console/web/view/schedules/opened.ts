/** One schedule: when it fires, on what, what it has saved and what it did. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { addDays, today } from '../../day.ts'
import { counted, usd } from '../../figure.ts'
import { change, go, hrefOf, param } from '../../place.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { zonedText } from '../../zone.ts'
import { Copies } from '../../part/copy.ts'
import { Next } from '../../part/next.ts'
import { Panel } from '../../part/panel.ts'
import { Empty, Shown } from '../../part/state.ts'
import { Sure } from '../../part/sure.ts'
import { Pages, Table } from '../../part/table.ts'
import { Act } from '../../part/act.ts'
import { CostOf } from '../../part/cost-of.ts'
import { ScheduleForm } from './form.ts'
import { Runs } from './runs.ts'
import { actionText, whatText, type Runs as Known, type Schedule } from './words.ts'

export function Opened({ id }: { id: string }) {
  const params = { scheduleID: id }
  const report = useReport('GET /schedules/:scheduleID', { params })
  const runs = useReport('GET /schedules/:scheduleID/next-runs', { params, query: { count: 8 } })
  const [isEditing, setEditing] = useState(false)
  const again = () => {
    setEditing(false)
    report.again()
    runs.again()
  }
  return html`<${Shown} report=${report} rows=${6}>${(schedule: Schedule) => html`
    <div class="view-head"><h1><a href=${hrefOf('schedules')}>Schedules</a> / <span class="clip wide" dir="auto" title=${schedule.name}>${schedule.name}</span></h1><span class="tools">
      <${Pause} schedule=${schedule} onDone=${again} />
      <${Act} needs="service.update" onClick=${() => setEditing(!isEditing)}>Change<//>
      <${Delete} schedule=${schedule} />
      <${Copies} report=${report} />
    </span></div>
    ${schedule.description && html`<p dir="auto">${schedule.description}</p>`}
    ${!schedule.enabled && html`<p class="note">It is paused: nothing is started or stopped by it until it goes on.</p>`}
    ${isEditing && html`<${ScheduleForm} schedule=${schedule} onClose=${() => setEditing(false)} onDone=${again} />`}
    <div class="halves">
      <${Panel} title="Next runs" about=${`on the clock of ${schedule.timezone}`} tools=${html`<${Copies} report=${runs} />`}>
        <${Shown} report=${runs} rows=${6}>${(data: Known) => (data.length === 0 ? html`<${Empty} title="It does not fire."><p>${schedule.enabled ? 'Its rules name no day that is still to come.' : 'It is paused: while it is, it does not fire.'}</p><//>` : html`<${Runs} runs=${data} zone=${schedule.timezone} />`)}<//>
        ${schedule.skipDates.length > 0 && html`<p class="faint">Not on ${schedule.skipDates.join(', ')}.</p>`}
      <//>
      <${Saved} schedule=${schedule} />
    </div>
    <${What} schedule=${schedule} />
    <${Did} schedule=${schedule} />`}<//>`
}

function Pause({ schedule, onDone }: { schedule: Schedule; onDone: () => void }) {
  const { id, name, enabled } = schedule
  return enabled
    ? html`<${Sure} operation="PATCH /schedules/:scheduleID" params=${{ scheduleID: id }} body=${{ enabled: false }} needs="service.update" label="Pause" title="Pause this schedule?" action="Pause it" onDone=${onDone}>
        <p><strong dir="auto">${name}</strong> starts and stops nothing from now on. What is stopped stays stopped, and costs nothing by the hour; what runs goes on running, and costs. Nothing that would have fired meanwhile is made up for. It can go on at any time.</p><//>`
    : html`<${Sure} operation="PATCH /schedules/:scheduleID" params=${{ scheduleID: id }} body=${{ enabled: true }} needs="service.update" label="Let it go on" title="Let this schedule go on?" action="Let it go on" onDone=${onDone}>
        <p><strong dir="auto">${name}</strong> fires by its rules from this moment on, for ${whatText(schedule)}. Nothing of before is made up for. It can be paused again.</p><//>`
}

const Delete = ({ schedule: { id, name } }: { schedule: Schedule }) =>
  html`<${Sure} operation="DELETE /schedules/:scheduleID" params=${{ scheduleID: id }} needs="service.delete" isDanger label="Delete" title="Delete this schedule?" action="Delete it" onDone=${() => go('schedules')}>
    <p><strong dir="auto">${name}</strong> fires no more. What is stopped now stays stopped, what runs goes on and costs; what it did and saved so far stays in reports. It cannot be undone: to stop for a while, pause it instead.</p><//>`

type Savings = Reply<'GET /reports/savings'>

/** A report takes so many days at most. */
const daysMax = 399

function Saved({ schedule: { id, createdAt } }: { schedule: Schedule }) {
  const from = [createdAt.slice(0, 10), addDays(today(), -daysMax)].toSorted().at(-1)!
  const to = [from, today()].toSorted().at(-1)!
  const report = useReport('GET /reports/savings', {
    query: { source_id: id, group_by: 'resource', from, to },
    on: ['costs.changed'],
  })
  return html`<${Panel} title="Saved so far" about=${`since ${from}`} tools=${html`<${Copies} report=${report} />`}>
    <${Shown} report=${report} rows=${3}>${({ items, totals }: Savings) =>
      items.length === 0
        ? html`<${Empty} title="It has saved nothing yet."><p>The hours that something is off because of it count from its first stop on, at what an hour cost before.</p><//>`
        : html`<p class="bar"><span class="big">${usd(totals.verifiedUSD)}</span> <span class="faint">verified by bills on ${counted(totals.provedDays, 'day')} · observed: ${usd(totals.observedUSD)}</span></p>
          <${Table} caption="Saved by resource" columns=${savedColumns} rows=${items} keyOf=${({ key }: Savings['items'][number]) => key} />`}<//>
  <//>`
}

type Item = Savings['items'][number]
const savedColumns = [
  {
    key: 'name',
    title: 'Resource',
    show: ({ label, key }: Item) => html`<span class="clip wide" dir="auto" title=${key}>${label}</span>`,
  },
  {
    key: 'verified',
    title: 'Verified',
    isFigure: true,
    by: ({ verifiedUSD }: Item) => verifiedUSD,
    show: ({ verifiedUSD, provedDays }: Item) => (provedDays === 0 ? '–' : usd(verifiedUSD)),
  },
  {
    key: 'observed',
    title: 'Observed',
    isFigure: true,
    by: ({ observedUSD }: Item) => observedUSD,
    show: ({ observedUSD }: Item) => usd(observedUSD),
  },
]

type Resources = Reply<'POST /resources/by-uids'>
type Group = Reply<'GET /resource-groups'>['items'][number]

function What({ schedule }: { schedule: Schedule }) {
  const { resourceUIDs: uids, resourceGroupIDs: groups } = schedule
  const report = useReport('POST /resources/by-uids', {
    body: { uids: uids.slice(0, 1000) },
    when: uids.length > 0 && may('space.view'),
    on: ['inventory.'],
  })
  const known = useReport('GET /resource-groups', { query: { limit: 100 }, when: groups.length > 0 })
  const named = new Map((report.data ?? ([] as Resources)).map((one) => [one.uid, one]))
  const columns = [
    {
      key: 'name',
      title: 'Resource',
      show: (uid: string) =>
        html`<span class="clip wide" dir="auto" title=${uid}>${named.get(uid)?.name || uid}</span>`,
    },
    {
      key: 'type',
      title: 'Type',
      show: (uid: string) =>
        named.get(uid)?.type ?? html`<span class="faint">not in the inventory: it is not started or stopped</span>`,
    },
    { key: 'status', title: 'Is', show: (uid: string) => named.get(uid)?.status ?? '–' },
  ]
  const groupOf = (id: string) => known.data?.items.find((one: Group) => one.id === id)
  return html`<${Panel} title="What it starts and stops" about=${whatText(schedule)}>
    ${uids.length + groups.length === 0 && html`<${Empty} title="It names nothing."><p>It fires, and nothing happens. <${Next} needs="service.update" what="Choosing resources or groups">Change it and choose resources or groups.<//></p><//>`}
    ${uids.length > 0 && html`<${Table} caption="Resources of the schedule" columns=${columns} rows=${uids} keyOf=${(uid: string) => uid} />`}
    ${groups.length > 0 && html`<ul>${groups.map((id) => html`<li key=${id}><span class="clip wide" dir="auto">${groupOf(id)?.name ?? id}</span> <span class="faint">${groupOf(id) ? `${counted(groupOf(id)!.members.length, 'member')}, tier by tier` : ''}</span></li>`)}</ul>`}
    <${CostOf} uids=${uids} label="What it names by itself" />
  <//>`
}

type Events = Reply<'GET /events'>
type Event = Events[number]
const pageSize = 10
const good = ['completed', 'triggered']

function Did({ schedule: { id, timezone } }: { schedule: Schedule }) {
  const page = Number(param('page') ?? 1)
  const report = useReport('GET /events', { query: { schedule_id: id, page, limit: pageSize }, on: ['inventory.'] })
  const columns = [
    { key: 'at', title: 'Fired', show: ({ triggeredAt }: Event) => zonedText(triggeredAt, timezone) },
    {
      key: 'did',
      title: 'Did',
      show: ({ action }: Event) => (action === 'start' || action === 'stop' ? actionText[action] : action),
    },
    {
      key: 'what',
      title: 'What',
      show: ({ resources }: Event) =>
        html`<span title=${resources.slice(0, 50).join(', ')}>${counted(resources.length, 'resource')}</span>`,
    },
    {
      key: 'status',
      title: 'Came of it',
      show: ({ status }: Event) =>
        html`<span class=${`badge ${status === 'completed' ? 'good' : good.includes(status) ? '' : 'failed'}`}>${status}</span>`,
    },
  ]
  return html`<${Panel} title="What it did" about="newest first" tools=${html`<${Copies} report=${report} />`}>
    <${Shown} report=${report} rows=${3}>${(data: Events) =>
      data.length === 0
        ? html`<${Empty} title="It has not fired yet."><p>Each fire is written down here with what came of it.</p><//>`
        : html`<${Table} caption="Fires of the schedule" columns=${columns} rows=${data} keyOf=${(one: Event) => one.id} /><${Pages} page=${page} limit=${pageSize} total=${report.total ?? 0} onPage=${(to: number) => change({ page: to })} />`}<//>
  <//>`
}
