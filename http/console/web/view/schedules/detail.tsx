/** One schedule: when it fires, on what, what it has saved and what it did. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { addDays, today } from '../../day.ts'
import { pluralize, usd } from '../../figure.ts'
import { go, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { zonedText } from '../../zone.ts'
import { Copies } from '../../part/copy.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Table } from '../../part/table.tsx'
import { Head } from '../../part/head.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { WeekGrid } from './week-hours.tsx'
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
          <Head title="Schedules" of={{ name: schedule.name, href: hrefOf('schedules') }}>
            <Pause schedule={schedule} onDone={again} />
            <Act needs="service.update" onClick={() => setEditing(!isEditing)}>
              Edit
            </Act>
            <Delete schedule={schedule} />
            <Copies report={report} />
          </Head>
          {schedule.description && <p dir="auto">{schedule.description}</p>}
          {!schedule.enabled && <p class="note">Paused: it starts and stops nothing until resumed.</p>}
          {isEditing && <ScheduleForm schedule={schedule} onClose={() => setEditing(false)} onDone={again} />}
          <WeekGrid rules={schedule.rules} />
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
  const verb = enabled ? 'Pause' : 'Resume'
  return (
    <ConfirmButton
      operation="PATCH /schedules/:scheduleID"
      params={{ scheduleID: id }}
      body={{ enabled: !enabled }}
      needs="service.update"
      label={verb}
      title={`${verb} this schedule?`}
      action={verb}
      onDone={onDone}
    >
      <p>
        <strong dir="auto">{name}</strong>{' '}
        {enabled
          ? 'starts and stops nothing from now on. Stopped resources stay stopped and have no hourly cost; running ones keep running and incur costs. Missed runs are not made up. You can resume it at any time.'
          : `runs by its rules from now on, for ${whatText(schedule)}. Missed runs are not made up. You can pause it again.`}
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
    <ListView
      title="Savings so far"
      noun="resources with savings"
      caption="Savings by resource"
      about={`since ${from}`}
      report={report}
      columns={savedColumns}
      keyOf={({ key }) => key}
      bones={3}
      summary={({ items, totals }: Savings) =>
        items.length > 0 && (
          <p class="bar">
            <span class="big">{usd(totals.verifiedUSD)}</span>{' '}
            <span class="faint">
              verified by bills on {pluralize(totals.provedDays, 'day')} · observed: {usd(totals.observedUSD)}
            </span>
          </p>
        )
      }
      empty={{
        title: 'No savings yet.',
        children: <p>Hours off because of this schedule count from its first stop, at the earlier hourly cost.</p>,
      }}
    />
  )
}

const savedColumns: Column<Savings['items'][number]>[] = [
  { title: 'Resource', text: ({ label }) => label, hint: ({ key }) => key },
  { title: 'Verified', usd: ({ verifiedUSD, provedDays }) => (provedDays === 0 ? null : verifiedUSD) },
  { title: 'Observed', usd: ({ observedUSD }) => observedUSD },
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
  const columns: Column<string>[] = [
    { title: 'Resource', text: (uid) => named.get(uid)?.name || uid, hint: (uid) => uid },
    {
      title: 'Type',
      text: (uid) => named.get(uid)?.type,
      none: 'not in the inventory: not started or stopped',
    },
    { title: 'Status', text: (uid) => named.get(uid)?.status },
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

type Event = Reply<'GET /events'>[number]
const pageSize = 10

function PastRuns({ schedule: { id, timezone } }: { schedule: Schedule }) {
  const query = { schedule_id: id, page: param('page') ?? 1, limit: pageSize }
  const report = useReport('GET /events', { query, on: ['inventory.'] })
  const columns: Column<Event>[] = [
    {
      title: 'Run at',
      csv: ({ triggeredAt }) => triggeredAt,
      show: ({ triggeredAt }) => zonedText(triggeredAt, timezone),
    },
    { title: 'Action', show: ({ action }) => (action === 'start' || action === 'stop' ? actionText[action] : action) },
    {
      title: 'Targets',
      show: ({ resources }) => (
        <span title={resources.slice(0, 50).join(', ')}>{pluralize(resources.length, 'resource')}</span>
      ),
    },
    {
      title: 'Result',
      text: ({ status }) => status,
      badge: ({ status }) => (status === 'completed' ? 'good' : status === 'triggered' ? '' : 'failed'),
    },
  ]
  return (
    <ListView
      title="Past runs"
      noun="runs"
      caption="Schedule runs"
      about="newest first"
      report={report}
      columns={columns}
      pageSize={pageSize}
      bones={3}
      empty={{ title: 'No runs yet.', children: <p>Each run and its result are listed here.</p> }}
    />
  )
}
