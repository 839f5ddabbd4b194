/** One schedule: when it fires, on what, what it has saved and what it did. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { addDays, today } from '../../day.ts'
import { pluralize, usd } from '../../figure.ts'
import { change, go, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { zonedText } from '../../zone.ts'
import { Copies } from '../../part/copy.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { Act } from '../../part/act.tsx'
import { CostOf } from '../../part/cost-of.tsx'
import { ScheduleForm } from './form.tsx'
import { Runs } from './runs.tsx'
import { actionText, whatText, type Runs as Known, type Schedule } from './labels.ts'

export function ScheduleDetail({ id }: { id: string }) {
  const params = { scheduleID: id }
  const report = useReport('GET /schedules/:scheduleID', { params })
  const runs = useReport('GET /schedules/:scheduleID/next-runs', { params, query: { count: 8 } })
  const [isEditing, setEditing] = useState(false)
  const again = () => {
    setEditing(false)
    report.again()
    runs.again()
  }
  return (
    <ReportContent report={report} rows={6}>
      {(schedule: Schedule) => (
        <>
          <div class="view-head">
            <h1>
              <a href={hrefOf('schedules')}>Schedules</a> /{' '}
              <span class="clip wide" dir="auto" title={schedule.name}>
                {schedule.name}
              </span>
            </h1>
            <span class="tools">
              <Pause schedule={schedule} onDone={again} />
              <Act needs="service.update" onClick={() => setEditing(!isEditing)}>
                Edit
              </Act>
              <Delete schedule={schedule} />
              <Copies report={report} />
            </span>
          </div>
          {schedule.description && <p dir="auto">{schedule.description}</p>}
          {!schedule.enabled && <p class="note">Paused: it starts and stops nothing until resumed.</p>}
          {isEditing && <ScheduleForm schedule={schedule} onClose={() => setEditing(false)} onDone={again} />}
          <div class="halves">
            <Panel title="Next runs" about={`in time zone ${schedule.timezone}`} tools={<Copies report={runs} />}>
              <ReportContent report={runs} rows={6}>
                {(data: Known) =>
                  data.length === 0 ? (
                    <Empty title="No upcoming runs.">
                      <p>{schedule.enabled ? 'Its rules match no future date.' : 'It does not run while paused.'}</p>
                    </Empty>
                  ) : (
                    <Runs runs={data} zone={schedule.timezone} />
                  )
                }
              </ReportContent>
              {schedule.skipDates.length > 0 && <p class="faint">Skipped on {schedule.skipDates.join(', ')}.</p>}
            </Panel>
            <ScheduleSavings schedule={schedule} />
          </div>
          <ScheduleTargets schedule={schedule} />
          <PastRuns schedule={schedule} />
        </>
      )}
    </ReportContent>
  )
}

function Pause({ schedule, onDone }: { schedule: Schedule; onDone: () => void }) {
  const { id, name, enabled } = schedule
  return enabled ? (
    <ConfirmButton
      operation="PATCH /schedules/:scheduleID"
      params={{ scheduleID: id }}
      body={{ enabled: false }}
      needs="service.update"
      label="Pause"
      title="Pause this schedule?"
      action="Pause"
      onDone={onDone}
    >
      <p>
        <strong dir="auto">{name}</strong> starts and stops nothing from now on. Stopped resources stay stopped and have
        no hourly cost; running ones keep running and incur costs. Missed runs are not made up. You can resume it at any
        time.
      </p>
    </ConfirmButton>
  ) : (
    <ConfirmButton
      operation="PATCH /schedules/:scheduleID"
      params={{ scheduleID: id }}
      body={{ enabled: true }}
      needs="service.update"
      label="Resume"
      title="Resume this schedule?"
      action="Resume"
      onDone={onDone}
    >
      <p>
        <strong dir="auto">{name}</strong> runs by its rules from now on, for {whatText(schedule)}. Missed runs are not
        made up. You can pause it again.
      </p>
    </ConfirmButton>
  )
}

const Delete = ({ schedule: { id, name } }: { schedule: Schedule }) => (
  <ConfirmButton
    operation="DELETE /schedules/:scheduleID"
    params={{ scheduleID: id }}
    needs="service.delete"
    isDanger
    label="Delete"
    title="Delete this schedule?"
    action="Delete schedule"
    onDone={() => go('schedules')}
  >
    <p>
      <strong dir="auto">{name}</strong> no longer runs. Stopped resources stay stopped; running ones keep running and
      incur costs. Its past runs and savings stay in reports. This cannot be undone. To stop it temporarily, pause it
      instead.
    </p>
  </ConfirmButton>
)

type Savings = Reply<'GET /reports/savings'>

/** A report takes so many days at most. */
const daysMax = 399

function ScheduleSavings({ schedule: { id, createdAt } }: { schedule: Schedule }) {
  const from = [createdAt.slice(0, 10), addDays(today(), -daysMax)].toSorted().at(-1)!
  const to = [from, today()].toSorted().at(-1)!
  const report = useReport('GET /reports/savings', {
    query: { source_id: id, group_by: 'resource', from, to },
    on: ['costs.changed'],
  })
  return (
    <Panel title="Savings so far" about={`since ${from}`} tools={<Copies report={report} />}>
      <ReportContent report={report} rows={3}>
        {({ items, totals }: Savings) =>
          items.length === 0 ? (
            <Empty title="No savings yet.">
              <p>Hours off because of this schedule count from its first stop, at the earlier hourly cost.</p>
            </Empty>
          ) : (
            <>
              <p class="bar">
                <span class="big">{usd(totals.verifiedUSD)}</span>{' '}
                <span class="faint">
                  verified by bills on {pluralize(totals.provedDays, 'day')} · observed: {usd(totals.observedUSD)}
                </span>
              </p>
              <Table
                caption="Savings by resource"
                columns={savedColumns}
                rows={items}
                keyOf={({ key }: Savings['items'][number]) => key}
              />
            </>
          )
        }
      </ReportContent>
    </Panel>
  )
}

type Item = Savings['items'][number]
const savedColumns = [
  {
    key: 'name',
    title: 'Resource',
    show: ({ label, key }: Item) => (
      <span class="clip wide" dir="auto" title={key}>
        {label}
      </span>
    ),
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

function ScheduleTargets({ schedule }: { schedule: Schedule }) {
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
      show: (uid: string) => (
        <span class="clip wide" dir="auto" title={uid}>
          {named.get(uid)?.name || uid}
        </span>
      ),
    },
    {
      key: 'type',
      title: 'Type',
      show: (uid: string) =>
        named.get(uid)?.type ?? <span class="faint">not in the inventory: not started or stopped</span>,
    },
    { key: 'status', title: 'Status', show: (uid: string) => named.get(uid)?.status ?? '–' },
  ]
  const groupOf = (id: string) => known.data?.items.find((one: Group) => one.id === id)
  return (
    <Panel title="Targets" about={whatText(schedule)}>
      {uids.length + groups.length === 0 && (
        <Empty title="No targets.">
          <p>
            The schedule runs but affects nothing.{' '}
            <Next needs="service.update" what="Choosing resources or groups">
              Edit it and choose resources or groups.
            </Next>
          </p>
        </Empty>
      )}
      {uids.length > 0 && (
        <Table caption="Scheduled resources" columns={columns} rows={uids} keyOf={(uid: string) => uid} />
      )}
      {groups.length > 0 && (
        <ul>
          {groups.map((id) => (
            <li key={id}>
              <span class="clip wide" dir="auto">
                {groupOf(id)?.name ?? id}
              </span>{' '}
              <span class="faint">
                {groupOf(id) ? `${pluralize(groupOf(id)!.members.length, 'member')}, in tier order` : ''}
              </span>
            </li>
          ))}
        </ul>
      )}
      <CostOf uids={uids} label="Directly selected resources" />
    </Panel>
  )
}

type Events = Reply<'GET /events'>
type Event = Events[number]
const pageSize = 10
const good = ['completed', 'triggered']

function PastRuns({ schedule: { id, timezone } }: { schedule: Schedule }) {
  const page = Number(param('page') ?? 1)
  const report = useReport('GET /events', { query: { schedule_id: id, page, limit: pageSize }, on: ['inventory.'] })
  const columns = [
    { key: 'at', title: 'Run at', show: ({ triggeredAt }: Event) => zonedText(triggeredAt, timezone) },
    {
      key: 'did',
      title: 'Action',
      show: ({ action }: Event) => (action === 'start' || action === 'stop' ? actionText[action] : action),
    },
    {
      key: 'what',
      title: 'Targets',
      show: ({ resources }: Event) => (
        <span title={resources.slice(0, 50).join(', ')}>{pluralize(resources.length, 'resource')}</span>
      ),
    },
    {
      key: 'status',
      title: 'Result',
      show: ({ status }: Event) => (
        <span class={`badge ${status === 'completed' ? 'good' : good.includes(status) ? '' : 'failed'}`}>{status}</span>
      ),
    },
  ]
  return (
    <Panel title="Past runs" about="newest first" tools={<Copies report={report} />}>
      <ReportContent report={report} rows={3}>
        {(data: Events) =>
          data.length === 0 ? (
            <Empty title="No runs yet.">
              <p>Each run and its result are listed here.</p>
            </Empty>
          ) : (
            <>
              <Table caption="Schedule runs" columns={columns} rows={data} keyOf={(one: Event) => one.id} />
              <Pages
                page={page}
                limit={pageSize}
                total={report.total ?? 0}
                onPage={(to: number) => change({ page: to })}
              />
            </>
          )
        }
      </ReportContent>
    </Panel>
  )
}
