/** The schedules that start and stop it, with what they do next. */
import type { Reply } from '../../api.ts'
import { timeText } from '../../day.ts'
import { hrefOf } from '../../router.ts'
import { ReportPanel } from '../../part/report-panel.tsx'
import { Next } from '../../part/next-step.tsx'
import { Empty } from '../../part/report-content.tsx'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import type { ResourceDetail } from './resource.ts'

type SchedulePage = Reply<'GET /schedules'>
type Schedule = SchedulePage['items'][number]

export function Schedules({ resource }: { resource: ResourceDetail }) {
  const isShown = may('service.view') && resource.schedulable
  const query = { resource_uid: resource.uid, limit: 20 }
  const report = useReport('GET /schedules', { query, when: isShown })
  if (!isShown) return null
  return (
    <ReportPanel title="Schedules" report={report} rows={2}>
      {({ items }: SchedulePage) =>
        items.length === 0 ? (
          <Empty title="No schedules for this resource.">
            <p>
              A schedule applies to resources or to groups that contain them.{' '}
              <Next needs="service.create" what="Creating one">
                <a href={hrefOf('schedules', { new: 'schedule' })}>Create one</a>
              </Next>
            </p>
          </Empty>
        ) : (
          <ul class="list">
            {items.map((one) => (
              <One key={one.id} one={one} />
            ))}
          </ul>
        )
      }
    </ReportPanel>
  )
}

/** Runs that are shown of one. */
const shownRuns = 4

function One({ one: { id, name, enabled, timezone } }: { one: Schedule }) {
  const params = { scheduleID: id }
  const runs = useReport('GET /schedules/:scheduleID/next-runs', { params, query: { count: shownRuns }, when: enabled })
  const said = (runs.data ?? []).map(({ action, at }) => `${action} ${timeText(at)}`)
  return (
    <li>
      <strong class="clip wide" dir="auto" title={name}>
        {name}
      </strong>
      <span class="end">
        <span class={`badge ${enabled ? 'good' : ''}`}>{enabled ? 'enabled' : 'paused'}</span>
      </span>
      <span class="line faint">
        {enabled ? said.join(' · ') : 'No runs while paused.'} ({timezone})
      </span>
    </li>
  )
}
